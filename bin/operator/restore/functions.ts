import {
  DeleteFunctionConcurrencyCommand,
  DeleteProvisionedConcurrencyConfigCommand,
  GetFunctionConcurrencyCommand,
  GetFunctionConfigurationCommand,
  paginateListFunctions,
  paginateListProvisionedConcurrencyConfigs,
  PutFunctionConcurrencyCommand,
  PutProvisionedConcurrencyConfigCommand,
} from '@aws-sdk/client-lambda';
import { z } from 'zod';
import type { RestoreDeps } from './restore-deps.ts';
import type { FunctionState } from './restore-state.ts';

const variables = z.record(z.string(), z.string());
const configured = z.object({ Environment: z.object({ Variables: variables }) });

/** The names of the tables, from the environment of the operator function. */
const operatorEnvironment = z.object({
  TOKENS_TABLE: z.string(),
  ACCESS_TABLE: z.string(),
  REACTORS_TABLE: z.string(),
  EPHEMERAL_TABLE: z.string(),
  /** The ARN of the key that encrypts the tables. */
  KEY_ID: z.string(),
});

export type OperatorEnvironment = z.output<typeof operatorEnvironment>;

export async function environmentOf({ lambda }: RestoreDeps, name: string): Promise<OperatorEnvironment> {
  const response = await lambda.send(new GetFunctionConfigurationCommand({ FunctionName: name }));
  return operatorEnvironment.parse(configured.parse(response).Environment.Variables);
}

const listed = z.object({
  FunctionName: z.string(),
  Environment: z.object({ Variables: variables.optional() }).optional(),
});

/** All functions of the service: they share a table. The audit sealer has only Access. */
async function namesOf(deps: RestoreDeps, environment: OperatorEnvironment): Promise<readonly string[]> {
  const names: string[] = [];
  for await (const { Functions = [] } of paginateListFunctions({ client: deps.lambda }, {})) {
    for (const each of Functions) {
      const { FunctionName, Environment: { Variables = {} } = {} } = listed.parse(each);
      const { EPHEMERAL_TABLE, ACCESS_TABLE } = Variables;
      if (EPHEMERAL_TABLE === environment.EPHEMERAL_TABLE || ACCESS_TABLE === environment.ACCESS_TABLE)
        names.push(FunctionName);
    }
  }
  return names;
}

const provisionedConfig = z.object({
  FunctionArn: z.string(),
  RequestedProvisionedConcurrentExecutions: z.number().int(),
});

async function provisionedOf({ lambda }: RestoreDeps, name: string): Promise<FunctionState['provisioned']> {
  const found: FunctionState['provisioned'] = [];
  const pages = paginateListProvisionedConcurrencyConfigs({ client: lambda }, { FunctionName: name });
  for await (const { ProvisionedConcurrencyConfigs: configs = [] } of pages) {
    for (const each of configs) {
      const config = provisionedConfig.parse(each);
      const qualifier = config.FunctionArn.slice(config.FunctionArn.lastIndexOf(':') + 1);
      found.push({ qualifier, instances: config.RequestedProvisionedConcurrentExecutions });
    }
  }
  return found;
}

/** The functions of the service with the concurrency that they have now. */
export async function functionsOf(
  deps: RestoreDeps,
  environment: OperatorEnvironment,
): Promise<FunctionState[]> {
  const names = await namesOf(deps, environment);
  if (names.length === 0) throw new Error('no function of the service was found');
  const all: FunctionState[] = [];
  for (const name of names) {
    const command = new GetFunctionConcurrencyCommand({ FunctionName: name });
    const { ReservedConcurrentExecutions: reserved } = await deps.lambda.send(command);
    const provisioned = await provisionedOf(deps, name);
    all.push({ name, ...(reserved !== undefined && { reserved }), provisioned });
  }
  return all;
}

const reserve = ({ lambda }: RestoreDeps, name: string, count: number) =>
  lambda.send(new PutFunctionConcurrencyCommand({ FunctionName: name, ReservedConcurrentExecutions: count }));

/**
 * Stops functions: every invocation fails. Provisioned concurrency is removed first, since AWS
 * reserves no less than it.
 */
export async function stopFunctions(deps: RestoreDeps, functions: readonly FunctionState[]): Promise<void> {
  for (const { name, provisioned } of functions) {
    for (const { qualifier } of provisioned)
      await deps.lambda.send(
        new DeleteProvisionedConcurrencyConfigCommand({ FunctionName: name, Qualifier: qualifier }),
      );
    await reserve(deps, name, 0);
  }
}

/** Starts functions with the concurrency that they had. */
export async function startFunctions(deps: RestoreDeps, functions: readonly FunctionState[]): Promise<void> {
  for (const { name, reserved, provisioned } of functions) {
    if (reserved === undefined)
      await deps.lambda.send(new DeleteFunctionConcurrencyCommand({ FunctionName: name }));
    else await reserve(deps, name, reserved);
    for (const { qualifier, instances } of provisioned)
      await deps.lambda.send(
        new PutProvisionedConcurrencyConfigCommand({
          FunctionName: name,
          Qualifier: qualifier,
          ProvisionedConcurrentExecutions: instances,
        }),
      );
  }
}
