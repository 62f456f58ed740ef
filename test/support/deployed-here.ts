import { z } from 'zod';
import { definedIn, type ResourceType } from '../../packages/local-aws/src/assembly/resource-type.ts';
import { startResources } from '../../packages/local-aws/src/assembly/start-resources.ts';
import { resourcesWithoutBehaviour } from '../../packages/local-aws/src/assembly/without-behaviour.ts';
import type { Role } from '../../packages/local-aws/src/aws-service.ts';
import { cloudWatchResources } from '../../packages/local-aws/src/cloudwatch/cloudwatch-resources.ts';
import { dynamoDbResources } from '../../packages/local-aws/src/dynamodb/dynamodb-resources.ts';
import type { TableDefinition } from '../../packages/local-aws/src/dynamodb/table.ts';
import { gatewayResources } from '../../packages/local-aws/src/gateway/gateway-resources.ts';
import { iamResources } from '../../packages/local-aws/src/iam/iam-resources.ts';
import { createRoleRegistry } from '../../packages/local-aws/src/iam/role-registry.ts';
import { createKeyDefinitions } from '../../packages/local-aws/src/kms/key-definitions.ts';
import { kmsResources } from '../../packages/local-aws/src/kms/kms-resources.ts';
import { lambdaResources } from '../../packages/local-aws/src/lambda/lambda-resources.ts';
import { createLayerTable } from '../../packages/local-aws/src/lambda/layer-table.ts';
import { scheduleResources } from '../../packages/local-aws/src/schedules/schedule-resources.ts';
import { sqsResources } from '../../packages/local-aws/src/sqs/sqs-resources.ts';
import { functionOf } from '../../tools/bench/local-functions.ts';
import { synthesized } from './synthesized.ts';

export const ACCOUNT = { accountId: '123456789012', region: 'eu-west-1' };

/** A function as the templates define it, without its code. */
interface DeployedFunction {
  readonly name: string;
  readonly role: Role;
  readonly environment: Readonly<Record<string, string>>;
}

/** Resources that only have names here, unless their type has a start. */
const named = (
  types: Readonly<Record<string, Pick<ResourceType, 'identify'>>>,
  starts: Readonly<Record<string, (resource: Parameters<ResourceType['start']>[0]) => void>> = {},
): Readonly<Record<string, ResourceType>> =>
  Object.fromEntries(
    Object.entries(types).map(([type, { identify }]) => [
      type,
      { identify, start: (resource) => starts[type]?.(resource) },
    ]),
  );

const functionProperties = z.object({
  Role: z.string(),
  Environment: z.object({ Variables: z.record(z.string(), z.coerce.string()) }),
});

/**
 * Reads the templates of a deployment as the local account does: tables with their policies, keys,
 * and each function with its environment and the rights of its role.
 */
export function deployedHere() {
  const tables: TableDefinition[] = [];
  const keys = createKeyDefinitions();
  const roles = createRoleRegistry();
  const functions: { readonly name: string; readonly properties: unknown }[] = [];
  const layers = { layers: createLayerTable(), now: () => 0 };
  const lambda = named(lambdaResources(layers), {
    'AWS::Lambda::Function': ({ identity, properties }) => functions.push({ name: identity.ref, properties }),
  });
  const services = [
    definedIn(roles, iamResources),
    definedIn(tables, dynamoDbResources),
    definedIn(keys, kmsResources),
    lambda,
    ...[sqsResources, gatewayResources, scheduleResources, cloudWatchResources].map((types) => named(types)),
    resourcesWithoutBehaviour,
  ].map((resources) => ({ resources }));
  const addresses = { baseUrl: 'https://service.test', awsEndpointUrl: 'http://in-process' };
  startResources({ stacks: synthesized(), assets: new Map() }, { ...ACCOUNT, ...addresses }, services);
  return {
    tables,
    keys: keys.all(),
    /** Finds a function by its folder. */
    functionOf: (folder: string): DeployedFunction => {
      const { name, properties } = functionOf(functions, folder);
      const { Role: role, Environment: environment } = functionProperties.parse(properties);
      return { name, role: roles.role(role), environment: environment.Variables };
    },
  };
}
