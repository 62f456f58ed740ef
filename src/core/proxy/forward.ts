import type { Caller } from '../access/caller.ts';
import { requireUse } from '../access/require-permission.ts';
import { parseDestination, type Destination, type EgressAllowList } from '../egress/destination.ts';
import type { EgressClient, HeaderFields, InboundResponse } from '../egress/egress-client.ts';
import type { Content } from '../shared/content.ts';
import { TemplateFields } from '../expressions/template-fields.ts';
import { defined } from '../shared/defined.ts';
import { Secret } from '../shared/secret.ts';
import { invalid, ServiceError } from '../shared/service-error.ts';
import { DETOKENIZED_MAX_BYTES } from '../tokens/detokenize.ts';
import { resolveTokens, type ResolveTokensDeps } from '../tokens/resolve-tokens.ts';
import { formText } from './form-text.ts';
import { requestBody } from './request-body.ts';
import { requestHeaders, responseHeaders } from './request-headers.ts';
import { combine, type Renderable } from './renderable.ts';

export interface ForwardDeps extends ResolveTokensDeps {
  readonly egress: EgressClient;
  readonly egressAllowList: EgressAllowList;
}

/** A request that names its destination in a header. */
export interface ProxyRequest {
  readonly method: string;
  /** The value of the header that names the destination. */
  readonly destination: string | undefined;
  /** The name of the header above, which errors show. */
  readonly destinationHeader: string;
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
  /** Host of the service, which is not allowed as a destination. */
  readonly ownHost: string | undefined;
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
function isCompressed(contentEncoding: string): boolean {
  const codings = contentEncoding
    .toLowerCase()
    .split(',')
    .map((coding) => coding.trim());
  return codings.some((coding) => coding !== '' && coding !== 'identity');
}

function checkCaller(caller: Caller): void {
  if (caller.tenantSettings?.ephemeralProxy !== true)
    throw new ServiceError(
      'forbidden',
      'The setting ephemeral_proxy of the tenant turns the ephemeral proxy off for all.',
    );
  if (caller.type !== 'private' && caller.type !== 'session') {
    throw new ServiceError('forbidden', 'Only private applications and sessions use the proxy.');
  }
  requireUse(caller, 'named_by_caller');
}

function destinationOf(request: ProxyRequest, allowList: EgressAllowList): Destination {
  const { destination, destinationHeader, ownHost } = request;
  if (destination === undefined || destination === '') throw invalid(destinationHeader, 'is required');
  const parsed = parseDestination(destination, defined({ allowList, ownHost }));
  if (typeof parsed === 'string') throw invalid(destinationHeader, parsed);
  return parsed;
}

/**
 * Refuses segments that some server resolves against the base path, so that a caller who adds a
 * path stays below that of the destination. RFC 3986, section 5.2.4 has the segments. Servers may
 * also accept parameters after `;`, a backslash as separator, and blanks or control characters.
 */
function checkSuffix(suffix: string): void {
  const path = decodeURIComponent(suffix).replaceAll(/[\s\p{Cc}]/gu, '');
  if (/(?:^|[/\\])\.{1,2}(?:[/\\;]|$)/.test(path))
    throw invalid('path', 'must not contain a segment . or .. below /proxy');
}

/** Joins base path and suffix with one slash, and puts the base's own query first. */
function targetOf(url: URL, suffix: string, query: Renderable<string>): Renderable<string> {
  const path = suffix === '' ? url.pathname : `${url.pathname.replace(/\/$/, '')}${suffix}`;
  const own = url.search.slice(1);
  return combine([query], ([rendered = '']) => {
    const both = [own, rendered].filter((part) => part !== '').join('&');
    return both === '' ? path : `${path}?${both}`;
  });
}

/**
 * Fills in plaintext and forwards a request. The caller needs `token:use` for each token or,
 * without tokens, on some container. Throws `validation_failed`, `forbidden` and errors of the
 * egress client.
 */
export async function forward(
  deps: ForwardDeps,
  caller: Caller,
  request: ProxyRequest,
): Promise<InboundResponse> {
  checkCaller(caller);
  const destination = destinationOf(request, deps.egressAllowList);
  checkSuffix(request.suffix);
  const fields = new TemplateFields(deps.random.integer);
  const isEncoded = isCompressed(request.headers['content-encoding'] ?? '');
  const target = targetOf(destination.url, request.suffix, formText(request.query, 'query', fields));
  const headers = requestHeaders(request.headers, request.isReserved, fields);
  const body = requestBody(request.body, request.headers['content-type'] ?? '', isEncoded, fields);
  fields.throwIfFailed();

  const references = [...target.references, ...headers.references, ...body.references];
  const what = { right: { use: 'named_by_caller' }, maxBytes: DETOKENIZED_MAX_BYTES } as const;
  const tokens = await resolveTokens(deps, caller, what, references);
  const filling = { valueOf: tokens.valueOf, budget: fields.budget };
  const rendered = {
    target: target.render(filling),
    headers: headers.render(filling),
    body: body.render(filling),
  };
  fields.throwIfFailed();

  const response = await deps.egress.send({
    destination,
    method: request.method,
    target: new Secret(rendered.target),
    headers: new Secret([...rendered.headers, ...request.extraHeaders]),
    body: new Secret(rendered.body),
    ...PROXY_LIMITS,
  });
  const isFromPage = request.headers['origin'] !== undefined;
  return { ...response, headers: responseHeaders(response.headers, request.isReserved, isFromPage) };
}
