import type { HeaderFields } from '../egress/egress-client.ts';
import { isDigestField, isListedField } from '../proxy-expressions/listed-fields.ts';
import { readName } from '../proxy-expressions/request-headers.ts';
import { maskCardNumbers } from './card-numbers.ts';
import { headersOf, type Message } from './message.ts';
import type { ProxyDefinition, Transform } from './stored-proxy.ts';

/*
 * These headers leave with a body (docs/contract.md#headers-of-a-proxy-that-hides): a header can be
 * any function of the body, so it can undo what a transform does.
 */

const HIDING: ReadonlySet<Transform['type']> = new Set(['mask', 'tokenize', 'reactor']);

/** These decide how a proxy treats responses. */
interface ResponseTransforms {
  readonly responseTransforms: readonly Pick<Transform, 'type'>[];
}

/** Whether callers get responses without something that the destination sent. */
export const hides = ({ responseTransforms }: ResponseTransforms): boolean =>
  responseTransforms.some(({ type }) => HIDING.has(type));

/** Whether a mask searches the responses of a proxy, whose form no caller may choose. */
export const isMasked = ({ responseTransforms }: ResponseTransforms): boolean =>
  responseTransforms.some(({ type }) => type === 'mask');

/**
 * The headers of a response after all transforms. Where the proxy hides, a header that arrived
 * passes by the list or the proxy's own; elsewhere only what describes a changed body leaves.
 */
export function responseHeaders(
  definition: Pick<ProxyDefinition, 'responseTransforms' | 'passHeaders'>,
  response: Message,
  isBodyChanged: boolean,
): HeaderFields {
  const { passHeaders = [] } = definition;
  if (!hides(definition))
    return headersOf(response).filter(
      ([name], at) => !isBodyChanged || at >= response.headers.length || !isDigestField(name),
    );
  const passed = new Set(passHeaders.map((name) => name.toLowerCase()));
  const arrived = response.headers.filter(([name]) => isListedField(name) || passed.has(name.toLowerCase()));
  return [...arrived, ...response.ownHeaders];
}

const HTTP_DATE = '[A-Z][a-z]{2}, [\\w :]{20,24}';
const REQUEST_ID = /^[\w.:+/=-]{1,200}$/;

/** A caller needs these fields of a response that is not shown, in forms that are no data. */
const OF_FAILURES: ReadonlyMap<string, RegExp> = new Map([
  ['retry-after', new RegExp(`^(?:\\d{1,10}|${HTTP_DATE})$`)],
  ['date', new RegExp(`^${HTTP_DATE}$`)],
  ['x-request-id', REQUEST_ID],
  ['request-id', REQUEST_ID],
  ['x-correlation-id', REQUEST_ID],
]);

/**
 * Headers of a response of which nothing else is shown: when to call again, and the ids by which
 * others find the request. A mask of card numbers holds here too.
 */
export function headersOfFailure(
  response: Pick<Message, 'headers'>,
  responseTransforms: readonly Transform[],
): Readonly<Record<string, string>> {
  const masksCards = responseTransforms.some(
    (each) => each.type === 'mask' && each.location === undefined && each.matcher !== 'regex',
  );
  const shown = response.headers.filter(
    ([name, value]) =>
      OF_FAILURES.get(name.toLowerCase())?.test(value) === true &&
      !(masksCards && maskCardNumbers(value, '') !== value),
  );
  return Object.fromEntries(shown);
}

const SIGNATURE = /hmac|signature/;
/** Schemes of `Authorization` that show a credential and sign nothing. */
const CREDENTIALS = /^(?:bearer|basic|token|apikey)(?: |$)/i;

function describesBody(name: string, value: string, signed: string | undefined): boolean {
  const read = readName(name);
  if (read === signed) return true;
  if (read === 'authorization') return !CREDENTIALS.test(value);
  return isDigestField(name) || SIGNATURE.test(read);
}

/** A request after its transforms, without digests and signatures of a body that they changed. */
export function requestWithoutDigests(
  before: Message,
  after: Message,
  { requestTransforms: [first] }: Pick<ProxyDefinition, 'requestTransforms'>,
): Message {
  if (after.body === before.body || after.body.equals(before.body)) return after;
  const isHmac = first?.type === 'verify_signature' && first.scheme === 'hmac';
  const signed = isHmac ? readName(first.header) : undefined;
  return { ...after, headers: after.headers.filter(([name, value]) => !describesBody(name, value, signed)) };
}

/** Joins fields of one name, as readers do (RFC 9110, section 5.3), but for cookies. */
export function joinedHeaders(fields: HeaderFields): HeaderFields {
  const joined = new Map<string, [name: string, value: string]>();
  const cookies: [name: string, value: string][] = [];
  for (const [name, value] of fields) {
    const lower = name.toLowerCase();
    const before = joined.get(lower);
    if (lower === 'set-cookie') cookies.push([name, value]);
    else if (before === undefined) joined.set(lower, [name, value]);
    else before[1] = `${before[1]}, ${value}`;
  }
  return [...joined.values(), ...cookies];
}
