import type { Caller } from '../../core/applications/application.ts';
import { react } from '../../core/reactors/react.ts';
import { startInvocation } from '../../core/reactors/start-invocation.ts';
import type { Json } from '../../core/shared/json.ts';
import type { WriteIdentity } from '../../core/shared/write-identity.ts';
import type { ApiRequest } from '../../http/api-request.ts';
import { presentReactorResult } from '../../http/present-reactor-result.ts';
import type { RouteAnswer } from '../../http/route.ts';
import type { ReactorsDeps } from './dependencies.ts';

interface Invocation {
  readonly reactorId: string;
  readonly args: Json;
  readonly asynchronous?: { readonly callbackUrl: string; readonly timeoutMs: number };
}

/** Invokes a reactor: the answer is its result, or 202 with the id of the invocation. */
export async function invokeReactor(
  deps: ReactorsDeps,
  caller: Caller,
  { asynchronous, ...invocation }: Invocation,
  request: ApiRequest,
  writes: WriteIdentity,
): Promise<RouteAnswer> {
  const input = {
    ...invocation,
    service: { baseUrl: deps.publicUrl ?? request.baseUrl, headerPrefix: deps.headerPrefixes[0] ?? '' },
  };
  if (asynchronous === undefined)
    return {
      body: presentReactorResult(
        await react(deps, caller, { ...input, receivedAt: request.receivedAt }, writes),
      ),
    };
  const ownHost = request.headers['host'];
  const started = { ...input, ...asynchronous, ...(ownHost !== undefined && { ownHost }) };
  return { status: 202, body: { id: await startInvocation(deps, caller, started, writes) } };
}
