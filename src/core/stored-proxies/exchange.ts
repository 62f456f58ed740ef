import type { Caller } from '../access/caller.ts';
import type { Destination } from '../egress/destination.ts';
import type { HeaderFields, InboundResponse } from '../egress/egress-client.ts';
import {
  fillRequest,
  isCompressed,
  PROXY_LIMITS,
  returnedHeaders,
  targetOf,
  unfilledRequest,
  type ForwardDeps,
  type ProxyRequest,
} from '../proxy-expressions/forward.ts';
import { asFieldValue, choosesRoute, mayPass, readName } from '../proxy-expressions/request-headers.ts';
import type { RunReactorDeps } from '../reactors/run-reactor.ts';
import { Secret } from '../shared/secret.ts';
import { invalid, ServiceError } from '../shared/service-error.ts';
import { bytesOfBody } from '../shared/utf8.ts';
import type { WriteIdentity } from '../shared/write-identity.ts';
import { DETOKENIZED_MAX_BYTES } from '../tokens/detokenize.ts';
import { readingOnce } from '../tokens/reading-once.ts';
import { createTokenResolver } from '../tokens/resolve-tokens.ts';
import { headersOf, withEachHeader, type Message } from './message.ts';
import {
  responseHeaders,
  headersOfFailure,
  hides,
  isMasked,
  joinedHeaders,
  requestWithoutDigests,
} from './message-headers.ts';
import type { ReactorCall } from './reactor-step.ts';
import type { Remover } from './reflected-values.ts';
import { runTransforms } from './run-transforms.ts';
import { configuredValue, type OpenConfiguration, type Proxy } from './stored-proxy.ts';
import { createTransformBudget } from './transform-budget.ts';
import { TransformError, type VisibleResponse } from './transform-failure.ts';

export interface ExchangeDeps extends ForwardDeps, RunReactorDeps {}

/** A call through a stored proxy. */
export interface ProxyCall extends ProxyRequest {
  /** How long the function may run from the start of the request, in ms. */
  readonly remainingMs: number;
  /** How the code of reactors reaches the service. */
  readonly service: ReactorCall['service'];
  readonly traceId: string;
  /** The address of the service with path and query, as the caller asked for them. */
  readonly url: string;
}

/** A call with everything that its steps need. */
export interface Running {
  readonly caller: Caller;
  readonly acting: Caller;
  readonly proxy: Proxy;
  readonly call: ProxyCall;
  readonly destination: Destination;
  readonly configuration: OpenConfiguration;
  /** Removes the secrets of the proxy; absent if it has none. */
  readonly remover: Remover | undefined;
  readonly deadline: number;
  /** Runs while the request is under way. A call that sends none does not run it. */
  readonly meanwhile: () => Promise<void>;
}

/** Fields that ask for a response only if a body is, or is not, the one that the caller names. */
const ASKS_ABOUT_BODY = /(?:^|-)(?:if|want)(?:-|$)/;

/**
 * Whether a field of the caller stays away from the destination. Throws `validation_failed` for a
 * condition on what the proxy hides, where a request without it would do something else.
 */
function isWithheld(name: string, { proxy: { definition }, call, remover }: Running): boolean {
  const read = readName(name);
  if (call.isReserved(read) || !mayPass(name) || choosesRoute(name)) return true;
  if (read === 'accept') return isMasked(definition);
  if (!ASKS_ABOUT_BODY.test(read) || !(hides(definition) || remover !== undefined)) return false;
  if (call.method === 'GET') return true;
  throw invalid(name, 'is not for this proxy, whose answers are not the ones that the destination sends');
}

/** The request as the caller wrote it. Only with `requireAuth` its expressions are evaluated. */
async function requestMessage(deps: ExchangeDeps, running: Running) {
  const { caller, proxy, call } = running;
  const { stored, definition } = proxy;
  const request = {
    ...call,
    isReserved: (name: string) => call.isReserved(name) || isWithheld(name, running),
  };
  const filled = definition.requireAuth
    ? await fillRequest(deps, caller, { proxy: stored.id }, request)
    : unfilledRequest(request);
  const { query, headers, body } = filled;
  const message: Message = {
    method: call.method,
    path: call.suffix,
    headers,
    ownHeaders: [],
    deferred: [],
    body: bytesOfBody(body),
  };
  return { message, query };
}

/** The headers of a request, with the values of the configuration, which are filled in last. */
function finalHeaders(message: Message, configuration: OpenConfiguration): HeaderFields {
  const values = configuration.reveal();
  const filled = message.deferred.map(({ name, pieces }) => {
    const texts = pieces.map((piece) =>
      typeof piece === 'string' ? piece : configuredValue(values, piece.configuration),
    );
    return [name, asFieldValue(texts.join(''))] as const;
  });
  return [...headersOf(message), ...filled];
}

async function send(
  deps: ExchangeDeps,
  running: Running,
  message: Message,
  query: string,
): Promise<InboundResponse> {
  const { call, destination, configuration, deadline, proxy } = running;
  const { clientCertificate } = proxy.definition;
  const pem =
    clientCertificate === undefined ? undefined : configuredValue(configuration.reveal(), clientCertificate);
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
 * Removes the secrets of a configuration from a response. A header whose name has one is removed. A
 * body that is `clean` is not searched again. Throws `transform_failed` for a response that has
 * them too often.
 */
export function scrubbed(
  response: Message,
  remover: Remover | undefined,
  headers: VisibleResponse['headers'] = {},
  clean?: Buffer,
): Message {
  if (remover === undefined) return response;
  const without = (text: string) => remover.bytes(Buffer.from(text, 'latin1')).toString('latin1');
  try {
    return {
      ...withEachHeader(response, (name, value) => (without(name) === name ? without(value) : undefined)),
      body: response.body === clean ? clean : remover.bytes(response.body),
    };
  } catch (error) {
    if (!(error instanceof TransformError)) throw error;
    throw new ServiceError('transform_failed', `The removal of secrets failed: ${error.message}.`, {
      headers,
      destinationStatus: response.status,
    });
  }
}

/** A response as the destination sent it, with fields of one name joined. */
const responseMessage = (request: Message, { status, headers, body }: InboundResponse, call: ProxyCall) => ({
  method: request.method,
  path: request.path,
  status,
  headers: joinedHeaders(returnedHeaders(headers, call)),
  ownHeaders: [],
  deferred: [],
  body,
});

/** Sends the request once, and returns the response after the transforms. */
export async function exchange(
  deps: ExchangeDeps,
  running: Running,
  writes: WriteIdentity,
): Promise<InboundResponse> {
  const { acting, proxy, call, remover, deadline } = running;
  const { definition, stored } = proxy;
  const { isReserved, service } = call;
  // A token that the caller and the transforms use is read once, and decided for each of them.
  const reading = { ...deps, tokenStore: readingOnce(deps.tokenStore) };
  const what = { right: { use: { proxy: stored.id } }, maxBytes: DETOKENIZED_MAX_BYTES } as const;
  const side = {
    acting,
    proxy,
    isReserved,
    service,
    deadline,
    writes,
    budget: createTransformBudget(deps.random.integer),
    resolve: createTokenResolver(reading, acting, what),
  };
  const { message, query } = await requestMessage(reading, running);
  const transformed = await runTransforms(reading, definition.requestTransforms, message, side);
  const request = requestWithoutDigests(message, transformed, definition);
  const [response] = await Promise.all([send(deps, running, request, query), running.meanwhile()]);
  const returned = scrubbed(responseMessage(request, response, call), remover);
  const { responseTransforms } = definition;
  const part = { status: response.status, headers: headersOfFailure(returned, responseTransforms) };
  const changed = await runTransforms(reading, responseTransforms, returned, { ...side, response: part });
  const last =
    responseTransforms.length === 0 ? changed : scrubbed(changed, remover, part.headers, returned.body);
  const isBodyChanged = !last.body.equals(response.body);
  return {
    status: response.status,
    headers: responseHeaders(definition, last, isBodyChanged),
    body: last.body,
  };
}
