import type { Caller } from '../applications/application.ts';
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
import { keepPayload, type ContentDeps, type InvocationPayload } from './invocation-content.ts';
import type { InvocationQueue } from './invocation-store.ts';
import { ARGS, checkInvoker, type RunInput, type RunReactorDeps } from './run-reactor.ts';

export interface StartInvocationDeps
  extends ContentDeps, Pick<RunReactorDeps, 'reactorStore' | 'tokenStore' | 'clock' | 'vault' | 'audit'> {
  readonly invocationQueue: InvocationQueue;
  readonly egressAllowList: EgressAllowList;
}

/** An asynchronous invocation as it is asked for. */
export interface StartInput extends Pick<RunInput, 'reactorId' | 'args' | 'service'> {
  readonly callbackUrl: string;
  /** Time of the code, in ms. */
  readonly timeoutMs: number;
  /** The host of the service itself, which is no destination. */
  readonly ownHost?: string;
}

function checkCallback({ callbackUrl, ownHost }: StartInput, allowList: EgressAllowList): void {
  const parsed = parseDestination(callbackUrl, defined({ allowList, ownHost }));
  if (typeof parsed === 'string') throw invalid('callback_url', parsed);
}

/** What can be known at once: bad expressions, unknown and forbidden tokens. Nothing is opened. */
async function checkArgs(deps: StartInvocationDeps, caller: Caller, { args }: StartInput): Promise<void> {
  const fields = new TemplateFields();
  const references = templatesIn(parseTexts(args, 'args', fields)).flatMap(referencesOf);
  fields.throwIfFailed();
  if (typeof args === 'string' && references.length === 0)
    throw invalid('args', 'must be an object or an array');
  await checkTokens(deps, caller, ARGS, references);
}

function payloadOf(caller: Caller, input: StartInput): InvocationPayload {
  const { args, timeoutMs, callbackUrl, service } = input;
  const { permissions, rules, credentialId, applicationId } = caller;
  const session = { id: credentialId, permissions, rules };
  return {
    args,
    timeoutMs,
    callbackUrl,
    service,
    applicationId,
    ...(caller.type === 'session' && { session }),
  };
}

/**
 * Accepts an invocation and answers with its id. The payload is kept sealed and the state written
 * before a message goes out, so that one that is lost is sent again by the sweep. Throws
 * `not_found`, `forbidden`, and `validation_failed` for what can be checked at once.
 */
export async function startInvocation(
  deps: StartInvocationDeps,
  caller: Caller,
  input: StartInput,
  writes: WriteIdentity,
): Promise<string> {
  checkInvoker(caller);
  checkCallback(input, deps.egressAllowList);
  await existingReactor(deps, caller.tenantId, input.reactorId);
  await checkArgs(deps, caller, input);
  const id = { tenantId: caller.tenantId, id: writes.newId() };
  const now = deps.clock();
  // An earlier attempt of this request was accepted, and its answer was lost: what it says counts.
  if (writes.startedAt !== undefined && (await deps.invocationStore.find(id)) !== undefined) return id.id;
  await keepPayload(deps, id, payloadOf(caller, input), now + CONTENT_MS);
  const isNew = await deps.invocationStore.create({
    ...id,
    reactorId: input.reactorId,
    credentialId: caller.credentialId,
    state: 'queued',
    createdAt: now,
    delivery: 'none',
    attempts: 0,
    dueAt: now + QUEUE_PATIENCE_MS,
    readableUntil: now + READABLE_MS,
  });
  // It is accepted: a message that does not go out now is sent by the sweep.
  if (isNew) await deps.invocationQueue.send(id).catch(() => undefined);
  return id.id;
}
