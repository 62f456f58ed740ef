import type { Item } from './item.ts';
import type { TableDescription } from './table.ts';

/** dynalite's error for its callers: it contains the complete response body. */
export interface DynaliteError extends Error {
  readonly statusCode: number;
  readonly body: { readonly __type: string; readonly message?: string; readonly Message?: string };
}

export type Callback<T> = (error: unknown, result?: T) => void;

/** A range of keys that dynalite asks for. A `limit` of -1 means no limit. */
export interface KeyRange {
  readonly gt?: string;
  readonly gte?: string;
  readonly lt?: string;
  readonly lte?: string;
  readonly reverse?: boolean;
  readonly limit?: number;
}

/** dynalite's actions call these on the items of a table and on the entries of an index. */
export interface DynaliteSubDb {
  get(key: string, callback: Callback<Item>): void;
  put(key: string, item: Item, callback: Callback<void>): void;
  del(key: string, callback: Callback<void>): void;
  /**
   * dynalite's per-item lock: `task` gets a function that wraps the callback and releases the lock
   * with it.
   */
  lock(key: string, task: (release: <C>(callback: C) => C) => void): void;
  createValueStream(range: KeyRange): NodeJS.ReadableStream;
}

/** The part of dynalite's store that its item actions use. */
export interface DynaliteStore {
  readonly options: { readonly maxItemSize: number };
  getTable(name: string, callback: Callback<TableDescription>): void;
  getItemDb(tableName: string): DynaliteSubDb;
  getIndexDb(indexType: string, tableName: string, indexName: string): DynaliteSubDb;
}

/**
 * A parsed condition or filter: operators with arguments, where a path is an array and a literal an
 * attribute value.
 */
export interface ParsedExpression {
  readonly type?: string;
  readonly args?: readonly (ParsedExpression | readonly (string | number)[])[];
  readonly L?: unknown;
  readonly M?: unknown;
}

/** One action of an update, with the path of what it changes. */
export interface UpdateSection {
  readonly type: 'set' | 'remove' | 'add' | 'delete';
  readonly path: readonly (string | number)[];
  /** The value that is set or added: an expression of the parser. */
  readonly val?: unknown;
}

/** A request that dynalite's validation accepted. */
export interface ValidRequest {
  TableName: string;
  IndexName?: string;
  Item?: Item;
  Key?: Item;
  ExclusiveStartKey?: Item;
  KeyConditions?: Readonly<Record<string, { readonly AttributeValueList?: readonly Item[string][] }>>;
  ConsistentRead?: boolean;
  ReturnConsumedCapacity?: 'TOTAL' | 'INDEXES' | 'NONE';
  _condition?: { readonly expression: ParsedExpression };
  _filter?: { readonly expression: ParsedExpression; readonly pathHeads: object };
  _projection?: { readonly paths: readonly (readonly (string | number)[])[] };
  _updates?: { sections: readonly UpdateSection[] };
}

export interface BatchGetTable {
  readonly Keys: readonly Item[];
  readonly ConsistentRead?: boolean;
  readonly ProjectionExpression?: string;
  readonly ExpressionAttributeNames?: Readonly<Record<string, string>>;
  readonly AttributesToGet?: readonly string[];
  readonly _projection?: unknown;
}

export interface ItemResult {
  readonly Item?: Item;
  readonly Attributes?: Item;
}

export interface PageResult {
  readonly Count: number;
  readonly ScannedCount: number;
  readonly Items?: readonly Item[];
  readonly LastEvaluatedKey?: Item;
}

export interface BatchGet {
  readonly RequestItems: Readonly<Record<string, BatchGetTable>>;
}

export interface BatchWrite {
  readonly RequestItems: Readonly<
    Record<
      string,
      readonly {
        readonly PutRequest?: { readonly Item: Item };
        readonly DeleteRequest?: { readonly Key: Item };
      }[]
    >
  >;
}

/**
 * dynalite requires these of the requests of one action: the types of the members, and the rules
 * between them.
 */
export interface Rules<Request> {
  readonly types: Readonly<Record<string, unknown>>;
  readonly custom: (data: Request, store: unknown) => string | undefined;
}

export type Action<Result> = (store: DynaliteStore, data: unknown, callback: Callback<Result>) => void;

export interface DynaliteValidations {
  checkTypes(data: unknown, types: Rules<never>['types']): unknown;
  checkValidations<Request>(
    data: Request,
    types: Rules<Request>['types'],
    custom: Rules<Request>['custom'],
    store: unknown,
  ): void;
}

/** The level database that dynalite opens (LevelDB on disk, or in memory). Values are JSON. */
export interface Level {
  open(): Promise<void>;
  close(): Promise<void>;
  getSync(key: string, options?: { readonly snapshot?: LevelSnapshot | undefined }): unknown;
  batch(operations: readonly LevelOperation[]): Promise<void>;
  /** A view of the present content, which must be closed. */
  snapshot(): LevelSnapshot;
  values(range: KeyRange & { readonly snapshot?: LevelSnapshot | undefined }): AsyncIterable<unknown>;
  iterator(range: KeyRange): AsyncIterable<[string, unknown]>;
}

export interface LevelSnapshot {
  close(): Promise<void>;
}

export type LevelOperation =
  | { readonly type: 'put'; readonly key: string; readonly value: unknown }
  | { readonly type: 'del'; readonly key: string };

export interface DynaliteDb {
  createKey(item: Item, table: TableDescription): string;
  createIndexKey(item: Item, table: TableDescription, keySchema: TableDescription['KeySchema']): string;
  validateKey(key: Item, table: TableDescription): DynaliteError | undefined;
  validateItem(item: Item, table: TableDescription): DynaliteError | undefined;
  validationError(message: string): DynaliteError;
  checkConditional(data: unknown, item: Item | undefined): DynaliteError | null | undefined;
}
