import { CfnOutput, RemovalPolicy, Stack, Tags, type StackProps } from 'aws-cdk-lib';
import {
  AttributeType,
  BillingMode,
  type GlobalSecondaryIndexProps,
  ProjectionType,
  Table,
  TableClass,
  TableEncryption,
  type WarmThroughput,
} from 'aws-cdk-lib/aws-dynamodb';
import { AnyPrincipal, Effect, PolicyDocument, PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Key, KeySpec, KeyUsage } from 'aws-cdk-lib/aws-kms';
import { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import type { Construct } from 'constructs';

import { acceptFindings } from './accept-findings.ts';
import {
  FINGERPRINT_INDEX_ATTRIBUTES,
  INDEXES,
  GROUP_INDEX_ATTRIBUTES,
  LIST_INDEX_ATTRIBUTES,
} from '../src/adapters/dynamodb/keys.ts';
import { DENIED_WRITES, EXPIRY_ATTRIBUTE } from '../src/adapters/dynamodb/append-only.ts';
import { BACKUP_TAG, DEPLOYMENT_TAG, tableNameOf } from './deployment-names.ts';
import { lastingOutput } from './lasting-output.ts';
import type { Settings } from './settings.ts';

const text = (name: string) => ({ name, type: AttributeType.STRING });

/**
 * Each new on-demand table and index serves so much a second; AWS rejects less (Warm throughput).
 */
const NEW_TABLE: Required<WarmThroughput> = { readUnitsPerSecond: 12_000, writeUnitsPerSecond: 4_000 };

/** The tables and indexes that a request reads or writes, with one unit each. */
const USED_BY_REQUESTS = {
  read: ['Tokens', 'Access'],
  written: ['Tokens', 'Audit', INDEXES.list, INDEXES.fingerprint],
};

/**
 * The tables that have a maximum of writes, with their indexes, if the setting gives one. A
 * throttled trail would make every request 503, and so would Access. Ephemeral has what must
 * vanish (docs/decisions/0091).
 */
const CAPPED = ['Tokens', 'Reactors'];

/** A removal finds resources of these types by their tag. */
const TAGGED_TYPES = ['AWS::DynamoDB::Table', 'AWS::KMS::Key'];

/**
 * A table as other stacks refer to it: by the name that follows from the service's name. So an
 * upgrade or a rollback can add and remove tables without another stack in its way, and
 * CloudFormation refuses to replace a table (docs/decisions/0049).
 */
export interface NamedTable {
  readonly tableName: string;
  readonly tableArn: string;
}

export interface TableIndex {
  readonly table: NamedTable;
  readonly name: (typeof INDEXES)[keyof typeof INDEXES];
}

/**
 * All resources with data: four tables, the audit trail, and the KMS keys. None of them is deleted
 * with the stack.
 */
export class DataStack extends Stack {
  readonly key: Key;
  /** Contains tokens, parts of large data, index entries and deduplication locks. */
  readonly tokens: NamedTable;
  /**
   * Data that must vanish: cvc values, idempotency records, sessions, invocation payloads. No
   * backups.
   */
  readonly ephemeral: NamedTable;
  /** Contains tenants with their wrapped keys, applications, and hashes of API keys. */
  readonly access: NamedTable;
  /** Reactors, invocation states, webhook deliveries. */
  readonly reactors: NamedTable;
  /** Audit records and the rows that lead to them. Only inserts. */
  readonly audit: NamedTable;
  /** Indexes of the audit trail by token. Only inserts. */
  readonly auditIndex: NamedTable;
  /** Seals of the audit trail, in one chain. Only inserts. */
  readonly auditSeals: NamedTable;
  /** Signs the seals. */
  readonly sealKey: Key;
  /** The secret by which the edge identifies itself. */
  readonly edgeSecret: Secret;

  /** All tables but the one whose data must vanish. */
  readonly backedUp: readonly NamedTable[];

  readonly #indexes: TableIndex[] = [];
  /** The secondary indexes that the four tables have. */
  readonly indexes: readonly TableIndex[] = this.#indexes;

  readonly #serviceName: string;
  /**
   * The tables serve so many requests a second from the start. 0 means the number of a new table.
   */
  readonly #warmRate: number;
  /** 0 means none. */
  readonly #maxWrites: number;

  constructor(
    scope: Construct,
    id: string,
    { settings, ...props }: StackProps & { readonly settings: Settings },
  ) {
    super(scope, id, props);
    const { serviceName } = settings;
    this.#serviceName = serviceName;
    this.#warmRate = settings.warmThroughput;
    this.#maxWrites = settings.tableMaxWrites;
    this.key = this.createKey();
    const tokens = this.createTable('Tokens', { backups: true });
    this.tokens = this.#named(tokens);
    this.ephemeral = this.#createEphemeral();
    this.access = this.#named(this.createTable('Access', { backups: true }));
    const reactors = this.createTable('Reactors', { backups: true });
    this.reactors = this.#named(reactors);
    this.audit = this.#createTrailTable('Audit', { expires: true });
    this.auditIndex = this.#createTrailTable('AuditIndex', { expires: true });
    this.auditSeals = this.#createTrailTable('AuditSeals', { expires: false });
    this.backedUp = [this.tokens, this.access, this.reactors, this.audit, this.auditIndex, this.auditSeals];
    this.sealKey = this.#createSealKey();
    // Both outlive their stack. Ids of keys are generated, and names of tables can be another's.
    Tags.of(this).add(DEPLOYMENT_TAG, serviceName, { includeResourceTypes: TAGGED_TYPES });
    this.edgeSecret = this.#createEdgeSecret();
    // Functions read it with an edge alone. Without it, switching the edge off could not be undone.
    lastingOutput(this.edgeSecret.secretArn);
    new CfnOutput(this, 'EdgeSecretArn', {
      value: this.edgeSecret.secretArn,
      description: 'The secret by which the edge identifies itself',
    });
    this.#addIndex(tokens, INDEXES.list, {
      partitionKey: text('listPk'),
      sortKey: text('listSk'),
      projectionType: ProjectionType.INCLUDE,
      nonKeyAttributes: [...LIST_INDEX_ATTRIBUTES],
    });
    this.#addIndex(tokens, INDEXES.fingerprint, {
      partitionKey: text('fingerprint'),
      sortKey: text('matchSk'),
      projectionType: ProjectionType.INCLUDE,
      nonKeyAttributes: [...FINGERPRINT_INDEX_ATTRIBUTES],
    });
    // Parked deliveries by reactor, and reactors by the layer of their function. The index is
    // sparse: only they have the attributes.
    this.#addIndex(reactors, INDEXES.group, {
      partitionKey: text('groupPk'),
      sortKey: text('groupSk'),
      projectionType: ProjectionType.INCLUDE,
      nonKeyAttributes: [...GROUP_INDEX_ATTRIBUTES],
    });
  }

  #nameOf(id: string): string {
    return tableNameOf(this.#serviceName, id);
  }

  /** Composed, since a reference in a table's own policy would make the template circular. */
  #arnOf(id: string): string {
    return this.formatArn({ service: 'dynamodb', resource: 'table', resourceName: this.#nameOf(id) });
  }

  #named({ node: { id } }: Table): NamedTable {
    return { tableName: this.#nameOf(id), tableArn: this.#arnOf(id) };
  }

  #createEphemeral(): NamedTable {
    const table = this.createTable('Ephemeral', { backups: false });
    acceptFindings(table, {
      'AwsSolutions-DDB3':
        'It holds what must vanish: a cvc that a backup still holds has not been deleted (PCI DSS 3.3.1).',
    });
    return this.#named(table);
  }

  /** The setting of a table or an index that has to serve more than a new one does. */
  #warmed(name: string): { readonly warmThroughput?: WarmThroughput } {
    const unitsOf = (names: readonly string[], least: number) =>
      names.includes(name) ? Math.max(least, this.#warmRate) : least;
    const readUnitsPerSecond = unitsOf(USED_BY_REQUESTS.read, NEW_TABLE.readUnitsPerSecond);
    const writeUnitsPerSecond = unitsOf(USED_BY_REQUESTS.written, NEW_TABLE.writeUnitsPerSecond);
    const isNew =
      readUnitsPerSecond === NEW_TABLE.readUnitsPerSecond &&
      writeUnitsPerSecond === NEW_TABLE.writeUnitsPerSecond;
    return isNew ? {} : { warmThroughput: { readUnitsPerSecond, writeUnitsPerSecond } };
  }

  /** The setting of a table that has a maximum, and of each of its indexes. */
  #capped(table: string): { readonly maxWriteRequestUnits?: number } {
    return this.#maxWrites > 0 && CAPPED.includes(table) ? { maxWriteRequestUnits: this.#maxWrites } : {};
  }

  #addIndex(
    table: Table,
    name: TableIndex['name'],
    props: Omit<GlobalSecondaryIndexProps, 'indexName'>,
  ): void {
    table.addGlobalSecondaryIndex({
      indexName: name,
      ...props,
      ...this.#warmed(name),
      ...this.#capped(table.node.id),
    });
    this.#indexes.push({ table: this.#named(table), name });
  }

  #createEdgeSecret(): Secret {
    const secret = new Secret(this, 'EdgeSecret', {
      description: 'Cloakroom: proves that a request came through the edge',
      encryptionKey: this.key,
      generateSecretString: { passwordLength: 64, excludePunctuation: true },
    });
    acceptFindings(secret, {
      'AwsSolutions-SMG4':
        'CloudFront and the functions use it, so a deployment changes them together: see docs/deploy.md.',
    });
    return secret;
  }

  /**
   * An append-only table: its policy denies all writes except inserts to every principal, including
   * administrators. The alarms AuditChanged and AuditUnprotected report a replaced policy, which
   * could allow writes.
   */
  #createTrailTable(id: string, { expires }: { readonly expires: boolean }): NamedTable {
    const table = new Table(this, id, {
      tableName: this.#nameOf(id),
      partitionKey: text('pk'),
      sortKey: text('sk'),
      billingMode: BillingMode.PAY_PER_REQUEST,
      ...this.#warmed(id),
      // Every request writes it and few read it: half the price of storage for more per call.
      tableClass: TableClass.STANDARD_INFREQUENT_ACCESS,
      encryption: TableEncryption.CUSTOMER_MANAGED,
      encryptionKey: this.key,
      ...(expires && { timeToLiveAttribute: EXPIRY_ATTRIBUTE }),
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
      deletionProtection: true,
      removalPolicy: RemovalPolicy.RETAIN,
      resourcePolicy: new PolicyDocument({
        statements: [
          new PolicyStatement({
            sid: 'NothingButInserts',
            effect: Effect.DENY,
            principals: [new AnyPrincipal()],
            actions: [...DENIED_WRITES],
            resources: [this.#arnOf(id)],
          }),
        ],
      }),
    });
    Tags.of(table).add(BACKUP_TAG, 'daily');
    return this.#named(table);
  }

  /** KMS cannot rotate an asymmetric key, and verifiers have its public half. */
  #createSealKey(): Key {
    return new Key(this, 'SealKey', {
      description: 'Cloakroom: signs the seals of the audit trail',
      keySpec: KeySpec.ECC_NIST_P256,
      keyUsage: KeyUsage.SIGN_VERIFY,
      multiRegion: true,
      removalPolicy: RemovalPolicy.RETAIN,
    });
  }

  private createKey(): Key {
    const key = new Key(this, 'Key', {
      description: "Cloakroom: wraps the tenants' keys and encrypts the tables",
      enableKeyRotation: true,
      // It cannot change later, and another Region needs a replica (docs/before-production.md).
      multiRegion: true,
      removalPolicy: RemovalPolicy.RETAIN,
    });
    // The permissions that DynamoDB needs on the key, on behalf of principals that may use a table.
    // AWS writes the same into its own key.
    key.addToResourcePolicy(
      new PolicyStatement({
        sid: 'TablesOfThisAccount',
        principals: [new AnyPrincipal()],
        actions: [
          'kms:Encrypt',
          'kms:Decrypt',
          'kms:ReEncrypt*',
          'kms:GenerateDataKey*',
          'kms:CreateGrant',
          'kms:DescribeKey',
        ],
        resources: ['*'],
        conditions: {
          StringEquals: {
            'kms:CallerAccount': this.account,
            'kms:ViaService': `dynamodb.${this.region}.amazonaws.com`,
          },
        },
      }),
    );
    // Lambda encrypts the reactors' code with this key, with the function's ARN as encryption
    // context (AWS Lambda, Encrypting .zip packages).
    key.addToResourcePolicy(
      new PolicyStatement({
        sid: 'CodeOfFunctionsOfThisAccount',
        principals: [new ServicePrincipal('lambda.amazonaws.com')],
        actions: ['kms:GenerateDataKey', 'kms:Decrypt'],
        resources: ['*'],
        conditions: {
          StringLike: {
            'kms:EncryptionContext:aws:lambda:FunctionArn': `arn:${this.partition}:lambda:${this.region}:${this.account}:function:*`,
          },
        },
      }),
    );
    // The key also encrypts logs (Amazon CloudWatch Logs User Guide, Encrypt log data using KMS).
    key.addToResourcePolicy(
      new PolicyStatement({
        sid: 'LogsOfThisAccount',
        principals: [new ServicePrincipal(`logs.${this.region}.amazonaws.com`)],
        actions: ['kms:Encrypt', 'kms:Decrypt', 'kms:ReEncrypt*', 'kms:GenerateDataKey*', 'kms:DescribeKey'],
        resources: ['*'],
        conditions: {
          ArnLike: {
            'kms:EncryptionContext:aws:logs:arn': `arn:${this.partition}:logs:${this.region}:${this.account}:log-group:*`,
          },
        },
      }),
    );
    return key;
  }

  private createTable(id: string, { backups }: { readonly backups: boolean }): Table {
    const table = new Table(this, id, {
      tableName: this.#nameOf(id),
      partitionKey: text('pk'),
      sortKey: text('sk'),
      billingMode: BillingMode.PAY_PER_REQUEST,
      ...this.#warmed(id),
      ...this.#capped(id),
      encryption: TableEncryption.CUSTOMER_MANAGED,
      encryptionKey: this.key,
      timeToLiveAttribute: 'ttl',
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: backups },
      deletionProtection: true,
      removalPolicy: RemovalPolicy.RETAIN,
    });
    Tags.of(table).add(BACKUP_TAG, backups ? 'daily' : 'never');
    // Records with a due time. The index is sparse: only they have the attributes.
    this.#addIndex(table, INDEXES.due, {
      partitionKey: text('duePk'),
      sortKey: text('dueSk'),
      projectionType: ProjectionType.KEYS_ONLY,
    });
    return table;
  }
}
