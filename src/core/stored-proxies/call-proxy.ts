import { createHash, createHmac } from 'node:crypto';
import { applicationExists } from '../applications/get-application.ts';
import type { ApplicationGrantsStore } from '../applications/application-store.ts';
import type { Caller } from '../access/caller.ts';
import type { InboundResponse } from '../egress/egress-client.ts';
import { parseDestination, type Destination } from '../egress/destination.ts';
import { LEASE_MARGIN_MS, runClaimed, stillRunning } from '../idempotency/run-claimed.ts';
import { checkProxyCaller, isCompressed } from '../proxy-expressions/forward.ts';
import { readName } from '../proxy-expressions/request-headers.ts';
import { checkStrictSuffix } from '../proxy-expressions/suffix.ts';
import { defined } from '../shared/defined.ts';
import type { Json } from '../shared/json.ts';
import { Secret } from '../shared/secret.ts';
import { invalid, ServiceError } from '../shared/service-error.ts';
import { randomIdentity, repeatableIdentity, type WriteIdentity } from '../shared/write-identity.ts';
import { admitsPath } from './admitted-path.ts';
import { exchange, type ExchangeDeps, type ProxyCall, type Running } from './exchange.ts';
import { reportGuesses, type GuessDeps } from './guessed-secrets.ts';
import { openConfiguration, openRetired, originOf } from './open-proxy.ts';
import type { ProxyFailureStore } from './proxy-failure-store.ts';
import { isSuccess } from './mask-body.ts';
import { createRemover, type Remover } from './reflected-values.ts';
import { hiddenValues } from './retired-secrets.ts';
import { configuredValue, type OpenConfiguration, type Proxy, type VerifySignature } from './stored-proxy.ts';
import { FailedTransformError } from './transform-failure.ts';
import { verifySignature } from './verify-signature.ts';

export interface CallProxyDeps extends ExchangeDeps, GuessDeps {
  readonly applicationGrantsStore: ApplicationGrantsStore;
  readonly proxyFailureStore: Pick<ProxyFailureStore, 'add'>;
}

/** Throws `forbidden` for what a proxy does not admit, and `validation_failed` for a wrong path. */
function checkAdmitted({ definition }: Proxy, { method, suffix }: ProxyCall): void {
  checkStrictSuffix(suffix);
  const { methods } = definition;
  if (methods !== undefined && !methods.some((each) => each === method))
    throw new ServiceError('forbidden', 'The proxy does not admit this method.');
  if (!admitsPath(definition, suffix))
    throw new ServiceError('forbidden', 'The proxy does not admit this path.');
}

/** Throws `forbidden` for a caller that must not call this proxy. */
function checkCaller(caller: Caller, { stored, definition }: Proxy): void {
  if (definition.requireAuth) checkProxyCaller(caller, { proxy: stored.id });
  const runsCode = [...definition.requestTransforms, ...definition.responseTransforms].some(
    ({ type }) => type === 'reactor',
  );
  if (caller.actsBy === 'invocation' && runsCode)
    throw new ServiceError('forbidden', 'The credential of an invocation calls no proxy that runs reactors.');
}

/**
 * The caller whose rights the transforms use: the proxy's application, or the caller. Rights never
 * unite. Throws `conflict` for a proxy whose application is gone.
 */
async function actingCaller(
  deps: CallProxyDeps,
  caller: Caller,
  { stored, definition }: Proxy,
): Promise<Caller> {
  const { applicationId } = definition;
  if (applicationId === undefined) return { ...caller, actsBy: 'proxy' };
  const { tenantId, id } = stored;
  const [grants] = await deps.applicationGrantsStore.grants(tenantId, [applicationId]);
  if (grants === undefined || !applicationExists(grants, deps.clock()))
    throw new ServiceError('conflict', 'The proxy is closed: its application does not exist any more.');
  const { type, permissions, rules } = grants;
  const { tenantSettings } = caller;
  return defined({
    tenantId,
    credentialId: `proxy:${id}`,
    applicationId,
    type,
    permissions,
    rules,
    actsBy: 'proxy' as const,
    tenantSettings,
  });
}

function destinationOf(deps: CallProxyDeps, { definition }: Proxy, { ownHosts }: ProxyCall): Destination {
  const parsed = parseDestination(definition.destinationUrl, { allowList: deps.egressAllowList, ownHosts });
  if (typeof parsed === 'string') throw invalid('destination_url', parsed);
  return parsed;
}

/** The identity of a signed delivery. Throws `unauthenticated` for any other request. */
function deliveryOf(
  deps: CallProxyDeps,
  { call, configuration }: Running,
  transform: VerifySignature,
): string {
  const value = configuredValue(configuration.reveal(), transform.configuration);
  const request = { headers: call.headers, body: call.body.bytes, url: call.url };
  const delivery = verifySignature(transform, new Secret(value), request, deps.worldClock());
  if (delivery !== undefined) return delivery.id;
  throw new ServiceError('unauthenticated', 'The request is not signed as the proxy expects, or not now.');
}

/** The identity alone decides: senders write other bytes in a repeat. */
const ANY_BODY = createHash('sha256').update('').digest();

const contextOf = (tenantId: string, request: string) => ({
  tenantId,
  recordId: request,
  field: 'proxy-delivery',
});

/**
 * Passes a delivery on once. The status of a success is stored for a day, and a repeat gets it,
 * whether the response could be shown or not. Throws `conflict` while the first attempt runs.
 */
async function passOnce(deps: CallProxyDeps, running: Running, deliveryId: string): Promise<InboundResponse> {
  const { proxy, call } = running;
  const { tenantId, id } = proxy.stored;
  const text = JSON.stringify(['proxy', id, deliveryId]);
  const request = createHash('sha256').update(text).digest('base64url');
  const scope = { tenantId, request };
  const store = deps.idempotencyStore;
  const now = deps.clock();
  const claim = await store.claim(scope, ANY_BODY, {
    now,
    leaseUntil: now + call.remainingMs + LEASE_MARGIN_MS,
  });
  if (claim.state === 'stored') {
    const opened = await deps.vault.decrypt(contextOf(tenantId, request), claim.encryptedResponse);
    return { status: Number(opened.reveal()), headers: [], body: Buffer.alloc(0) };
  }
  if (claim.state === 'running')
    throw stillRunning('The first attempt of this delivery', claim.leaseUntil, now);
  if (claim.state !== 'claimed') throw new ServiceError('conflict', 'The delivery has already run.');
  // A repeat with another body makes other tokens.
  const seed = createHmac('sha256', claim.seed).update(call.body.bytes).digest();
  const { response, failure } = await runClaimed(store, scope, claim, async () => {
    const outcome = await attempt(deps, running, repeatableIdentity(seed, claim.startedAt));
    if (!isSuccess(outcome.status)) await store.release(scope, claim.attempt, false);
    else {
      const status = new Secret<Json>(outcome.status);
      const encrypted = await deps.vault.encrypt(contextOf(tenantId, request), status);
      await store.keep(scope, claim.attempt, encrypted, { now: deps.clock() });
    }
    return outcome;
  });
  if (response === undefined) throw failure;
  return response;
}

/** How a destination responded, whether its response can be shown or not. */
type Outcome =
  | { readonly status: number; readonly response: InboundResponse; readonly failure?: undefined }
  | { readonly status: number; readonly response?: undefined; readonly failure: ServiceError };

/** Throws a failure before the destination responded: a repeat may send the request. */
async function attempt(deps: CallProxyDeps, running: Running, writes: WriteIdentity): Promise<Outcome> {
  try {
    const response = await exchange(deps, running, writes);
    return { status: response.status, response };
  } catch (failure) {
    if (!(failure instanceof ServiceError) || failure.destinationStatus === undefined) throw failure;
    return { status: failure.destinationStatus, failure };
  }
}

/**
 * Creates the remover of the secrets that a proxy has or had in the last 30 days; absent if it has
 * none.
 */
async function removerOf(
  deps: CallProxyDeps,
  { stored, definition }: Proxy,
  configuration: OpenConfiguration,
): Promise<Remover | undefined> {
  const at = { origin: originOf(definition), author: stored.secretAuthor, now: deps.clock() };
  const values = hiddenValues(configuration, await openRetired(deps.vault, stored), at);
  return values.length === 0 ? undefined : createRemover(values);
}

/** Throws `unsupported_media_type` for a body in which no secret could be found. */
function checkReadable({ headers }: ProxyCall, remover: Remover | undefined): void {
  const isEncoded = Object.entries(headers).some(
    ([name, value]) => readName(name) === 'content-encoding' && isCompressed(value),
  );
  if (remover === undefined || !isEncoded) return;
  throw new ServiceError(
    'unsupported_media_type',
    'The proxy has secrets, so it takes no request with a content encoding.',
  );
}

/** Stores what the readers of a proxy see of a failed transform, and its caller does not. */
async function recordFailure(deps: CallProxyDeps, { proxy, call }: Running, error: unknown): Promise<void> {
  if (!(error instanceof FailedTransformError)) return;
  const { tenantId, id } = proxy.stored;
  const failure = { ...error.failure, traceId: call.traceId, at: deps.clock() };
  try {
    await deps.proxyFailureStore.add({ tenantId, proxyId: id }, failure);
  } catch (thrown) {
    // The caller has to know of the failure of the transform, whether it was stored or not.
    if (!(thrown instanceof ServiceError)) throw thrown;
  }
}

function run(deps: CallProxyDeps, running: Running): Promise<InboundResponse> {
  const [first] = running.proxy.definition.requestTransforms;
  return first?.type === 'verify_signature'
    ? passOnce(deps, running, deliveryOf(deps, running, first))
    : exchange(deps, running, randomIdentity(deps.random));
}

/**
 * Runs a call through a stored proxy: checks what the caller asks for, fills in and transforms the
 * request, sends it to the proxy's destination, and transforms the response. Values of the
 * configuration do not come back. Throws `forbidden`, `validation_failed`, `unauthenticated` for a
 * wrong signature, `conflict`, `transform_failed`, and errors of the egress client.
 */
export async function callProxy(
  deps: CallProxyDeps,
  caller: Caller,
  proxy: Proxy,
  call: ProxyCall,
): Promise<InboundResponse> {
  const deadline = deps.clock() + proxy.definition.timeoutSeconds * 1000;
  checkCaller(caller, proxy);
  checkAdmitted(proxy, call);
  const destination = destinationOf(deps, proxy, call);
  const [acting, configuration] = await Promise.all([
    actingCaller(deps, caller, proxy),
    openConfiguration(deps.vault, proxy),
  ]);
  const remover = await removerOf(deps, proxy, configuration);
  checkReadable(call, remover);
  const opened = { caller, acting, proxy, call, destination, configuration, remover, deadline };
  // A call that is not sent confirms no guess, also not by the time that a report takes.
  const running = { ...opened, meanwhile: () => reportGuesses(deps, opened) };
  try {
    return await run(deps, running);
  } catch (error) {
    await recordFailure(deps, running, error);
    throw error;
  }
}
