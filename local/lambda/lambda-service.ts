import { randomUUID } from 'node:crypto';
import { AwsError } from '../aws-service.ts';
import type { AwsCall, AwsResponse, AwsService } from '../aws-service.ts';
import type { FoundFunction, FunctionHost } from './function-host.ts';

interface Operation {
  readonly method: string;
  /** What follows `/2015-03-31/functions/{name}`. */
  readonly suffix: string;
  readonly action: string;
  readonly answer: (found: FoundFunction, call: AwsCall) => Promise<AwsResponse>;
}

interface Matched {
  readonly operation: Operation;
  readonly found: FoundFunction;
}

function json(status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): AwsResponse {
  return { status, headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify(body) };
}

function configuration({ definition, arn }: FoundFunction): object {
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
  try {
    JSON.parse(text);
  } catch {
    throw new AwsError('InvalidRequestContentException', 400, 'Could not parse request body into json', {
      Type: 'User',
    });
  }
  return text;
}

/**
 * The Lambda API for the functions of the app: Invoke (RequestResponse, Event, DryRun), GetFunction and
 * GetFunctionConfiguration. Every other call fails with its method and path. New calls are rows of `operations`.
 */
export function createLambdaService(functions: FunctionHost): AwsService {
  const background = new Set<Promise<unknown>>();

  function invokeInBackground(arn: string, payload: string, requestId: string): AwsResponse {
    // On AWS a failed event invocation is tried twice more, minutes later; here the function's log says that it failed.
    const running = functions.invoke(arn, payload, requestId).catch(() => undefined);
    background.add(running);
    void running.then(() => background.delete(running));
    return { status: 202, headers: { 'x-amzn-requestid': requestId }, body: '' };
  }

  async function invoke({ arn }: FoundFunction, call: AwsCall): Promise<AwsResponse> {
    const requestId = randomUUID();
    const payload = checkedPayload(call);
    const type = call.headers['x-amz-invocation-type'] ?? 'RequestResponse';
    if (type === 'DryRun') return { status: 204, headers: { 'x-amzn-requestid': requestId }, body: '' };
    if (type === 'Event') return invokeInBackground(arn, payload, requestId);
    if (type !== 'RequestResponse')
      throw new AwsError('InvalidParameterValueException', 400, `Invalid invocation type: ${type}`, {
        Type: 'User',
      });
    const outcome = await functions.invoke(arn, payload, requestId);
    const headers: Record<string, string> = {
      'content-type': 'application/json',
      'x-amzn-requestid': requestId,
      'x-amz-executed-version': '$LATEST',
    };
    if (outcome.failed) headers['x-amz-function-error'] = 'Unhandled';
    return { status: 200, headers, body: outcome.payload };
  }

  const operations: readonly Operation[] = [
    { method: 'POST', suffix: '/invocations', action: 'lambda:InvokeFunction', answer: invoke },
    {
      method: 'GET',
      suffix: '',
      action: 'lambda:GetFunction',
      answer: (found) => Promise.resolve(json(200, { Configuration: configuration(found) })),
    },
    {
      method: 'GET',
      suffix: '/configuration',
      action: 'lambda:GetFunctionConfiguration',
      answer: (found) => Promise.resolve(json(200, configuration(found))),
    },
  ];

  function match(call: AwsCall): Matched {
    const path = /^\/2015-03-31\/functions\/([^/]+)(\/[^/]+)?\/?$/.exec(call.path);
    const operation = operations.find(
      ({ method, suffix }) => method === call.method && suffix === (path?.[2] ?? ''),
    );
    if (path?.[1] === undefined || operation === undefined)
      throw new AwsError(
        'UnknownOperationException',
        404,
        `Lambda does not answer ${call.method} ${call.path} locally`,
      );
    const found = functions.find(decodeURIComponent(path[1]), call.query.get('Qualifier') ?? undefined);
    return { operation, found };
  }

  return {
    signingName: 'lambda',
    accesses: (call) => {
      const { operation, found } = match(call);
      return [{ action: operation.action, resource: found.arn }];
    },
    handle: (call) => {
      const { operation, found } = match(call);
      return operation.answer(found, call);
    },
    failure: (error) =>
      json(
        error.status,
        { Type: error.status < 500 ? 'User' : 'Service', ...error.fields, message: error.message },
        { 'x-amzn-errortype': error.code },
      ),
    close: async () => {
      await Promise.allSettled(background);
    },
  };
}
