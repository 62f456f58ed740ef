import type { Way } from '../access/access-decision.ts';
import type { Caller } from '../access/caller.ts';
import { requireUse } from '../access/require-permission.ts';
import { parseDestination, type Destination, type EgressAllowList } from '../egress/destination.ts';
import type { EgressClient, HeaderFields, InboundResponse } from '../egress/egress-client.ts';
import type { Content } from '../shared/content.ts';
import { TemplateFields } from '../expressions/template-fields.ts';
import { Secret } from '../shared/secret.ts';
import type { BodyBytes } from '../shared/utf8.ts';
import { invalid, ServiceError } from '../shared/service-error.ts';
import { DETOKENIZED_MAX_BYTES } from '../tokens/detokenize.ts';
import { nameTokens, type NameTokensDeps } from '../tokens/name-tokens.ts';
import { resolveTokens, type ResolveTokensDeps } from '../tokens/resolve-tokens.ts';
import { formText } from './form-text.ts';
import { requestBody } from './request-body.ts';
import { checkSuffix } from './suffix.ts';
import { forwardedHeaders, requestHeaders, responseHeaders } from './request-headers.ts';

export interface ForwardDeps extends ResolveTokensDeps {
  readonly egress: EgressClient;
  readonly egressAllowList: EgressAllowList;
}

/** The destination that a caller of the ephemeral proxy names in a header. */
export interface NamedDestination {
  /** The value that the header has. */
  readonly destination: string | undefined;
  /** The name of the header, which errors show. */
  readonly destinationHeader: string;
}

/** A request that the proxy forwards. */
export interface ProxyRequest {
  readonly method: string;
  /** The rest of the path after `/proxy`, encoded; empty or starting with `/`. */
  readonly suffix: string;
  /** The unchanged query, without `?`. */
  readonly query: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Whether a field is for the service alone and never sent on. The name is in lower case. */
  readonly isReserved: (name: string) => boolean;
  /** Fields that the destination gets in addition to those of the caller. */
  readonly extraHeaders: HeaderFields;
  readonly body: Content;
  /** Names of the service, which are not allowed as a destination. */
  readonly ownHosts: readonly string[];
}

/**
 * Time limit for receiving the whole response, and its largest body
 * (docs/contract.md#the-response-of-the-destination).
 */
export const PROXY_LIMITS = { timeoutMs: 25_000, bodyMaxBytes: 6_000_000 } as const;

/**
 * Whether a body has any content coding but `identity` (RFC 9110, section 8.4; names of codings are
 * case-insensitive).
 */
export function isCompressed(contentEncoding: string): boolean {
  const codings = contentEncoding
    .toLowerCase()
    .split(',')
    .map((coding) => coding.trim());
  return codings.some((coding) => coding !== '' && coding !== 'identity');
}

/** Throws `forbidden` for a caller that may not use the proxy, of either kind, this way. */
export function checkProxyCaller(caller: Caller, way: Way): void {
  if (caller.type !== 'private' && caller.type !== 'session') {
    throw new ServiceError('forbidden', 'Only private applications and sessions use the proxy.');
  }
  requireUse(caller, way);
}

function checkCaller(caller: Caller): void {
  if (caller.tenantSettings?.ephemeralProxy !== true)
    throw new ServiceError(
      'forbidden',
      'The setting ephemeral_proxy of the tenant turns the ephemeral proxy off for all.',
    );
  checkProxyCaller(caller, 'named_by_caller');
}

function destinationOf(request: ProxyRequest & NamedDestination, allowList: EgressAllowList): Destination {
  const { destination, destinationHeader, ownHosts } = request;
  if (destination === undefined || destination === '') throw invalid(destinationHeader, 'is required');
  const parsed = parseDestination(destination, { allowList, ownHosts });
  if (typeof parsed === 'string') throw invalid(destinationHeader, parsed);
  return parsed;
}

/** Joins base path and suffix with one slash, and puts the base's own query first. */
export function targetOf(url: URL, suffix: string, query: string): string {
  const path = suffix === '' ? url.pathname : `${url.pathname.replace(/\/$/, '')}${suffix}`;
  const both = [url.search.slice(1), query].filter((part) => part !== '').join('&');
  return both === '' ? path : `${path}?${both}`;
}

/** The parts of a request that may have expressions. */
type Fillable = Pick<ProxyRequest, 'query' | 'headers' | 'isReserved' | 'body'>;

/** A request as the destination gets it. It may have plaintext. */
export interface FilledRequest {
  readonly query: string;
  readonly headers: HeaderFields;
  readonly body: BodyBytes;
}

/** The parsed parts of a request, and the tokens that its expressions refer to. */
function parsedRequest(request: Fillable, fields: TemplateFields) {
  const isEncoded = isCompressed(request.headers['content-encoding'] ?? '');
  const query = formText(request.query, 'query', fields);
  const headers = requestHeaders(request.headers, request.isReserved, fields);
  const body = requestBody(request.body, request.headers['content-type'] ?? '', isEncoded, fields);
  return {
    query,
    headers,
    body,
    references: [...query.references, ...headers.references, ...body.references],
  };
}

/** Names to the record the tokens of a request whose caller is refused before they are read. */
export async function nameForwarded(deps: NameTokensDeps, caller: Caller, request: Fillable): Promise<void> {
  const { references } = parsedRequest(request, new TemplateFields(deps.random.integer));
  await nameTokens(deps, caller.tenantId, references);
}

/**
 * Fills the plaintext into a request. The caller needs `token:use` for each token, by a rule that
 * admits this way. Throws `validation_failed` and `forbidden`.
 */
export async function fillRequest(
  deps: ResolveTokensDeps,
  caller: Caller,
  use: Way,
  request: Fillable,
): Promise<FilledRequest> {
  const fields = new TemplateFields(deps.random.integer);
  const { query, headers, body, references } = parsedRequest(request, fields);
  fields.throwIfFailed();

  const what = { right: { use }, maxBytes: DETOKENIZED_MAX_BYTES } as const;
  const tokens = await resolveTokens(deps, caller, what, references);
  const filling = { valueOf: tokens.valueOf, budget: fields.budget };
  const filled = {
    query: query.render(filling),
    headers: headers.render(filling),
    body: body.render(filling),
  };
  fields.throwIfFailed();
  return filled;
}

/** A request in which nothing is an expression. */
export const unfilledRequest = ({ query, headers, isReserved, body }: Fillable): FilledRequest => ({
  query,
  headers: forwardedHeaders(headers, isReserved),
  body: body.bytes,
});

/**
 * Fills in plaintext and forwards a request to the destination that its caller names. Throws
 * `validation_failed`, `forbidden` and errors of the egress client.
 */
export async function forward(
  deps: ForwardDeps,
  caller: Caller,
  request: ProxyRequest & NamedDestination,
): Promise<InboundResponse> {
  checkCaller(caller);
  const destination = destinationOf(request, deps.egressAllowList);
  checkSuffix(request.suffix);
  const { query, headers, body } = await fillRequest(deps, caller, 'named_by_caller', request);
  const response = await deps.egress.send({
    destination,
    method: request.method,
    target: new Secret(targetOf(destination.url, request.suffix, query)),
    headers: new Secret([...headers, ...request.extraHeaders]),
    body: new Secret(body),
    ...PROXY_LIMITS,
  });
  return { ...response, headers: returnedHeaders(response.headers, request) };
}

/** The fields of a response that the caller of a request gets. */
export const returnedHeaders = (
  fields: HeaderFields,
  { headers, isReserved }: Pick<ProxyRequest, 'headers' | 'isReserved'>,
): HeaderFields => responseHeaders(fields, isReserved, headers['origin'] !== undefined);
