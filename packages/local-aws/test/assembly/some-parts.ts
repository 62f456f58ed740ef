import { definedIn } from '../../src/assembly/resource-type.ts';
import { resourcesWithoutBehaviour } from '../../src/assembly/without-behaviour.ts';
import { cloudWatchResources } from '../../src/cloudwatch/cloudwatch-resources.ts';
import { createCloudWatch } from '../../src/cloudwatch/create-cloudwatch.ts';
import { dynamoDbResources } from '../../src/dynamodb/dynamodb-resources.ts';
import type { TableDefinition } from '../../src/dynamodb/table.ts';
import { createGatewayDefinition } from '../../src/gateway/gateway-definition.ts';
import { gatewayResources } from '../../src/gateway/gateway-resources.ts';
import { iamResources } from '../../src/iam/iam-resources.ts';
import { createRoleRegistry } from '../../src/iam/role-registry.ts';
import { createKeyDefinitions } from '../../src/kms/key-definitions.ts';
import { kmsResources } from '../../src/kms/kms-resources.ts';
import { createFunctionHost } from '../../src/lambda/function-host.ts';
import { lambdaResources } from '../../src/lambda/lambda-resources.ts';
import { createLayerTable } from '../../src/lambda/layer-table.ts';
import { scheduleResources } from '../../src/schedules/schedule-resources.ts';
import { createScheduleTable } from '../../src/schedules/schedule-table.ts';
import { createQueueDefinitions } from '../../src/sqs/queue-definitions.ts';
import { sqsResources } from '../../src/sqs/sqs-resources.ts';

export const account = {
  accountId: '000000000000',
  region: 'us-east-1',
  baseUrl: 'http://localhost:8787',
  awsEndpointUrl: 'http://127.0.0.1:4566',
};

/** The services of a local account without their stores, and what their resources define. */
export function someParts() {
  const roles = createRoleRegistry();
  const tables: TableDefinition[] = [];
  const keys = createKeyDefinitions();
  const functions = createFunctionHost({
    region: account.region,
    credentialsFor: (roleArn) => roles.credentialsFor(roleArn),
    log: () => undefined,
  });
  const layers = createLayerTable();
  const queues = createQueueDefinitions();
  const gateway = createGatewayDefinition();
  const schedules = createScheduleTable();
  const services = [
    definedIn(roles, iamResources),
    definedIn(tables, dynamoDbResources),
    definedIn(keys, kmsResources),
    definedIn({ functions, inProcesses: [], roles }, lambdaResources({ layers, now: () => 0 })),
    definedIn({ account, queues }, sqsResources),
    definedIn(gateway, gatewayResources),
    definedIn(schedules, scheduleResources),
    definedIn(createCloudWatch(), cloudWatchResources),
    resourcesWithoutBehaviour,
  ].map((resources) => ({ resources }));
  return { services, tables, keys, roles, functions, layers, queues, gateway, schedules };
}
