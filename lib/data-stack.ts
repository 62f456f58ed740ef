import { RemovalPolicy, Stack, type StackProps } from 'aws-cdk-lib';
import { AttributeType, BillingMode, ProjectionType, Table, TableEncryption } from 'aws-cdk-lib/aws-dynamodb';
import { AnyPrincipal, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { Key } from 'aws-cdk-lib/aws-kms';
import type { Construct } from 'constructs';
import { INDEXES } from '../adapters/dynamodb/keys.ts';

const text = (name: string) => ({ name, type: AttributeType.STRING });

/** Everything that holds data: four tables and the KMS key. Nothing here goes away with the stack. */
export class DataStack extends Stack {
  readonly key: Key;
  /** Tokens, chunks of large data, index entries, deduplication locks. */
  readonly tokens: Table;
  /** What must vanish: cvc values, idempotency records, sessions, invocation payloads. No backups. */
  readonly ephemeral: Table;
  /** Tenants with their wrapped keys, applications, hashes of API keys. */
  readonly access: Table;
  /** Reactors, invocation states, webhook deliveries. */
  readonly reactors: Table;

  constructor(scope: Construct, id: string, props: StackProps) {
    super(scope, id, props);
    this.key = this.createKey();
    this.tokens = this.createTable('Tokens', { backups: true });
    this.ephemeral = this.createTable('Ephemeral', { backups: false });
    this.access = this.createTable('Access', { backups: true });
    this.reactors = this.createTable('Reactors', { backups: true });
    this.tokens.addGlobalSecondaryIndex({
      indexName: INDEXES.list,
      partitionKey: text('listPk'),
      sortKey: text('listSk'),
      projectionType: ProjectionType.INCLUDE,
      nonKeyAttributes: ['containers', 'type', 'expiresAt'],
    });
    this.tokens.addGlobalSecondaryIndex({
      indexName: INDEXES.fingerprint,
      partitionKey: text('fingerprint'),
      projectionType: ProjectionType.KEYS_ONLY,
    });
  }

  private createKey(): Key {
    const key = new Key(this, 'Key', {
      description: "Cloakroom: wraps the tenants' keys and encrypts the tables",
      enableKeyRotation: true,
      removalPolicy: RemovalPolicy.RETAIN,
    });
    // What DynamoDB needs to use the key on behalf of whoever may use a table; the same that AWS writes into its own key.
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
    return key;
  }

  private createTable(id: string, { backups }: { readonly backups: boolean }): Table {
    const table = new Table(this, id, {
      partitionKey: text('pk'),
      sortKey: text('sk'),
      billingMode: BillingMode.PAY_PER_REQUEST,
      encryption: TableEncryption.CUSTOMER_MANAGED,
      encryptionKey: this.key,
      timeToLiveAttribute: 'ttl',
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: backups },
      deletionProtection: true,
      removalPolicy: RemovalPolicy.RETAIN,
    });
    // Records with a time to act on; sparse: only they have the attributes.
    table.addGlobalSecondaryIndex({
      indexName: INDEXES.due,
      partitionKey: text('duePk'),
      sortKey: text('dueSk'),
      projectionType: ProjectionType.KEYS_ONLY,
    });
    return table;
  }
}
