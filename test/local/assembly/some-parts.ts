import type { CloudParts, TableDefinition } from '../../../local/assembly/cloud-parts.ts';
import { createKeyDefinitions } from '../../../local/assembly/key-definitions.ts';
import { createRoleRegistry } from '../../../local/assembly/role-registry.ts';
import { createGatewayDefinition } from '../../../local/gateway/gateway-definition.ts';
import { createFunctionHost } from '../../../local/lambda/function-host.ts';
import { createLayerTable } from '../../../local/lambda/layer-table.ts';
import { createScheduleTable } from '../../../local/schedules/schedule-table.ts';
import { createQueueDefinitions } from '../../../local/sqs/queue-definitions.ts';

export const account = {
  accountId: '000000000000',
  region: 'us-east-1',
  baseUrl: 'http://localhost:8787',
  awsEndpointUrl: 'http://127.0.0.1:4566',
};

/** The parts of a local cloud without stores: tables are remembered. */
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
  };
}
