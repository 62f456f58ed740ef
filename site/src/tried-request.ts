// The request that a form of the reference states.

export interface TriedParameter {
  readonly place: 'path' | 'query' | 'header';
  readonly name: string;
  readonly required: boolean;
  readonly description: string;
  readonly example: string;
  /** The only values, if there are any. */
  readonly choices: readonly string[];
}

/** An operation of the reference, as its page contains it. */
export interface TriedOperation {
  readonly operationId: string;
  /** Where the service is: an address, a path of the page's own origin, or nothing. */
  readonly api: string;
  readonly method: string;
  readonly path: string;
  readonly parameters: readonly TriedParameter[];
  /** The media type of the body; empty if the operation has none. */
  readonly mediaType: string;
  /** The codes of errors that have a page. */
  readonly errorCodes: readonly string[];
  readonly bodies: readonly { readonly summary: string; readonly text: string }[];
}

/** A request as a form states it. */
export interface Filled {
  readonly address: string;
  readonly key: string;
  /** The values that the parameters have, in their order. */
  readonly values: readonly string[];
  readonly body: string;
}

const KEY_HEADER = 'SVC-API-KEY';
/** The gateway responds within 30 s. */
const LONGEST_MS = 35_000;

/** Its message says what the reader has to change in a form. */
export class IncompleteForm extends Error {}

/** Throws {@link IncompleteForm} for no address, or one that would send the key in the clear. */
function baseOf(address: string): string {
  const base = URL.canParse(address) ? new URL(address) : undefined;
  const isLocal = base?.protocol === 'http:' && ['localhost', '127.0.0.1'].includes(base.hostname);
  if (base === undefined || (base.protocol !== 'https:' && !isLocal))
    throw new IncompleteForm('The address must be https, or http on this machine.');
  if (base.href !== base.origin + base.pathname)
    throw new IncompleteForm('The address must have no user, query or fragment.');
  return base.href.replace(/\/$/, '');
}

/** Encodes a value as one segment, or as several for the rest of a path. */
function segmentsOf({ name }: TriedParameter, value: string): string {
  const segments = name === 'suffix' ? value.split('/') : [value];
  // A browser would resolve them, and call another operation.
  if (segments.some((segment) => /^(?:\.|%2e){1,2}$/i.test(segment)))
    throw new IncompleteForm(`The address must have no ${value} as a segment.`);
  if (!value.isWellFormed()) throw new IncompleteForm(`${name} has a character that no address has.`);
  return segments.map(encodeURIComponent).join('/');
}

function headersOf(values: readonly (readonly [name: string, value: string])[]): Headers {
  const headers = new Headers();
  for (const [name, value] of values) {
    if (!/^[\x20-\x7e]*$/.test(value))
      throw new IncompleteForm(`${name} has a character that no header has.`);
    if (value !== '') headers.set(name, value);
  }
  return headers;
}

/**
 * The request of a filled form. Throws {@link IncompleteForm} for an address or a value that it
 * cannot have.
 */
export function requestOf(operation: TriedOperation, { address, key, values, body }: Filled): Request {
  const { method, path, parameters, mediaType } = operation;
  const base = baseOf(address);
  const filled = parameters.map((parameter, at) => ({ ...parameter, value: values[at] ?? '' }));
  const missing = filled.find(({ required, value }) => required && value === '');
  if (missing !== undefined) throw new IncompleteForm(`${missing.name} is missing.`);
  const route = filled
    .filter(({ place }) => place === 'path')
    .reduce((text, part) => text.replace(`{${part.name}}`, () => segmentsOf(part, part.value)), path);
  const url = new URL(base + route);
  for (const { place, name, value } of filled)
    if (place === 'query' && value !== '') url.searchParams.append(name, value);
  const headers = headersOf([
    [KEY_HEADER, key],
    ...filled
      .filter(({ place }) => place === 'header')
      .map(({ name, value }): [string, string] => [name, value]),
  ]);
  const hasBody = mediaType !== '' && body.trim() !== '';
  if (hasBody) headers.set('Content-Type', mediaType);
  return new Request(url, {
    method,
    headers,
    credentials: 'omit',
    cache: 'no-store',
    redirect: 'error',
    referrerPolicy: 'no-referrer',
    signal: AbortSignal.timeout(LONGEST_MS),
    ...(hasBody && { body }),
  });
}
