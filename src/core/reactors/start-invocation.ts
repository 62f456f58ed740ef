import type { Way } from '../access/access-decision.ts';
import { wayOf } from '../access/callback-address.ts';
import { keysBehind, type Caller } from '../access/caller.ts';
import { parseDestination, type EgressAllowList } from '../egress/destination.ts';
import { TemplateFields } from '../expressions/template-fields.ts';
import { defined } from '../shared/defined.ts';
import { invalid } from '../shared/service-error.ts';
import type { WriteIdentity } from '../shared/write-identity.ts';
import { referencesOf } from '../expressions/token-expression.ts';
import { parseTexts, templatesIn } from '../tokens/detokenize.ts';
import { checkTokens } from '../tokens/resolve-tokens.ts';
import { existingReactor } from './get-reactor.ts';
import { CONTENT_MS, QUEUE_PATIENCE_MS, READABLE_MS } from './invocation.ts';
import { storePayload, type ContentDeps, type InvocationPayload } from './invocation-content.ts';
import type { InvocationQueue } from './invocation-store.ts';
import { argsIn, checkInvoker, type RunInput, type RunReactorDeps } from './run-reactor.ts';

export interface StartInvocationDeps
  extends
    ContentDeps,
    Pick<RunReactorDeps, 'reactorStore' | 'tokenStore' | 'clock' | 'random' | 'vault' | 'audit'> {
  readonly invocationQueue: InvocationQueue;
  readonly egressAllowList: EgressAllowList;
}

export interface StartInput extends Pick<RunInput, 'reactorId' | 'args' | 'service'> {
  /** Where the result goes; absent if the caller only reads it. */
  readonly callbackUrl?: string;
  /** Time limit of the code, in ms. */
  readonly timeoutMs: number;
  /** The names of the service itself, which are not allowed as a destination. */
  readonly ownHosts?: readonly string[];
}

function checkCallback({ callbackUrl, ownHosts = [] }: StartInput, allowList: EgressAllowList): void {
  if (callbackUrl === undefined) return;
  const parsed = parseDestination(callbackUrl, { allowList, ownHosts });
  if (typeof parsed === 'string') throw invalid('callback_url', parsed);
}

/**
 * Makes the checks that need no token data: for bad expressions, and unknown and forbidden tokens.
 */
async function checkArgs(
  deps: StartInvocationDeps,
  caller: Caller,
  { args }: StartInput,
  way: Way,
): Promise<void> {
  const fields = new TemplateFields(deps.random.integer);
  const references = templatesIn(parseTexts(args, 'args', fields)).flatMap(referencesOf);
  fields.throwIfFailed();
  if (typeof args === 'string' && references.length === 0)
    throw invalid('args', 'must be an object or an array');
  await checkTokens(deps, caller, argsIn(way), references);
}

function payloadOf(caller: Caller, input: StartInput): InvocationPayload {
  const { args, timeoutMs, callbackUrl, service } = input;
  const { permissions, rules, credentialId, applicationId } = caller;
  const session = caller.type === 'session' ? { id: credentialId, permissions, rules } : undefined;
  return defined({ args, timeoutMs, callbackUrl, service, applicationId, session });
}

/**
 * Stores encrypted payload and state before the message is sent, so that the sweep can resend it.
 * Throws `not_found`, `forbidden`, and `validation_failed` for errors found before that.
 */
export async function startInvocation(
  deps: StartInvocationDeps,
  caller: Caller,
  input: StartInput,
  writes: WriteIdentity,
): Promise<string> {
  const way = wayOf(input.reactorId, input.callbackUrl);
  checkInvoker(caller, way);
  checkCallback(input, deps.egressAllowList);
  await existingReactor(deps, caller.tenantId, input.reactorId);
  await checkArgs(deps, caller, input, way);
  const id = { tenantId: caller.tenantId, id: writes.newId() };
  const now = deps.clock();
  // An earlier attempt was accepted, but its response was lost. Its payload is the one that counts.
  if (writes.startedAt !== undefined && (await deps.invocationStore.find(id)) !== undefined) return id.id;
  await storePayload(deps, id, payloadOf(caller, input), now + CONTENT_MS);
  const isNew = await deps.invocationStore.create({
    ...id,
    reactorId: input.reactorId,
    credentialId: caller.credentialId,
    keys: keysBehind(caller),
    state: 'queued',
    createdAt: now,
    delivery: input.callbackUrl === undefined ? 'unwanted' : 'none',
    attempts: 0,
    dueAt: now + QUEUE_PATIENCE_MS,
    readableUntil: now + READABLE_MS,
  });
  // The invocation is accepted. If this message is lost, the sweep sends it again.
  if (isNew) await deps.invocationQueue.send(id).catch(() => undefined);
  return id.id;
}
