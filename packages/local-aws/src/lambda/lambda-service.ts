import { AwsError, type AwsAccess, type AwsCall, type AwsService } from '../aws-service.ts';
import type { CallLimits } from './call-limits.ts';
import {
  json,
  matchOperation,
  type LambdaOperation,
  type LambdaRequest,
} from './control-plane/lambda-operation.ts';

export interface LambdaServiceOptions {
  readonly operations: readonly LambdaOperation[];
  readonly limits: CallLimits;
  /** Returns the tags of the function that is called, for conditions on `aws:ResourceTag`. */
  readonly tagsOf: (functionName: string) => Readonly<Record<string, string>>;
  readonly close: () => Promise<void>;
}

interface Matched {
  readonly operation: LambdaOperation;
  readonly request: LambdaRequest;
}

/** The Lambda API. An unknown call fails with its method and path. */
export function createLambdaService({ operations, limits, tagsOf, close }: LambdaServiceOptions): AwsService {
  function match(call: AwsCall): Matched {
    for (const operation of operations) {
      const request = matchOperation(operation, call);
      if (request !== undefined) return { operation, request };
    }
    throw new AwsError(
      'UnknownOperationException',
      404,
      `Lambda does not answer ${call.method} ${call.path} locally`,
    );
  }

  function accesses(call: AwsCall): readonly AwsAccess[] {
    const { operation, request } = match(call);
    const tags = Object.entries(tagsOf(request.name)).map(([key, value]): [string, string] => [
      `aws:ResourceTag/${key}`,
      value,
    ]);
    const context = { ...Object.fromEntries(tags), ...operation.context?.(request) };
    return [
      { action: operation.action, resource: operation.resource(request), context },
      ...(operation.also?.(request) ?? []),
    ];
  }

  return {
    signingName: 'lambda',
    accesses,
    handle: async (call) => {
      const { operation, request } = match(call);
      limits.take(operation.limit ?? 'control');
      return await operation.respond(request);
    },
    failure: (error) =>
      json(
        error.status,
        { Type: error.status < 500 ? 'User' : 'Service', ...error.fields, message: error.message },
        { 'x-amzn-errortype': error.code },
      ),
    close,
  };
}
