import { bytesOfBody, utf8Body, utf8Bytes, utf8Text } from '../../../src/core/shared/utf8.ts';
import { cases, fc } from '../../../packages/test-kit/src/properties.ts';

const ascii = fc.string({ unit: 'binary-ascii', maxLength: 20 });
/** Any UTF-16 code units, halves of surrogate pairs too. */
const units = fc
  .array(fc.nat({ max: 0xffff }), { maxLength: 5 })
  .map((codes) => String.fromCharCode(...codes));
const texts = fc.array(fc.oneof(ascii, units, fc.string({ unit: 'grapheme', maxLength: 20 })), {
  maxLength: 5,
});

describe('texts as UTF-8', () => {
  it.each([
    ['ASCII alone', fc.array(ascii, { maxLength: 5 })],
    ['anything', texts],
  ])('are the bytes of the texts joined, with %s', (_, parts) => {
    fc.assert(
      fc.property(parts, (some) => {
        expect(utf8Bytes(some)).toEqual(Buffer.from(some.join('')));
      }),
      { numRuns: cases(700) },
    );
  });

  it.each([
    [[]],
    [['', '']],
    [['é']],
    [['\ud83d', '', '\ude00']],
    [['\ude00', 'a\ud83d']],
    [['abc', 'é', 'abc']],
    [['é'.repeat(100), 'a'.repeat(100)]],
    [['\ud83d', '\ude00']],
    [['\ud83d', 'a']],
    [['a'.repeat(100_000), 'b', 'c'.repeat(100_000)]],
    [['a'.repeat(100_000), 'é', 'c'.repeat(100_000)]],
  ])('are the bytes of the texts joined: case %#', (parts) => {
    expect(utf8Bytes(parts)).toEqual(Buffer.from(parts.join('')));
    expect(bytesOfBody(utf8Body(parts))).toEqual(Buffer.from(parts.join('')));
  });

  const LARGE = 'x'.repeat(65_536);
  it.each([
    ['large, and few', [LARGE, 'b', 'c'], true],
    ['one unit shorter', [LARGE.slice(2), 'b'], false],
    ['sixteen', [LARGE, ...Array<string>(15).fill('a')], true],
    ['seventeen', [LARGE, ...Array<string>(16).fill('a')], false],
    ['a half of a pair before its other half', [LARGE, '\ud83d', '\ude00'], false],
  ])('stay apart only if they are large, few and whole: %s', (_, parts, areApart) => {
    const body = utf8Body(parts);
    expect(Array.isArray(body)).toBe(areApart);
    // Each is encoded by itself when it is sent.
    const sent = Array.isArray(body) ? body.map((text: string) => Buffer.from(text)) : [bytesOfBody(body)];
    expect(Buffer.concat(sent)).toEqual(Buffer.from(parts.join('')));
  });
});

describe('UTF-8 as text', () => {
  it('is what Node decodes, and nothing for what is not UTF-8', () => {
    const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
    const expected = (bytes: Buffer) => {
      try {
        return decoder.decode(bytes);
      } catch {
        return undefined;
      }
    };
    const anyBytes = fc.uint8Array({ maxLength: 8 }).map((bytes) => Buffer.from(bytes));
    const wellFormed = texts.map((some) => Buffer.from(some.join('')));
    fc.assert(
      fc.property(
        fc.oneof(
          anyBytes,
          wellFormed,
          ascii.map((text) => Buffer.from(text)),
        ),
        (bytes) => {
          expect(utf8Text(bytes)).toBe(expected(bytes));
        },
      ),
      { numRuns: cases(700) },
    );
  });

  it.each([
    ['nothing', [], ''],
    ['the last of ASCII', [0x7f], '\u007f'],
    ['the first beyond it', [0x80], undefined],
    ['a byte order mark, which stays', [0xef, 0xbb, 0xbf, 0x61], '\ufeffa'],
    ['a truncated character', [0x61, 0xc3], undefined],
  ])('is correct for %s', (_, bytes, expected) => {
    expect(utf8Text(Buffer.from(bytes))).toBe(expected);
  });
});
