import { randomUUID } from 'node:crypto';
import { AwsError, type AwsCall, type AwsResponse } from '../aws-service.ts';
import {
  json,
  noContent,
  page,
  type LambdaOperation,
  type LambdaRequest,
} from './control-plane/lambda-operation.ts';
import { presentConfiguration, presentFunction } from './control-plane/present.ts';
import { parseBody } from './control-plane/requests.ts';
import type { FunctionRegistry } from './control-plane/function-registry.ts';
import type { ProcessHost } from './custom-runtime/process-host.ts';
import { runEvent } from './run-event.ts';
import { requirePayloadSize, type InvocationOutcome } from './function-definition.ts';
import type { FoundFunction, FunctionHost } from './function-host.ts';

export interface InvokeDependencies {
  /** The functions that the app's templates define. */
  readonly functions: FunctionHost;
  /** The functions that CreateFunction created. */
  readonly registry: FunctionRegistry;
  readonly processes: ProcessHost;
  readonly functionArn: (name: string) => string;
  /** Accepts an invocation whose end no caller waits for. */
  readonly inBackground: (running: Promise<unknown>) => void;
}

/** A valid invocation: the function exists and can run. */
interface Accepted {
  readonly version: string;
  readonly run: () => Promise<InvocationOutcome>;
}

function templateConfiguration({ definition, arn }: FoundFunction): object {
  return {
    FunctionName: definition.name,
    FunctionArn: arn,
    Runtime: definition.runtime,
    Role: definition.roleArn,
    Handler: definition.handler,
    Timeout: definition.timeoutSeconds,
    MemorySize: definition.memoryMb,
    Version: '$LATEST',
    PackageType: 'Zip',
    State: 'Active',
    LastUpdateStatus: 'Successful',
    Environment: { Variables: definition.environment },
  };
}

function checkedPayload(call: AwsCall): string {
  const text = call.body.length === 0 ? '{}' : call.body.toString('utf8');
  requirePayloadSize(text);
  try {
    JSON.parse(text);
  } catch {
    throw new AwsError('InvalidRequestContentException', 400, 'Could not parse request body into json');
  }
  return text;
}

const qualified = ({ functionArn }: InvokeDependencies, { name, qualifier }: LambdaRequest): string =>
  functionArn(name) + (qualifier === undefined ? '' : `:${qualifier}`);

function accept(
  { functions, registry, processes }: InvokeDependencies,
  { name, qualifier }: LambdaRequest,
  payload: string,
  requestId: string,
): Accepted {
  if (functions.has(name)) {
    const { arn } = functions.find(name, qualifier);
    return { version: '$LATEST', run: () => functions.invoke(arn, payload, requestId) };
  }
  const found = registry.resolve(name, qualifier);
  const runnable = registry.runnable(found);
  const invocation = { requestId, payload, invokedFunctionArn: found.arn };
  return { version: runnable.version, run: () => processes.invoke(runnable, invocation) };
}

function list({ registry, functions }: InvokeDependencies, query: URLSearchParams): object {
  const made = registry.all().map(({ name }) => ({
    name,
    present: () => presentConfiguration(registry, registry.resolve(name, undefined)),
  }));
  const ofTemplates = functions.all().map(({ name }) => ({
    name,
    present: () => templateConfiguration(functions.find(name)),
  }));
  const found = [...made, ...ofTemplates].toSorted((a, b) => (a.name < b.name ? -1 : 1));
  const { items, next } = page(found, query);
  return { ...next, Functions: items.map(({ present }) => present()) };
}

/** Reserved concurrency of a function of the templates: those of CreateFunction have none. */
function reserve({ functions }: InvokeDependencies, name: string, count: number | undefined): void {
  functions.find(name);
  functions.reserve(name, count);
}

async function respond({ version, run }: Accepted): Promise<AwsResponse> {
  const { failed, payload } = await run();
  const headers = {
    'content-type': 'application/json',
    'x-amz-executed-version': version,
    ...(failed && { 'x-amz-function-error': 'Unhandled' }),
  };
  return { status: 200, headers, body: payload };
}

async function invoke(dependencies: InvokeDependencies, request: LambdaRequest): Promise<AwsResponse> {
  const { registry, inBackground } = dependencies;
  const payload = checkedPayload(request.call);
  const accepted = accept(dependencies, request, payload, randomUUID());
  const type = request.call.headers['x-amz-invocation-type'] ?? 'RequestResponse';
  switch (type) {
    case 'RequestResponse':
      return await respond(accepted);
    case 'Event':
      runEvent({ time: registry.time, inBackground }, accepted.run);
      return { status: 202, headers: {}, body: '' };
    case 'DryRun':
      return { status: 204, headers: {}, body: '' };
    default:
      throw new AwsError('InvalidParameterValueException', 400, `Invalid invocation type: ${type}`);
  }
}

const FUNCTION_PATH = '/2015-03-31/functions/{FunctionName}';

function concurrencyOf({ functions }: InvokeDependencies, name: string): object {
  const count = functions.reservedOf(functions.find(name).definition);
  return count === undefined ? {} : { ReservedConcurrentExecutions: count };
}

/**
 * Implements the calls for functions that the templates define and for those that CreateFunction
 * created.
 */
export function invokeOperations(dependencies: InvokeDependencies): readonly LambdaOperation[] {
  const { functions, registry } = dependencies;
  return [
    {
      method: 'POST',
      path: `${FUNCTION_PATH}/invocations`,
      action: 'lambda:InvokeFunction',
      resource: (value) => qualified(dependencies, value),
      limit: 'none',
      respond: (request) => invoke(dependencies, request),
    },
    {
      method: 'GET',
      path: FUNCTION_PATH,
      action: 'lambda:GetFunction',
      resource: (value) => qualified(dependencies, value),
      limit: 'read',
      respond: ({ name, qualifier }) =>
        functions.has(name)
          ? json(200, { Configuration: templateConfiguration(functions.find(name, qualifier)) })
          : json(200, presentFunction(registry, registry.resolve(name, qualifier))),
    },
    {
      method: 'GET',
      path: `${FUNCTION_PATH}/configuration`,
      action: 'lambda:GetFunctionConfiguration',
      resource: (value) => qualified(dependencies, value),
      respond: ({ name, qualifier }) =>
        functions.has(name)
          ? json(200, templateConfiguration(functions.find(name, qualifier)))
          : json(200, presentConfiguration(registry, registry.resolve(name, qualifier))),
    },
    {
      method: 'GET',
      path: '/2015-03-31/functions',
      action: 'lambda:ListFunctions',
      resource: () => '*',
      respond: ({ call }) => json(200, list(dependencies, call.query)),
    },
    {
      method: 'GET',
      path: '/2019-09-30/functions/{FunctionName}/concurrency',
      action: 'lambda:GetFunctionConcurrency',
      resource: (value) => qualified(dependencies, value),
      respond: ({ name }) => json(200, concurrencyOf(dependencies, name)),
    },
    {
      method: 'PUT',
      path: '/2017-10-31/functions/{FunctionName}/concurrency',
      action: 'lambda:PutFunctionConcurrency',
      resource: (value) => qualified(dependencies, value),
      respond: ({ name, call }) => {
        const body = parseBody('putFunctionConcurrency', call.body);
        reserve(dependencies, name, body.ReservedConcurrentExecutions);
        return json(200, body);
      },
    },
    {
      method: 'DELETE',
      path: '/2017-10-31/functions/{FunctionName}/concurrency',
      action: 'lambda:DeleteFunctionConcurrency',
      resource: (value) => qualified(dependencies, value),
      respond: ({ name }) => {
        reserve(dependencies, name, undefined);
        return noContent;
      },
    },
  ];
}
