import type { PolicyDocument } from '../aws-service.ts';

export interface KeySchemaElement {
  readonly AttributeName: string;
  readonly KeyType: 'HASH' | 'RANGE';
}

export interface IndexDefinition {
  readonly IndexName: string;
  readonly KeySchema: readonly KeySchemaElement[];
  readonly Projection: {
    readonly ProjectionType?: 'ALL' | 'KEYS_ONLY' | 'INCLUDE';
    readonly NonKeyAttributes?: readonly string[];
  };
}

/** The policy of a table and its indexes; every change gives it another revision. */
export interface TablePolicy {
  readonly document: PolicyDocument;
  readonly revisionId: string;
}

/** The requests that a table or an index serves a second from the start. */
export interface WarmThroughput {
  readonly ReadUnitsPerSecond: number;
  readonly WriteUnitsPerSecond: number;
}

/** Every new table and index on demand serves this (DynamoDB, Warm throughput). */
export const NEW_TABLE_THROUGHPUT: WarmThroughput = {
  ReadUnitsPerSecond: 12_000,
  WriteUnitsPerSecond: 4_000,
};

/** Settings that can change after a table was created. */
export interface TableSettings {
  readonly timeToLiveAttribute?: string | undefined;
  /** Whether DeleteTable is refused. */
  readonly isProtected?: boolean;
  readonly hasPointInTimeRecovery?: boolean;
  /** ARN of the KMS key that encrypts it; nothing is encrypted locally. */
  readonly keyArn?: string;
  readonly tags?: Readonly<Record<string, string>>;
  /** Only set if the table was restored from a backup. */
  readonly sourceBackupArn?: string;
  readonly resourcePolicy?: TablePolicy | undefined;
  readonly warmThroughput?: WarmThroughput;
  /** Each key is the name of an index. */
  readonly indexWarmThroughput?: Readonly<Record<string, WarmThroughput>>;
}

/** A table that the template defines, in DynamoDB's own spelling. */
export interface TableDefinition extends Omit<TableSettings, 'resourcePolicy'> {
  readonly resourcePolicy?: PolicyDocument;
  readonly name: string;
  readonly attributeDefinitions: readonly { AttributeName: string; AttributeType: 'S' | 'N' | 'B' }[];
  readonly keySchema: readonly KeySchemaElement[];
  readonly globalSecondaryIndexes?: readonly IndexDefinition[];
}

/** A table as DescribeTable returns it and as dynalite's actions read it. */
export interface TableDescription {
  readonly TableName: string;
  readonly TableArn: string;
  readonly TableId: string;
  readonly TableStatus: 'ACTIVE';
  /** Seconds since 1970. */
  readonly CreationDateTime: number;
  readonly AttributeDefinitions: TableDefinition['attributeDefinitions'];
  readonly KeySchema: readonly KeySchemaElement[];
  readonly GlobalSecondaryIndexes?: readonly (IndexDefinition & {
    readonly IndexArn: string;
    readonly IndexStatus: 'ACTIVE';
  })[];
}

export interface Table extends TableSettings {
  readonly description: TableDescription;
}

/** DynamoDB calls the partition key HASH. It is the first one in the schema. */
export function hashAttribute({ KeySchema }: Pick<TableDescription, 'KeySchema'>): string {
  return KeySchema[0]?.AttributeName ?? '';
}
