import { createHash, createHmac } from 'node:crypto';
import { applicationExists } from '../applications/get-application.ts';
import type { ApplicationGrantsStore } from '../applications/application-store.ts';
import type { Caller } from '../access/caller.ts';
import type { InboundResponse } from '../egress/egress-client.ts';
import { parseDestination, type Destination } from '../egress/destination.ts';
import type { IdempotencyStore } from '../idempotency/idempotency-store.ts';
import { LEASE_MARGIN_MS, runClaimed, stillRunning } from '../idempotency/run-claimed.ts';
import {
  checkProxyCaller,
  fillRequest,
  isCompressed,
  PROXY_LIMITS,
  returnedHeaders,
  targetOf,
  unfilledRequest,
  type ForwardDeps,
  type ProxyRequest,
} from '../proxy/forward.ts';
import { asFieldValue, mayPass } from '../proxy/request-headers.ts';
import { checkStrictSuffix } from '../proxy/suffix.ts';
import type { RunReactorDeps } from '../reactors/run-reactor.ts';
import { defined } from '../shared/defined.ts';
import type { Json } from '../shared/json.ts';
import { Secret } from '../shared/secret.ts';
import { invalid, ServiceError } from '../shared/service-error.ts';
import { randomIdentity, repeatableIdentity, type WriteIdentity } from '../shared/write-identity.ts';
import { admitsPath } from './admitted-path.ts';
import type { Message } from './message.ts';
import type { ReactorCall } from './reactor-step.ts';
import { createRemover, type Remover } from './reflected-values.ts';
import { runTransforms } from './run-transforms.ts';
import { openConfiguration } from './open-proxy.ts';
import type { OpenConfiguration, Proxy, VerifySignature } from './stored-proxy.ts';
import { createTransformBudget } from './transform-budget.ts';
import { verifySignature } from './verify-signature.ts';

export interface CallProxyDeps extends ForwardDeps, RunReactorDeps {
  readonly applicationGrantsStore: ApplicationGrantsStore;
  readonly idempotencyStore: IdempotencyStore;
}

/** A call through a stored proxy. */
export interface ProxyCall extends ProxyRequest {
  /** How long the function may run from the start of the request, in ms. */
  readonly remainingMs: number;
  /** How the code of reactors reaches the service. */
  readonly service: ReactorCall['service'];
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

/** A call with everything that its steps need. */
interface Running {
  readonly caller: Caller;
  readonly acting: Caller;
  readonly proxy: Proxy;
  readonly call: ProxyCall;
  readonly destination: Destination;
  readonly configuration: OpenConfiguration;
  readonly deadline: number;
}

/** The request as the caller wrote it. Only with `requireAuth` its expressions are evaluated. */
async function requestMessage(deps: CallProxyDeps, { caller, proxy, call }: Running) {
  const { stored, definition } = proxy;
  const request = { ...call, isReserved: (name: string) => call.isReserved(name) || !mayPass(name) };
  const filled = definition.requireAuth
    ? await fillRequest(deps, caller, { proxy: stored.id }, request)
    : unfilledRequest(request);
  const { query, headers, body } = filled;
  const message: Message = { method: call.method, path: call.suffix, headers, deferred: [], body };
  return { message, query };
}

/** The headers of a request, with the values of the configuration, which are filled in last. */
function finalHeaders({ headers, deferred }: Message, configuration: OpenConfiguration) {
  const values = configuration.reveal();
  const filled = deferred.map(({ name, pieces }) => {
    const texts = pieces.map((piece) =>
      typeof piece === 'string' ? piece : (values[piece.configuration]?.value ?? ''),
    );
    return [name, asFieldValue(texts.join(''))] as const;
  });
  return [...headers, ...filled];
}

async function send(
  deps: CallProxyDeps,
  running: Running,
  message: Message,
  query: string,
): Promise<InboundResponse> {
  const { call, destination, configuration, deadline, proxy } = running;
  const { clientCertificate } = proxy.definition;
  const pem = clientCertificate === undefined ? undefined : configuration.reveal()[clientCertificate]?.value;
  const timeoutMs = deadline - deps.clock();
  if (timeoutMs <= 0) throw new ServiceError('destination_timeout', 'The time of the call is over.');
  const response = await deps.egress.send({
    destination,
    method: message.method,
    target: new Secret(targetOf(destination.url, message.path, query)),
    headers: new Secret([
      ...finalHeaders(message, configuration),
      ...call.extraHeaders,
      ['Accept-Encoding', 'identity'],
    ]),
    body: new Secret(message.body),
    ...(pem !== undefined && { clientCertificate: new Secret(pem) }),
    bodyMaxBytes: PROXY_LIMITS.bodyMaxBytes,
    timeoutMs,
  });
  const encodings = response.headers.filter(([name]) => name.toLowerCase() === 'content-encoding');
  if (encodings.some(([, value]) => isCompressed(value)))
    throw new ServiceError(
      'destination_unreachable',
      'The destination encoded its answer although it was asked not to.',
    );
  return response;
}

/**
 * Removes the secrets of a configuration from an answer. A header whose name has one is removed.
 */
function scrubbed(answer: Message, remover: Remover | undefined): Message {
  if (remover === undefined) return answer;
  const clean = (text: string) => remover.bytes(Buffer.from(text, 'latin1')).toString('latin1');
  return {
    ...answer,
    headers: answer.headers
      .filter(([name]) => clean(name) === name)
      .map(([name, value]) => [name, clean(value)] as const),
    body: remover.bytes(answer.body),
  };
}

function removerOf(configuration: OpenConfiguration): Remover | undefined {
  const secrets = Object.values(configuration.reveal()).filter(({ isPublic }) => !isPublic);
  if (secrets.length === 0) return undefined;
  return createRemover(secrets.map(({ value }) => value));
}

/** Sends the request once, and returns the answer after the transforms. */
async function exchange(
  deps: CallProxyDeps,
  running: Running,
  writes: WriteIdentity,
): Promise<InboundResponse> {
  const { acting, proxy, call, configuration, deadline } = running;
  const { requestTransforms, responseTransforms } = proxy.definition;
  const { isReserved, service } = call;
  const budget = createTransformBudget(deps.clock, deadline);
  const side = { acting, proxy, isReserved, service, deadline, writes, budget };
  const { message, query } = await requestMessage(deps, running);
  const request = await runTransforms(deps, requestTransforms, message, { ...side, isSent: false });
  const response = await send(deps, running, request, query);
  const remover = removerOf(configuration);
  const returned: Message = {
    method: request.method,
    path: request.path,
    deferred: [],
    status: response.status,
    headers: returnedHeaders(response.headers, call),
    body: response.body,
  };
  const changed = await runTransforms(deps, responseTransforms, scrubbed(returned, remover), {
    ...side,
    isSent: true,
  });
  const { headers, body } = responseTransforms.length === 0 ? changed : scrubbed(changed, remover);
  return { status: response.status, headers, body };
}

/** The identity of a signed delivery. Throws `unauthenticated` for any other request. */
function deliveryOf(
  deps: CallProxyDeps,
  { call, configuration }: Running,
  transform: VerifySignature,
): string {
  const { value } = configuration.reveal()[transform.configuration] ?? { value: '' };
  const request = { headers: call.headers, body: call.body.bytes };
  const delivery = verifySignature(transform.scheme, new Secret(value), request, deps.clock());
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
 * Passes a delivery on once: a success is remembered for a day, as its status, and answers a
 * repeat. Throws `conflict` while the first attempt runs.
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
  return runClaimed(store, scope, claim, async () => {
    const response = await exchange(deps, running, repeatableIdentity(seed, claim.startedAt));
    if (response.status < 200 || response.status > 299) await store.release(scope, claim.attempt, false);
    else {
      const status = await deps.vault.encrypt(
        contextOf(tenantId, request),
        new Secret<Json>(response.status),
      );
      await store.keep(scope, claim.attempt, status, { now: deps.clock() });
    }
    return response;
  });
}

/**
 * Runs a call through a stored proxy: checks what the caller asks for, fills in and transforms the
 * request, sends it to the proxy's destination, and transforms the answer. Values of the
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
  const running = { caller, acting, proxy, call, destination, configuration, deadline };
  const [first] = proxy.definition.requestTransforms;
  if (first?.type !== 'verify_signature') return exchange(deps, running, randomIdentity(deps.random));
  return passOnce(deps, running, deliveryOf(deps, running, first));
}
