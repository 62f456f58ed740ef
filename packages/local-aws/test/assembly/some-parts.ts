import type { CloudParts, TableDefinition } from '../../src/assembly/cloud-parts.ts';
import { createKeyDefinitions } from '../../src/kms/key-definitions.ts';
import { createRoleRegistry } from '../../src/iam/role-registry.ts';
import { createCloudWatch } from '../../src/cloudwatch/create-cloudwatch.ts';
import { createGatewayDefinition } from '../../src/gateway/gateway-definition.ts';
import { createFunctionHost } from '../../src/lambda/function-host.ts';
import { createLayerTable } from '../../src/lambda/layer-table.ts';
import { createScheduleTable } from '../../src/schedules/schedule-table.ts';
import { createQueueDefinitions } from '../../src/sqs/queue-definitions.ts';

export const account = {
  accountId: '000000000000',
  region: 'us-east-1',
  baseUrl: 'http://localhost:8787',
  awsEndpointUrl: 'http://127.0.0.1:4566',
};

/** The parts of a local account without stores: tables are recorded. */
export function someParts(
  assets: CloudParts['assets'],
): CloudParts & { readonly tables: readonly TableDefinition[] } {
  const roles = createRoleRegistry();
  const tables: TableDefinition[] = [];
  return {
    account,
    assets,
    tables,
    createTable: (table) => {
      tables.push(table);
      return Promise.resolve();
    },
    keys: createKeyDefinitions(),
    roles,
    functions: createFunctionHost({
      region: account.region,
      credentialsFor: (roleArn) => roles.credentialsFor(roleArn),
      log: () => undefined,
    }),
    layers: createLayerTable(),
    queues: createQueueDefinitions(),
    gateway: createGatewayDefinition(),
    schedules: createScheduleTable(),
    alarms: createCloudWatch(),
  };
}
