import { wayOf } from '../../src/core/access/callback-address.ts';
import type { Caller } from '../../src/core/access/caller.ts';
import { react } from '../../src/core/reactors/react.ts';
import {
  reactionReplayOf,
  replayReaction,
  type ReactionReplay,
} from '../../src/core/reactors/replay-reaction.ts';
import { checkInvoker } from '../../src/core/reactors/run-reactor.ts';
import { startInvocation } from '../../src/core/reactors/start-invocation.ts';
import { defined, type Undefinable } from '../../src/core/shared/defined.ts';
import type { Json } from '../../src/core/shared/json.ts';
import type { RunOnce } from '../../src/core/idempotency/run-once.ts';
import type { WriteIdentity } from '../../src/core/shared/write-identity.ts';
import type { ApiRequest } from '../../src/http/api-request.ts';
import { withoutAnyCvc } from '../../src/core/tokens/without-cvc.ts';
import { ownHosts } from '../../src/http/own-hosts.ts';
import type { RouteResult } from '../../src/http/route.ts';
import { presentReaction } from '../../src/wire/invocation.ts';
import type { ReactorsDeps } from './dependencies.ts';

interface Invocation {
  readonly reactorId: string;
  readonly args: Json;
  readonly asynchronous?: { readonly callbackUrl?: string; readonly timeoutMs: number };
}

/** Invokes a reactor. The response is its result, or 202 with the id of the invocation. */
export async function invokeReactor(
  deps: ReactorsDeps,
  caller: Caller,
  { asynchronous, ...invocation }: Invocation,
  request: ApiRequest,
  { writes, once }: { readonly writes: WriteIdentity; readonly once: RunOnce },
): Promise<RouteResult> {
  const input = {
    ...invocation,
    service: { baseUrl: deps.publicUrl ?? request.baseUrl, headerPrefix: deps.headerPrefixes[0] ?? '' },
  };
  if (asynchronous === undefined) {
    const { receivedAt } = request;
    const { result, keepUntil, uses } = await react(deps, caller, { ...input, receivedAt }, writes, once);
    const raw = result.raw?.reveal();
    return defined({
      body: presentReaction(result),
      replayData: reactionReplayOf(
        result,
        raw === undefined ? undefined : withoutAnyCvc(raw),
        uses,
      ) as unknown as Json,
      replayUntil: keepUntil,
    } satisfies Undefinable<RouteResult>);
  }
  const started = { ...input, ...asynchronous, ownHosts: ownHosts(request, deps.publicUrl) };
  const body = { id: await startInvocation(deps, caller, started, writes) };
  return { status: 202, body, replayData: body };
}

/** Replays a response as the caller may see it now. */
export async function replayInvocation(
  deps: ReactorsDeps,
  caller: Caller,
  { reactorId, asynchronous }: Pick<Invocation, 'reactorId' | 'asynchronous'>,
  replayData: Json,
): Promise<RouteResult> {
  if (asynchronous !== undefined) {
    checkInvoker(caller, wayOf(reactorId, asynchronous.callbackUrl));
    return { body: replayData };
  }
  // The function above stored it, and its authentication tag proves it unchanged.
  const reaction = await replayReaction(deps, caller, reactorId, replayData as unknown as ReactionReplay);
  return { body: presentReaction(reaction) };
}
