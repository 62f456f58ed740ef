import type { PolicyDocument } from '../aws-service.ts';
import type { AlarmDefinitions } from '../cloudwatch/create-cloudwatch.ts';
import type { GatewayDefinition } from '../gateway/gateway-definition.ts';
import type { FunctionHost } from '../lambda/function-host.ts';
import type { LayerTable } from '../lambda/layer-table.ts';
import type { ScheduleTable } from '../schedules/schedule-table.ts';
import type { QueueDefinitions } from '../sqs/queue-definitions.ts';
import type { KeyDefinitions } from '../kms/key-definitions.ts';
import type { Account } from './account.ts';
import type { RoleRegistry } from '../iam/role-registry.ts';

/** A table as its template describes it, in DynamoDB's own spelling. */
export interface TableDefinition {
  readonly name: string;
  readonly attributeDefinitions: readonly { AttributeName: string; AttributeType: 'S' | 'N' | 'B' }[];
  readonly keySchema: readonly { AttributeName: string; KeyType: 'HASH' | 'RANGE' }[];
  readonly globalSecondaryIndexes?: readonly {
    IndexName: string;
    KeySchema: readonly { AttributeName: string; KeyType: 'HASH' | 'RANGE' }[];
    Projection: { ProjectionType?: 'ALL' | 'KEYS_ONLY' | 'INCLUDE'; NonKeyAttributes?: readonly string[] };
  }[];
  readonly timeToLiveAttribute?: string;
  readonly isProtected?: boolean;
  readonly hasPointInTimeRecovery?: boolean;
  readonly keyArn?: string;
  readonly tags?: Readonly<Record<string, string>>;
  readonly resourcePolicy?: PolicyDocument;
}

/**
 * The parts of the local account in which a row of the table of resource types may start something.
 */
export interface CloudParts {
  readonly account: Account;
  /** S3 object key of an asset -> its folder or file on disk. */
  readonly assets: ReadonlyMap<string, string>;
  readonly createTable: (table: TableDefinition) => Promise<void>;
  readonly keys: KeyDefinitions;
  readonly roles: RoleRegistry;
  readonly functions: FunctionHost;
  readonly layers: LayerTable;
  readonly queues: QueueDefinitions;
  readonly gateway: GatewayDefinition;
  readonly schedules: ScheduleTable;
  readonly alarms: AlarmDefinitions;
}
