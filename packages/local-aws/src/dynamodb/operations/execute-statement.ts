import { z } from 'zod';
import { AwsError, type AwsAccess } from '../../aws-service.ts';
import { consumedCapacity, sumByTable, totalUnits, writeUnits, type Images } from '../consumed-capacity.ts';
import { actions, dynaliteDb, rules } from '../dynalite.ts';
import type { ValidRequest } from '../dynalite-types.ts';
import { CostlyFailure, notImplemented, toFailure, validationFailure } from '../failures.ts';
import type { Item } from '../item.ts';
import {
  capacityMode,
  itemAccess,
  withCapacity,
  type Operation,
  type OperationContext,
  type Outcome,
} from '../operation.ts';
import { parseStatement, type Statement } from '../parse-statement.ts';
import { parseWith, validated } from '../requests.ts';
import { runAction } from '../run-action.ts';
import type { TableDescription } from '../table.ts';
import type { Tables } from '../tables.ts';
import type { WriteUnit } from '../write-unit.ts';

const MAX_STATEMENTS = 25;
const MAX_STATEMENT_CHARACTERS = 8192;

const statement = {
  Statement: z.string().min(1).max(MAX_STATEMENT_CHARACTERS),
  Parameters: z.array(z.unknown()).min(1).optional(),
  // AWS does not document what INSERT returns for `ALL_OLD`.
  ReturnValuesOnConditionCheckFailure: z.literal('NONE').optional(),
};
const capacity = { ReturnConsumedCapacity: z.enum(['INDEXES', 'TOTAL', 'NONE']).optional() };
const oneStatement = z.object({ ...statement, ...capacity });
const manyStatements = z.object({
  Statements: z
    .array(z.object(statement))
    .min(1, 'Member must have length greater than or equal to 1')
    .max(MAX_STATEMENTS, `Member must have length less than or equal to ${String(MAX_STATEMENTS)}`),
  ...capacity,
});

interface Parsed extends Statement {
  readonly parameters: readonly unknown[];
}

/** A wrong value fails the whole call, also in a batch and in a malformed statement. */
function requireValues(parameters: readonly unknown[]): void {
  const Item = Object.fromEntries(parameters.map((value, index) => [String(index), value]));
  if (parameters.length > 0) validated(rules.putItem, { TableName: 'Values', Item }, Infinity);
}

/** The parameters of a statement before its text is parsed. */
function parametersOf({ Parameters = [] }: Pick<z.output<typeof oneStatement>, 'Parameters'>) {
  requireValues(Parameters);
  return Parameters;
}

/** Parameters without a placeholder are omitted; `boundItem` refuses them. */
function itemOf({ attributes = [], parameters }: Parsed): Item {
  return Object.fromEntries(attributes.map((name, index) => [name, parameters[index]])) as Item;
}

function requireKeys(item: Item, { KeySchema, AttributeDefinitions }: TableDescription): void {
  for (const { AttributeName: name } of KeySchema) {
    const value = item[name];
    if (value === undefined)
      throw validationFailure(`Key attribute should be present in the item: Key ${name}`);
    const type = AttributeDefinitions.find(({ AttributeName }) => AttributeName === name)?.AttributeType;
    if (type === undefined || !(type in value))
      throw validationFailure(
        `Key attribute's data type should match its data type in table's schema: Key ${name}`,
      );
  }
}

/** The item of an INSERT and its table. Throws AwsError unless the statement fits both. */
function boundItem(tables: Tables, insert: Parsed) {
  if (insert.attributes?.length !== insert.parameters.length)
    throw validationFailure("Number of parameters in request and statement don't match.");
  const { description } = tables.get(insert.tableName);
  const item = itemOf(insert);
  requireKeys(item, description);
  return { tableName: insert.tableName, item, description };
}

function requireImplemented(statements: readonly Parsed[]): void {
  const other = statements.find(({ attributes }) => attributes === undefined);
  // The message omits the text of the statement, which may contain values.
  if (other?.verb === 'Insert')
    throw notImplemented("PartiQL INSERT of other than VALUE {'attribute': ?} with Parameters");
  if (other !== undefined) throw notImplemented(`PartiQL ${other.verb.toUpperCase()}`);
}

function accessesOf(tables: Tables, statements: readonly Parsed[]): readonly AwsAccess[] {
  const groups = Map.groupBy(statements, ({ verb, tableName }) => `${verb} ${tableName}`);
  return [...groups.values()].flatMap((group) =>
    group
      .slice(0, 1)
      .map(({ verb, tableName }) => itemAccess(tables, `PartiQL${verb}`, tableName, group.map(itemOf))),
  );
}

/** One item to insert, after the checks that need no table content. */
interface Insert {
  readonly request: ValidRequest;
  readonly itemKey: string;
}

/** The PutItem of an INSERT. Throws AwsError if the item is too large or has a wrong index key. */
function insertOf({ tableName, item, description }: ReturnType<typeof boundItem>): Insert {
  const request = validated(rules.putItem, { TableName: tableName, Item: item });
  const { Item: valid = {} } = request;
  const invalid = dynaliteDb.validateItem(valid, description);
  if (invalid) throw toFailure(invalid);
  return { request, itemKey: dynaliteDb.createKey(valid, description) };
}

/** An existing item costs as much as a failed condition. */
async function perform(unit: WriteUnit, { request, itemKey }: Insert): Promise<Images> {
  const before = unit.read(request.TableName, itemKey);
  const images = unit.touched().at(-1);
  if (images === undefined) throw new Error('an INSERT touched no item');
  if (before !== undefined)
    throw new CostlyFailure(
      new AwsError('DuplicateItemException', 400, 'Duplicate primary key exists in table'),
      {},
      totalUnits([writeUnits(images)]),
    );
  await runAction(actions.putItem, unit.store, request);
  return images;
}

/** One INSERT with parameters. Every other statement is refused after its authorization. */
export function executeStatementOperation({ tables, writer }: OperationContext): Operation {
  return (body) => {
    const request = parseWith(oneStatement, body);
    const parameters = parametersOf(request);
    const statement = { ...parseStatement(request.Statement), parameters };
    const mode = capacityMode(body);

    async function execute(): Promise<Outcome> {
      requireImplemented([statement]);
      const insert = insertOf(boundItem(tables, statement));
      const units = await writer.write(async (unit) => writeUnits(await perform(unit, insert)));
      return {
        body: withCapacity({ Items: [] }, consumedCapacity(mode, units)),
        consumedCapacity: totalUnits([units]),
      };
    }

    return { accesses: accessesOf(tables, [statement]), perform: execute };
  };
}

/** The codes of BatchStatementError that can occur here. */
const statementCodes: Readonly<Record<string, string>> = {
  ValidationException: 'ValidationError',
  ResourceNotFoundException: 'ResourceNotFound',
  DuplicateItemException: 'DuplicateItem',
};

/** Rethrows an error of the whole call. */
function statementError(error: unknown): object {
  const code = error instanceof AwsError ? statementCodes[error.code] : undefined;
  if (code === undefined || !(error instanceof AwsError)) throw error;
  return { Code: code, Message: error.message };
}

/** A statement of a batch, or the reason why it cannot be parsed. */
type Read = { readonly statement: Parsed } | { readonly failure: unknown };

/** The response names the table once the statement fits it. */
type Attempt = { readonly tableName?: string } & (
  | { readonly insert: Insert }
  | { readonly failure: unknown }
);

function readStatement(request: z.output<typeof manyStatements>['Statements'][number]): Read {
  const parameters = parametersOf(request);
  try {
    return { statement: { ...parseStatement(request.Statement), parameters } };
  } catch (failure) {
    return { failure };
  }
}

function requireOneKind(statements: readonly Statement[]): void {
  const reads = statements.filter(({ verb }) => verb === 'Select').length;
  if (reads > 0 && reads < statements.length)
    throw validationFailure('A batch consists of either read statements or write statements');
}

function requireDistinctItems(attempts: readonly Attempt[]): void {
  const keys = attempts.flatMap((attempt) =>
    'insert' in attempt ? [`${attempt.insert.request.TableName} ${attempt.insert.itemKey}`] : [],
  );
  if (new Set(keys).size < keys.length)
    throw validationFailure('Provided list of item keys contains duplicates');
}

/**
 * A batch of INSERTs. Each succeeds or fails separately. The successful ones are one batch on disk,
 * although DynamoDB promises less.
 */
export function batchExecuteStatementOperation({ tables, writer }: OperationContext): Operation {
  function attemptOf(read: Read): Attempt {
    if ('failure' in read) return read;
    let tableName: string | undefined;
    try {
      const bound = boundItem(tables, read.statement);
      ({ tableName } = bound);
      return { tableName, insert: insertOf(bound) };
    } catch (failure) {
      return { failure, ...(tableName !== undefined && { tableName }) };
    }
  }

  async function respond(unit: WriteUnit, attempt: Attempt) {
    const named = attempt.tableName === undefined ? {} : { TableName: attempt.tableName };
    try {
      if ('failure' in attempt) throw attempt.failure;
      return { response: named, touched: await perform(unit, attempt.insert) };
    } catch (error) {
      const touched = error instanceof CostlyFailure ? unit.touched().at(-1) : undefined;
      return { response: { Error: statementError(error), ...named }, touched };
    }
  }

  return (body) => {
    const reads = parseWith(manyStatements, body).Statements.map(readStatement);
    const statements = reads.flatMap((read) => ('statement' in read ? [read.statement] : []));
    requireOneKind(statements);
    const mode = capacityMode(body);

    async function execute(): Promise<Outcome> {
      requireImplemented(statements);
      const attempts = reads.map(attemptOf);
      requireDistinctItems(attempts);
      const { responses, units } = await writer.write(async (unit) => {
        const done = [];
        for (const attempt of attempts) done.push(await respond(unit, attempt));
        return {
          responses: done.map(({ response }) => response),
          units: sumByTable(
            done.flatMap(({ touched }) => (touched === undefined ? [] : [writeUnits(touched)])),
          ),
        };
      });
      const capacities = mode && units.map((each) => consumedCapacity(mode, each));
      return {
        body: withCapacity({ Responses: responses }, capacities),
        consumedCapacity: totalUnits(units),
      };
    }

    return { accesses: accessesOf(tables, statements), perform: execute };
  };
}
