import { contentOfBytes, contentOfText, type Content } from '../../../src/core/shared/content.ts';
import { cases, fc } from '../../../packages/test-kit/src/properties.ts';

const seen = (content: Content, max: number) => ({
  isEmpty: content.isEmpty,
  isLarger: content.isLargerThan(max),
  hasBraces: content.includes('{{'),
  hasEscape: content.includes('\\u007'),
  text: content.text,
  bytes: content.bytes.toString('latin1'),
});

describe('content', () => {
  it('is the same from text and from bytes', () => {
    const parts = fc.constantFrom('{', '{{', '\\u007', 'é', '€', '😀', '\ud83d', '\ude00', '\ufeff', 'a');
    const text = fc.array(parts, { maxLength: 8 }).map((some) => some.join(''));
    fc.assert(
      fc.property(text, fc.nat({ max: 30 }), (input, max) => {
        expect(seen(contentOfText(input), max)).toEqual(seen(contentOfBytes(Buffer.from(input)), max));
      }),
      { numRuns: cases(700) },
    );
  });

  it.each([
    ['a', 1],
    ['a'.repeat(100), 100],
    // Close enough to the limit that its bytes are counted.
    ['a'.repeat(100), 299],
    ['é'.repeat(50), 100],
    ['€'.repeat(50), 150],
    ['😀'.repeat(50), 200],
  ])('is as large as its UTF-8: case %#', (text, max) => {
    const bytes = Buffer.byteLength(text);
    expect(contentOfText(text).isLargerThan(max)).toBe(bytes > max);
    expect(contentOfText(text).isLargerThan(bytes)).toBe(false);
    expect(contentOfText(text).isLargerThan(bytes - 1)).toBe(true);
  });

  it('has no text if its bytes are not UTF-8, and returns these bytes', () => {
    const bytes = Buffer.from([0x7b, 0x7b, 0xff]);
    const content = contentOfBytes(bytes);
    expect(content.text).toBeUndefined();
    expect(content.bytes).toBe(bytes);
    expect(content.includes('{{')).toBe(true);
  });
});
