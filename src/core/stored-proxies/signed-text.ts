/*
 * The text that a partner signs with HMAC (docs/contract.md#signatures-of-any-partner) has
 * placeholders, with other text between them. It must have one meaning, or a sender of one signed
 * message could present it as another.
 */

/** A value of a request, in place of which the text has its placeholder. */
type Placeholder =
  | { readonly kind: 'body' | 'timestamp' | 'url' }
  | { readonly kind: 'header'; readonly name: string };

/** A part of a signed text. */
export type SignedPart = Placeholder | { readonly kind: 'text'; readonly text: string };

/** A text has at most so many characters. */
export const SIGNED_MAX_LENGTH = 500;
const PLACEHOLDERS_MAX = 10;

const PART = /\{(body|timestamp|url)\}|\{header:([\w!#$%&'*+.^`|~-]{1,100})\}|([^{}]+)/y;

/** The parts of a text; a problem, as words that follow its name, for any other text. */
export function parseSigned(text: string): readonly SignedPart[] | { readonly problem: string } {
  const parts: SignedPart[] = [];
  for (PART.lastIndex = 0; PART.lastIndex < text.length;) {
    const [whole, kind, name, literal] = PART.exec(text) ?? [];
    if (whole === undefined)
      return { problem: 'has other placeholders than {body}, {header:NAME}, {timestamp} and {url}' };
    if (literal !== undefined) parts.push({ kind: 'text', text: literal });
    else if (name !== undefined) parts.push({ kind: 'header', name: name.toLowerCase() });
    else parts.push({ kind: kind as 'body' | 'timestamp' | 'url' });
  }
  const values = parts.filter((part) => part.kind !== 'text');
  if (values.filter(({ kind }) => kind === 'body').length !== 1) return { problem: 'must have {body} once' };
  if (values.length > PLACEHOLDERS_MAX)
    return { problem: `must have at most ${String(PLACEHOLDERS_MAX)} placeholders` };
  if (parts.some((part, at) => part.kind !== 'text' && at > 0 && parts[at - 1]?.kind !== 'text'))
    return { problem: 'must have other text between two placeholders' };
  return parts;
}

/** The text of the part beside a value, or nothing at the end. */
const literalAt = (parts: readonly SignedPart[], at: number): string => {
  const part = parts[at];
  return part?.kind === 'text' ? part.text : '';
};

/**
 * Whether a value begins and ends where the texts beside it say. A value that has one of them could
 * be cut elsewhere.
 */
function isDelimited(value: string, before: string, after: string): boolean {
  const isFirstAfter = after === '' || `${value}${after}`.indexOf(after) === value.length;
  return isFirstAfter && (before === '' || `${before}${value}`.lastIndexOf(before) === 0);
}

/**
 * The signed parts, in order. `undefined` if a value is absent, or has the text that delimits it.
 * `valueOf` returns the value of a placeholder other than the body.
 */
export function signedParts(
  parts: readonly SignedPart[],
  body: Buffer,
  valueOf: (placeholder: Placeholder) => string | undefined,
): readonly (string | Buffer)[] | undefined {
  const signed: (string | Buffer)[] = [];
  for (const [at, part] of parts.entries()) {
    if (part.kind === 'text') signed.push(part.text);
    else if (part.kind === 'body') signed.push(body);
    else {
      const value = valueOf(part) ?? '';
      if (value === '' || !isDelimited(value, literalAt(parts, at - 1), literalAt(parts, at + 1)))
        return undefined;
      signed.push(value);
    }
  }
  return signed;
}
