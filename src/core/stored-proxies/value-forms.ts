import { canonicalBytes, classBytes } from './canonical-bytes.ts';

const BITS_OF_CHARACTER = 6;

/** A form of a value, without what its neighbours may change. */
export interface Form {
  readonly bytes: Uint8Array;
  /** The exact bytes of the source; absent where its spelling does not matter. */
  readonly exactly?: Uint8Array;
  /** The bytes of the value before and after {@link bytes}, also as the value has them. */
  readonly before: readonly [canonical: Buffer, source: Buffer];
  readonly after: readonly [canonical: Buffer, source: Buffer];
  /** Whether the character before or after has bits of the value. */
  readonly sharesBefore: boolean;
  readonly sharesAfter: boolean;
}

const NOTHING = Buffer.alloc(0);
const canonical = (text: string): Uint8Array => Uint8Array.from(canonicalBytes(Buffer.from(text)).bytes);

/** Up to four hexadecimal digits could end `%`, `%5` or `\\u00` of the text before the value. */
const COMPLETES = /^[\da-f]{1,4}/i;
/** The text after the value could complete it. */
const IS_COMPLETED = /(?:%[\da-f]?|u[\da-f]{0,3})$/i;

/** The value itself, without the characters that may have become part of an escape sequence. */
export function textForm(source: Buffer): Form {
  const { bytes, startOf, endOf } = canonicalBytes(source);
  const latin = Buffer.from(bytes).toString('latin1');
  const from = COMPLETES.exec(latin)?.[0].length ?? 0;
  const to = IS_COMPLETED.exec(latin)?.index ?? latin.length;
  return {
    bytes: Uint8Array.from(bytes.subarray(from, Math.max(from, to))),
    before: [Buffer.from(bytes.subarray(0, from)), source.subarray(0, from === 0 ? 0 : endOf(from - 1))],
    after: [Buffer.from(bytes.subarray(to)), to === latin.length ? NOTHING : source.subarray(startOf(to))],
    sharesBefore: false,
    sharesAfter: false,
  };
}

/** The value exactly as it is, whatever its neighbours mean. */
export const plainForm = (value: Buffer): Form => ({
  bytes: classBytes(value),
  exactly: value,
  before: [NOTHING, NOTHING],
  after: [NOTHING, NOTHING],
  sharesBefore: false,
  sharesAfter: false,
});

/** The base64 of the value after so many bytes of other data, without characters that it shares. */
export function base64Form(value: Buffer, otherBytes: number): Form {
  const bytes = Buffer.concat([Buffer.alloc(otherBytes), value]);
  const bits = bytes.length * 8;
  const whole = bytes
    .toString('base64')
    .slice(Math.ceil((otherBytes * 8) / BITS_OF_CHARACTER), Math.floor(bits / BITS_OF_CHARACTER));
  return {
    bytes: canonical(whole),
    before: [NOTHING, NOTHING],
    after: [NOTHING, NOTHING],
    sharesBefore: otherBytes > 0,
    sharesAfter: bits % BITS_OF_CHARACTER > 0,
  };
}

/**
 * The bytes of a value in UTF-8, in Latin-1, and in UTF-8 that was read as Latin-1, as servers read
 * headers.
 */
export function encodingsOf(value: string): readonly Buffer[] {
  const utf8 = Buffer.from(value);
  if (utf8.length === value.length) return [utf8];
  const misread = Buffer.from(utf8.toString('latin1'));
  const latin = Buffer.from(value, 'latin1');
  return latin.toString('latin1') === value ? [utf8, misread, latin] : [utf8, misread];
}
