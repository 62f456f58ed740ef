import { randomBytes } from 'node:crypto';
import { createRemover, REMOVED } from '../../../src/core/stored-proxies/reflected-values.ts';
import { TransformError } from '../../../src/core/stored-proxies/transform-failure.ts';
import { cases, fc } from '../../../packages/test-kit/src/properties.ts';
import { IS_THOROUGH } from '../../../packages/test-kit/src/thoroughness.ts';

const SECRET = 'sk_live_4eC39HqLyjWDarjtT1zdp7dc';

/** Removes values that were set together from bytes, and from texts in UTF-8. */
function removerOf(values: readonly string[]) {
  const hidden = values.map((value, index) => ({ name: `V${String(index)}`, value, isRefused: false }));
  const remover = createRemover(hidden);
  return { ...remover, text: (text: string) => remover.bytes(Buffer.from(text)).toString() };
}

/** Chooses one of several spellings of a character. */
type Choose = (options: readonly string[]) => string;

const hexOf = (code: number, digits: number): readonly string[] => {
  const hex = code.toString(16).padStart(digits, '0');
  return [hex, hex.toUpperCase()];
};

const JSON_ESCAPES = new Map([
  ['"', ['\\"']],
  ['\\', ['\\\\']],
  ['/', ['/', '\\/']],
  ['\n', ['\\n']],
  ['\r', ['\\r']],
  ['\t', ['\\t']],
  ['\b', ['\\b']],
  ['\f', ['\\f']],
]);
function jsonSpelling(character: string, choose: Choose): string {
  const units = [...Array(character.length).keys()].map((at) => character.charCodeAt(at));
  const escaped = units.map((unit) => `\\u${choose(hexOf(unit, 4))}`).join('');
  const isControl = character < ' ';
  return choose([escaped, ...(JSON_ESCAPES.get(character) ?? (isControl ? [escaped] : [character]))]);
}

function percentSpelling(character: string, choose: Choose): string {
  const escaped = [...Buffer.from(character)].map((byte) => `%${choose(hexOf(byte, 2))}`).join('');
  if (character === ' ') return choose(['+', '%20', ' ']);
  return choose(character === '%' || character === '+' ? [escaped] : [escaped, character]);
}

const ENCODERS = {
  plain: (character: string) => character,
  json: jsonSpelling,
  percent: percentSpelling,
  'JSON in percent encoding': (character: string, choose: Choose) =>
    Array.from(jsonSpelling(character, choose), (each) => percentSpelling(each, choose)).join(''),
  'percent encoding in JSON': (character: string, choose: Choose) =>
    Array.from(percentSpelling(character, choose), (each) => jsonSpelling(each, choose)).join(''),
} as const;
type Encoder = keyof typeof ENCODERS;
const encoders = fc.constantFrom(...(Object.keys(ENCODERS) as Encoder[]));

/** Draws numbers for {@link Choose} from a property. */
const chooser =
  (draws: readonly number[]): Choose =>
  (options) =>
    options[(draws[(at += 1) % draws.length] ?? 0) % options.length] ?? '';
let at = 0;
const draws = fc.array(fc.nat({ max: 1_000 }), { minLength: 20, maxLength: 60 });

const character = fc.oneof(
  fc.constantFrom(...'abcdefnrtuxABCDEFXYZ0123456789'.split('')),
  fc.constantFrom(...Array.from('%\\"/+-_=. \n\t\b\f\r{}é€😀')),
  fc.constantFrom('%41', '%2', '\\u0041', '\\n', '\\\\', '%25'),
);
const values = fc
  .array(character, { minLength: 16, maxLength: 60 })
  .map((characters) => characters.join(''))
  .filter((value) => value.trim() === value)
  // The rest of a value without its own escape sequences must be enough to look for.
  .filter((value) => value.replace(/%[\da-f]{0,2}|\\u[\da-f]*|\\/gi, '').length >= 16);
/** Text that no neighbour changes the meaning of. */
const quiet = fc
  .array(fc.constantFrom(...'{}:;,é~ zZ'.split('')), { maxLength: 10 })
  .map((parts) => parts.join(''));

const encode = (encoder: Encoder, value: string, choose: Choose): string =>
  Array.from(value, (each) => ENCODERS[encoder](each, choose)).join('');

/** Decoders that do not know the code under test. */
function decoded(bytes: Buffer): readonly Buffer[] {
  const latin = bytes.toString('latin1');
  const percent = latin
    .replaceAll('+', ' ')
    .replace(/%([\da-f]{2})/gi, (_, hex: string) => String.fromCharCode(parseInt(hex, 16)));
  const json = bytes
    .toString()
    .replace(/\\(?:u([\da-f]{4})|(.))/gis, (_, unit: string | undefined, letter: string) =>
      unit === undefined
        ? ({ n: '\n', r: '\r', t: '\t', b: '\b', f: '\f' }[letter] ?? letter)
        : String.fromCharCode(parseInt(unit, 16)),
    );
  const inBase64 = [...latin.matchAll(/[\w+/-]+/g)].flatMap(([run]) =>
    [0, 1, 2, 3].map((from) => Buffer.from(run.slice(from), 'base64')),
  );
  return [bytes, Buffer.from(percent, 'latin1'), Buffer.from(json), ...inBase64];
}

const contains = (bytes: Buffer, value: string): boolean =>
  decoded(bytes).some((each) => each.includes(Buffer.from(value)));

describe('the remover of configuration', () => {
  it('removes a value in every mix of escape sequences, and nothing else', () => {
    const withoutSlashes = values.filter((value) => !/^(?:\\|.{0,8}5c)|\\$|5\\*c.{0,4}$/i.test(value));
    fc.assert(
      fc.property(withoutSlashes, encoders, draws, quiet, quiet, (value, encoder, drawn, before, after) => {
        const text = `${before}${encode(encoder, value, chooser(drawn))}${after}`;
        expect(removerOf([SECRET, value]).text(text)).toBe(`${before}${REMOVED}${after}`);
      }),
      { numRuns: cases(600) },
    );
  });

  it('leaves no form of a value behind in any text', () => {
    const around = fc.array(fc.oneof(character, quiet), { maxLength: 8 }).map((parts) => parts.join(''));
    // No neighbour completes an escape sequence of such a value.
    const settled = values.filter((value) => !/^u|[%\\].{0,9}$/is.test(value));
    fc.assert(
      fc.property(settled, encoders, draws, around, around, (value, encoder, drawn, before, after) => {
        const choose = chooser(drawn);
        const text = [before, value, after].map((part) => encode(encoder, part, choose)).join('');
        const cleaned = removerOf([value]).text(text);
        expect(contains(Buffer.from(text), value) && contains(Buffer.from(cleaned), value)).toBe(false);
        expect(cleaned).toContain(REMOVED);
      }),
      { numRuns: cases(600) },
    );
  });

  it('leaves no base64 of a value behind, at any alignment', () => {
    const bytes = fc.uint8Array({ maxLength: 40 }).map((each) => Buffer.from(each));
    const alphabets = fc.constantFrom<BufferEncoding>('base64', 'base64url');
    fc.assert(
      fc.property(
        values,
        bytes,
        bytes,
        alphabets,
        encoders,
        draws,
        (value, before, after, alphabet, encoder, drawn) => {
          const joined = Buffer.concat([before, Buffer.from(value), after]).toString(alphabet);
          const text = `{"a":"${encode(encoder, joined, chooser(drawn))}"}`;
          const cleaned = removerOf([value]).bytes(Buffer.from(text));
          expect(cleaned.includes(REMOVED)).toBe(true);
          expect(contains(cleaned, value)).toBe(false);
        },
      ),
      { numRuns: cases(600) },
    );
  });

  it('removes the characters of base64 that have a few bits of a value', () => {
    const remover = removerOf([SECRET]);
    for (const before of ['', 'x', 'xy', 'xyz']) {
      for (const after of ['', 'x', 'xy', 'xyz']) {
        const whole = Buffer.from(`${before}${SECRET}${after}`).toString('base64').replaceAll('=', '');
        const [head = '', tail = ''] = remover.text(whole).split(REMOVED);
        expect(head).toBe(whole.slice(0, Math.floor((before.length * 8) / 6)));
        const bits = (before.length + SECRET.length) * 8;
        expect(tail).toBe(whole.slice(Math.ceil(bits / 6)));
      }
    }
  });

  it('removes base64 of a value right after a percent sign, which takes its first digits', () => {
    fc.assert(
      fc.property(
        values,
        fc.constantFrom('%', '%5', '50%', '\\u00'),
        fc.uint8Array({ maxLength: 3 }),
        (value, before, other) => {
          const joined = Buffer.concat([other, Buffer.from(value)]).toString('base64');
          const cleaned = removerOf([value]).bytes(Buffer.from(`${before}${joined}`));
          expect(contains(cleaned, value)).toBe(false);
        },
      ),
      { numRuns: cases(300) },
    );
  });

  it('changes no text without a value', () => {
    const remover = removerOf([SECRET, randomBytes(3_000).toString('base64'), 'x'.repeat(16)]);
    const texts = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.array(character).map((parts) => parts.join('')),
      fc.constantFrom(SECRET.slice(1), SECRET.slice(0, -1), SECRET.toLowerCase(), 'x'.repeat(15)),
    );
    fc.assert(
      fc.property(texts, texts, (one, other) => {
        const text = `${one} ${other}`;
        expect(remover.text(text)).toBe(text);
        const bytes = Buffer.from(text);
        expect(remover.bytes(bytes)).toBe(bytes);
      }),
      { numRuns: cases(500) },
    );
  });

  it.each([
    ['hexadecimal digits after a percent sign', 'deadbeefdeadbeef', '100%', '!'],
    ['hexadecimal digits after a cut escape', 'deadbeefdeadbeef', '\\u00', '!'],
    ['a percent sign before hexadecimal digits', 'a secret that is 100%', '<', '41>'],
    ['the beginning of an escape before a digit', 'a secret that is 100%4', '<', '1>'],
    ['nothing but escapes', '\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\', '<', '>'],
    ['few bytes', '%41%41%41%41%41%41', '<', '>'],
  ])('removes a value with %s', (_, value, before, after) => {
    expect(removerOf([value]).text(`${before}${value}${after}`)).toBe(`${before}${REMOVED}${after}`);
  });

  it('removes a backslash before the first letter of a value, which may be its escape', () => {
    expect(removerOf(['no secret is here']).text('C:\\no secret is here!')).toBe(`C:${REMOVED}!`);
  });

  it('removes several values, also where they overlap or follow each other', () => {
    const remover = removerOf(['aaaaaaaaaaaaaaaaBBBB', 'BBBBcccccccccccccccc', SECRET, 'too short']);
    expect(remover.text('<aaaaaaaaaaaaaaaaBBBBcccccccccccccccc>')).toBe(`<${REMOVED}>`);
    expect(remover.text(`${SECRET}${SECRET}, too short`)).toBe(`${REMOVED}${REMOVED}, too short`);
  });

  it('removes many alike values from a text that is made of them', () => {
    const alike = Array.from({ length: 50 }, (_, at) => `<${String(at)}>${'a'.repeat(1_000)}${String(at)}`);
    const remover = removerOf(alike);
    const cleaned = remover.text(`head ${`${'a'.repeat(999)}-`.repeat(300)} ${alike.join(' ')} tail`);
    for (const value of alike) expect(cleaned).not.toContain(value.slice(0, 20));
    expect(cleaned).toMatch(/^head /);
  });

  it('removes a value in Latin-1, and in UTF-8 that was read as Latin-1', () => {
    const remover = removerOf(['sécrèt-clé-très-longue-0123']);
    const text = '<sécrèt-clé-très-longue-0123>';
    const latin = Buffer.from(text, 'latin1');
    const misread = Buffer.from(Buffer.from(text).toString('latin1'));
    for (const bytes of [Buffer.from(text), latin, misread])
      expect(remover.bytes(bytes).toString()).toBe(`<${REMOVED}>`);
    const coded = Buffer.from(latin.toString('base64'));
    expect(remover.bytes(coded).toString('latin1')).toContain(REMOVED);
    expect(remover.text(text.replaceAll('é', '%E9').replaceAll('è', '%e8'))).toBe(`<${REMOVED}>`);
  });

  it('leaves JSON valid', () => {
    const value = '"quoted" \\ and / more';
    const text = JSON.stringify({ a: `\\${value}\\`, [value]: [value, 1.0] });
    expect(JSON.parse(removerOf([value]).text(text))).toEqual({
      a: `\\${REMOVED}\\`,
      [REMOVED]: [REMOVED, 1],
    });
  });

  it('removes a key in PEM from JSON inside JSON, without its last line break', () => {
    const pem = `-----BEGIN PRIVATE KEY-----\n${'MIIEvQ+/\n'.repeat(3)}-----END PRIVATE KEY-----\n`;
    const text = JSON.stringify(JSON.stringify({ pem: pem.trim() }));
    expect(JSON.parse(JSON.parse(removerOf([pem]).text(text)) as string)).toEqual({ pem: REMOVED });
  });

  const random = (length: number) => randomBytes(length).toString('base64').slice(0, length);
  const keys = Array.from({ length: 50 }, () => random(20_000));
  /** A body has six megabytes in the thorough run, and a quarter of them in the usual one. */
  const many = (whole: number) => Math.ceil(IS_THOROUGH ? whole : whole / 4);
  it.each<[string, readonly string[], Buffer]>([
    ['escape sequences', keys, Buffer.from('\\n%41'.repeat(many(1_200_000)))],
    ['escapes of escapes', keys, Buffer.from(`%${'25'.repeat(many(3_000_000))}`)],
    ['halves of surrogate pairs', keys, Buffer.from('\\ud83d'.repeat(many(1_000_000)))],
    ['a half before backslashes', keys, Buffer.from(`\\ud83d${'\\'.repeat(many(6_000_000))}`)],
    [
      'values without their end',
      keys,
      Buffer.from(
        keys
          .map((key) => key.slice(1))
          .join(' ')
          .repeat(many(6)),
      ),
    ],
    ['almost one letter', ['x'.repeat(20_000)], Buffer.from(`${'x'.repeat(19_999)}b`.repeat(many(300)))],
  ])('takes megabytes of %s', (_, configured, bytes) => {
    expect(removerOf(configured).bytes(bytes).length).toBeLessThanOrEqual(bytes.length);
  });

  it('refuses a body that has what many values have in common too often', () => {
    const remover = removerOf(Array.from({ length: 100 }, (_, at) => 'x'.repeat(20 + at)));
    expect(() => remover.bytes(Buffer.from(`${'x'.repeat(19)}y`.repeat(50_000)))).toThrow(TransformError);
  });

  it('refuses a body that has a value more often than it compares', () => {
    const remover = removerOf(['x'.repeat(20_000)]);
    expect(() => remover.bytes(Buffer.alloc(6_000_000, 'x'))).toThrow(TransformError);
  });
});
