import type { HeaderFields } from '../egress/egress-client.ts';
import type { TemplateFields } from '../expressions/template-fields.ts';
import { pairsOf, type ValuePlace } from './nested-places.ts';
import { combine, placedTemplate, verbatim, type Renderable } from './renderable.ts';
import type { Skeleton } from './skeleton.ts';

/**
 * Hop-by-hop fields (RFC 9110, section 7.6.1), fields that the connection sets itself, and fields
 * that the gateway adds.
 */
const NOT_FORWARDED = new Set([
  'host',
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'content-length',
  'expect',
  'forwarded',
  'x-forwarded',
  'x-amzn-trace-id',
  'x-amz-cf-id',
  'via',
]);
const NOT_FORWARDED_PREFIXES = ['x-forwarded-', 'cloudfront-'];

/**
 * Whether the field is forwarded. Fields of the gateway or of one connection are not; `connection`
 * names more of the latter.
 */
function isForwarded(name: string, connection: string): boolean {
  const named = connection
    .toLowerCase()
    .split(',')
    .map((part) => part.trim());
  return (
    !NOT_FORWARDED.has(name) &&
    !named.includes(name) &&
    !NOT_FORWARDED_PREFIXES.some((prefix) => name.startsWith(prefix))
  );
}

/** A name of a field (RFC 9110, section 5.6.2). */
const FIELD_NAME = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]{1,100}$/;

/** Fields by which some servers replace the method or the address of a request. */
const OVERRIDES = /^x-(?:http-method.*|(?:method|original|rewrite|envoy)(?:-.*)?)$/;

/**
 * Fields that change how a response comes back: encoded, or a part of it, in which no value is
 * recognized.
 */
const SHAPES_ANSWER = new Set([
  'accept-encoding',
  'accept-charset',
  'range',
  'request-range',
  'if-range',
  'x-ms-range',
  'a-im',
  'te',
]);

/**
 * The name of a field as some servers read it (CGI, RFC 3875, section 4.1.18): in lower case, and
 * with the same character for `-` and all others that are no letter or digit.
 */
export const readName = (name: string): string => name.toLowerCase().replaceAll(/[^\da-z]/g, '-');

/**
 * Whether a field of a caller, or of a reactor, reaches the destination of a stored proxy, however
 * its server reads the name.
 */
export function mayPass(name: string): boolean {
  const read = readName(name);
  return isForwarded(read, '') && !OVERRIDES.test(read) && !SHAPES_ANSWER.has(read);
}

/** Fields by which some servers choose host, path or the address of the client. */
const ROUTES =
  /^(?:x-(?:host|http-.*override.*|(?:original|rewrite|accel)-.*|override-url|http-destination-url|real-ip|client-ip|cluster-client-ip|url-scheme|sendfile)|base-url|true-client-ip|cf-connecting-ip|front-end-https)$/;

/**
 * Whether a field chooses where or how a request goes, however its server reads the name. Callers
 * of a stored proxy send none; its writer may.
 */
export const choosesRoute = (name: string): boolean => ROUTES.test(readName(name));

/** Whether a transform may name a field at all. */
export const isFieldName = (name: string): boolean => FIELD_NAME.test(name);

/** Whether a stored transform, or a reactor, may set a field. */
export function mayAppend(name: string, isReserved: (name: string) => boolean): boolean {
  const read = readName(name);
  return isFieldName(name) && mayPass(name) && !ORIGIN_WIDE.has(read) && !isReserved(read);
}

// Fields contain bytes. Text beyond ASCII is sent as UTF-8 (RFC 9110, section 5.5).
export const asFieldValue = (text: string): string => Buffer.from(text).toString('latin1');

/**
 * Rejects a value next to other text that could add a member, a parameter, or the end of a quoted
 * string.
 */
const inPart = (separators = ''): ValuePlace => ({
  refused: {
    pattern: new RegExp(`[,;"\\\\${separators}]`),
    reason: `puts a comma, semicolon, double quote, backslash${separators === '' ? '' : ' or another separator'} into other text`,
  },
  encodes: [],
});

/** Whether each placeholder is in double quotes, which no value can end. */
function areQuoted({ text, at }: Skeleton): readonly boolean[] {
  let from = 0;
  let isQuoted = false;
  return at.map((position) => {
    for (; from < position; from += 1)
      if (text[from] === '\\') from += 1;
      else if (text[from] === '"') isQuoted = !isQuoted;
    return isQuoted;
  });
}

/** A header value that is only one expression may be any text. */
function headerPlaces(skeleton: Skeleton): readonly ValuePlace[] {
  const { text, at } = skeleton;
  if (text.length === at.length && at.length === 1) return [{ encodes: [] }];
  const pairs = pairsOf(text);
  const quoted = inPart();
  const before = inPart(pairs?.before);
  const after = inPart(pairs?.after);
  const are = areQuoted(skeleton);
  return at.map((position, index) => {
    if (are[index] === true || pairs === undefined) return quoted;
    return position < pairs.equals ? before : after;
  });
}

function field(name: string, value: string, fields: TemplateFields): Renderable<readonly [string, string]> {
  if (!value.includes('{{')) return verbatim([name, value] as const);
  const template = placedTemplate(value, `headers.${name}`, fields, headerPlaces);
  return {
    references: template.references,
    render: (filling) => {
      const text = template.render(filling);
      if (/\p{Cc}/u.test(text)) fields.report(`headers.${name}`, 'becomes a value with control characters');
      return [name, asFieldValue(text)] as const;
    },
  };
}

/**
 * The fields for the destination, unchanged. `isReserved` selects the fields for the service alone,
 * which are not sent.
 */
export function forwardedHeaders(
  headers: Readonly<Record<string, string>>,
  isReserved: (name: string) => boolean,
): HeaderFields {
  return Object.entries(headers).filter(
    ([name]) => isForwarded(name, headers['connection'] ?? '') && !isReserved(name),
  );
}

/** As {@link forwardedHeaders}, with references filled in. */
export function requestHeaders(
  headers: Readonly<Record<string, string>>,
  isReserved: (name: string) => boolean,
  fields: TemplateFields,
): Renderable<HeaderFields> {
  return combine(
    forwardedHeaders(headers, isReserved).map(([name, value]) => field(name, value, fields)),
    (rendered) => rendered,
  );
}

/**
 * The value of a stored header, with references filled in. `isPart` means that other values follow
 * or precede it, so that none may end its own.
 */
export function headerText(
  value: string,
  path: string,
  isPart: boolean,
  fields: TemplateFields,
): Renderable<string> {
  const whole = inPart('=&: ');
  const places = (skeleton: Skeleton) => (isPart ? skeleton.at.map(() => whole) : headerPlaces(skeleton));
  return placedTemplate(value, path, fields, places);
}

/**
 * Fields that a browser applies to later requests to the origin of the response. That origin is
 * this service (docs/contract.md#the-response-of-the-destination).
 */
const ORIGIN_WIDE = new Set([
  'strict-transport-security',
  'nel',
  'report-to',
  'reporting-endpoints',
  'clear-site-data',
  'alt-svc',
  'public-key-pins',
  'public-key-pins-report-only',
]);

/**
 * The fields of a response that are returned to the caller. `isFromPage` means that the request has
 * an `Origin`, so a browser would store cookies for this service.
 */
export function responseHeaders(
  headers: HeaderFields,
  isReserved: (name: string) => boolean,
  isFromPage: boolean,
): HeaderFields {
  const connection = headers
    .filter(([name]) => name.toLowerCase() === 'connection')
    .map(([, value]) => value)
    .join(',');
  return headers.filter(([name]) => {
    const lower = name.toLowerCase();
    const bindsBrowser = ORIGIN_WIDE.has(lower) || (isFromPage && lower === 'set-cookie');
    return isForwarded(lower, connection) && !isReserved(lower) && !bindsBrowser;
  });
}
