import { setTimeout as pause } from 'node:timers/promises';
import { CloudFormationClient, paginateListStackResources } from '@aws-sdk/client-cloudformation';
import { DescribeLimitsCommand, DescribeTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import {
  GetAccountSettingsCommand,
  GetFunctionConcurrencyCommand,
  GetFunctionConfigurationCommand,
  LambdaClient,
} from '@aws-sdk/client-lambda';
import { GetCallerIdentityCommand, STSClient } from '@aws-sdk/client-sts';
import { z } from 'zod';
import type { Account } from './account.ts';
import { callJson } from './call-json.ts';

/** Clients are created with these. They are empty for AWS, where the environment decides. */
export type ClientSettings = Readonly<Record<string, unknown>>;

/** The result of a call, or `undefined` where what it names does not exist. */
async function unlessGone<T>(call: Promise<T>): Promise<T | undefined> {
  try {
    return await call;
  } catch (error) {
    const isGone =
      error instanceof Error &&
      (error.name === 'ResourceNotFoundException' || /does not exist/.test(error.message));
    if (isGone) return undefined;
    throw error;
  }
}

const identity = z.object({ Account: z.string(), Arn: z.string() });
const limits = z.object({
  AccountLimit: z.object({ ConcurrentExecutions: z.number(), UnreservedConcurrentExecutions: z.number() }),
});
const quotas = z.object({ TableMaxWriteCapacityUnits: z.number() });

const lambdaCalls = (lambda: LambdaClient): Pick<Account, 'concurrency' | 'reservedOf' | 'hasFunction'> => ({
  async concurrency() {
    const { AccountLimit: of } = limits.parse(await lambda.send(new GetAccountSettingsCommand()));
    return { quota: of.ConcurrentExecutions, unreserved: of.UnreservedConcurrentExecutions };
  },
  async reservedOf(functionName) {
    const command = new GetFunctionConcurrencyCommand({ FunctionName: functionName });
    return (await unlessGone(lambda.send(command)))?.ReservedConcurrentExecutions;
  },
  async hasFunction(name) {
    const command = new GetFunctionConfigurationCommand({ FunctionName: name });
    return (await unlessGone(lambda.send(command))) !== undefined;
  },
});

async function stackResources(
  client: CloudFormationClient,
  stack: string,
): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>();
  for await (const { StackResourceSummaries: page = [] } of paginateListStackResources(
    { client },
    { StackName: stack },
  ))
    for (const { LogicalResourceId: id, PhysicalResourceId: physical } of page)
      if (id !== undefined && physical !== undefined) found.set(id, physical);
  return found;
}

/** Creates the clients of an account: that of the environment, unless the settings name another. */
export function awsAccount(settings: ClientSettings = {}): Account {
  const lambda = new LambdaClient(settings);
  const dynamoDb = new DynamoDBClient(settings);
  const sts = new STSClient(settings);
  return {
    ...lambdaCalls(lambda),
    lambda,
    region: () => lambda.config.region(),
    async identity() {
      const { Account: account, Arn: arn } = identity.parse(await sts.send(new GetCallerIdentityCommand()));
      return { account, arn };
    },
    resourcesOf: (stack, region) =>
      unlessGone(stackResources(new CloudFormationClient({ ...settings, region }), stack)),
    hasTable: async (name) =>
      (await unlessGone(dynamoDb.send(new DescribeTableCommand({ TableName: name })))) !== undefined,
    tableWrites: async () =>
      quotas.parse(await dynamoDb.send(new DescribeLimitsCommand())).TableMaxWriteCapacityUnits,
    json: (service, region, operation, input) =>
      callJson({ credentials: () => sts.config.credentials(), service, region, operation, input }),
    pause: async (ms) => {
      await pause(ms);
    },
  };
}
