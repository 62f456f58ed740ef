import { fc } from '../../test-kit/src/properties.ts';
import { isAllowedValue } from '../src/frame/style-value.ts';

describe('a value of a style', () => {
  it.each([
    '#0a5',
    '16px',
    '1.25rem',
    '"Inter", system-ui, sans-serif',
    "'Inter 4', sans-serif",
    'rgb(0 0 0 / 50%)',
    'hsl(120deg 50% 50%)',
    'color-mix(in srgb, red 20%, white)',
    'light-dark(#000, #fff)',
    'calc(1px * (2 + 3))',
    'clamp(1rem, 2vw, 2rem)',
    '0 1px 2px rgba(0, 0, 0, 0.2)',
    '"tnum" 1',
    '',
  ])('may be %j', (value) => {
    expect(isAllowedValue(value)).toBe(true);
  });

  it.each([
    'url(https://evil.example/x)',
    'URL(//evil.example)',
    'url (//evil.example)',
    'image-set("x.png" 1x)',
    'attr(value)',
    'var(--stolen)',
    'env(safe-area-inset-top)',
    'element(#input)',
    'expression(alert(1))',
    'src("x")',
    'calc(1px + var(--x))',
    'red; background: blue',
    'red } * { color: blue',
    'red !important',
    '@import "x"',
    String.raw`u\72l(x)`,
    'red\\',
    '<b>',
    'x'.repeat(201),
    7,
    null,
    undefined,
    { toString: () => 'red' },
    ['red'],
  ])('may not be %j', (value) => {
    expect(isAllowedValue(value)).toBe(false);
  });

  it('has no character that ends a value, and calls no function that is not listed', () => {
    const texts = fc.string({
      unit: fc.constantFrom(...Array.from('abuURLrlgbvatx( )"\'/*;{}:!@\\<-_.,%#0é')),
    });
    fc.assert(
      fc.property(texts, (text) => {
        fc.pre(isAllowedValue(text));
        expect(text).not.toMatch(/[;{}:!@\\<]/);
        expect(text).not.toMatch(/(?:url|var|attr)\s*\(/i);
      }),
    );
  });
});
