import {
  DeleteFunctionCommand,
  GetAliasCommand,
  GetFunctionConfigurationCommand,
  paginateListFunctions,
  PublishVersionCommand,
  UpdateAliasCommand,
  UpdateFunctionConfigurationCommand,
  type LambdaClient,
} from '@aws-sdk/client-lambda';
import { z } from 'zod';
import { CheckFailure, type ItemContext } from './item.ts';

/** The gateway invokes the alias of this name. */
const LIVE = 'live';
const POLL_MS = 1_000;
const POLLS_MAX = 120;

/**
 * The name of the service's function that alone has an environment variable (docs/architecture.md).
 */
export async function functionWith(context: ItemContext, variable: string): Promise<string> {
  const { lambda } = context.clients;
  const table = context.deployment.variables['ACCESS_TABLE'];
  for await (const { Functions = [] } of paginateListFunctions({ client: lambda as LambdaClient }, {}))
    for (const { FunctionName, Environment: { Variables: variables = {} } = {} } of Functions)
      if (FunctionName !== undefined && variable in variables && variables['ACCESS_TABLE'] === table)
        return FunctionName;
  throw new CheckFailure(`the service has no function with the variable ${variable}`);
}

async function whenUpdated({ clients, pause }: ItemContext, FunctionName: string): Promise<void> {
  for (let poll = 0; poll < POLLS_MAX; poll += 1) {
    const { LastUpdateStatus: status } = await clients.lambda.send(
      new GetFunctionConfigurationCommand({ FunctionName }),
    );
    if (status === undefined || status === 'Successful') return;
    await pause(POLL_MS);
  }
  throw new CheckFailure(`the update of ${FunctionName} has not ended`);
}

const version = z.object({ FunctionVersion: z.string() });

/**
 * Gives a function behind the API another timeout: publishes a version that has it and moves the
 * alias there, which alone the gateway invokes. Afterwards the alias, the function and its versions
 * are as they were.
 */
export async function withTimeout(
  context: ItemContext,
  FunctionName: string,
  seconds: number,
): Promise<() => Promise<void>> {
  const { clients, afterwards } = context;
  const alias = { FunctionName, Name: LIVE };
  const { FunctionVersion: before } = version.parse(await clients.lambda.send(new GetAliasCommand(alias)));
  const { Timeout: timeout } = await clients.lambda.send(
    new GetFunctionConfigurationCommand({ FunctionName }),
  );
  const made: { version?: string | undefined } = {};

  // Each part also without the one before it: an interrupted change is undone as far as it came.
  const moveBack = async () => {
    await clients.lambda.send(new UpdateAliasCommand({ ...alias, FunctionVersion: before }));
  };
  afterwards(async () => {
    if (made.version !== undefined && made.version !== before)
      await clients.lambda.send(new DeleteFunctionCommand({ FunctionName, Qualifier: made.version }));
  });
  afterwards(async () => {
    await whenUpdated(context, FunctionName);
    await clients.lambda.send(new UpdateFunctionConfigurationCommand({ FunctionName, Timeout: timeout }));
    await whenUpdated(context, FunctionName);
  });
  afterwards(moveBack);

  await clients.lambda.send(new UpdateFunctionConfigurationCommand({ FunctionName, Timeout: seconds }));
  await whenUpdated(context, FunctionName);
  const { Version } = await clients.lambda.send(new PublishVersionCommand({ FunctionName }));
  made.version = Version;
  await clients.lambda.send(new UpdateAliasCommand({ ...alias, FunctionVersion: Version }));
  return moveBack;
}
