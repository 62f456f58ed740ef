import { visibleText } from '../../console/src/parts/visible-text.ts';
import { linkTo, parseRoute } from '../../console/src/route.ts';
import { keyKindOf } from '../../console/src/session/key-kind.ts';
import { mergePatch } from '../../console/src/tokens/merge-patch.ts';
import { isIncomplete, searchQueryOf, summaryOf } from '../../console/src/tokens/token-query.ts';
import { shortened } from '../../console/src/shortened.ts';
import { jsonOrText } from '../../console/src/json-input.ts';
import { fc } from '../../packages/test-kit/src/properties.ts';

it.each([
  ['abcd', 'abcd'],
  ['abcde', 'abcde'],
  ['abcdef', 'abcd…'],
])('a text of more than 5 characters is cut for a place of 5: %s', (text, shown) => {
  expect(shortened(text, 5)).toBe(shown);
});

describe('a text of a stranger in the console', () => {
  it('names what would deceive a reader, and keeps every other script', () => {
    expect(visibleText('\u202Egnp.exe')).toBe('⟨U+202E⟩gnp.exe');
    expect(visibleText('a\u200Bb\u0000c\u{E0041}')).toBe('a⟨U+200B⟩b⟨U+0000⟩c⟨U+E0041⟩');
    expect(visibleText('שלום עולם, مرحبا, 日本語, 👩‍👩‍👧')).toBe('שלום עולם, مرحبا, 日本語, 👩‍👩‍👧');
    for (const hidden of [
      '\u200C',
      '\u200D',
      '\u200F',
      '\u061C',
      '\u00AD',
      '\u2028',
      '\u3164',
      '\u115F',
      '\u034F',
      '\uFE0F',
    ])
      expect(visibleText(`Bill${hidden}ing`)).toMatch(/^Bill⟨U\+[0-9A-F]{4}⟩ing$/);
    expect(visibleText('a\nb', { mayHaveLines: true })).toBe('a\nb');
    expect(visibleText('a\nb')).toBe('a⟨U+000A⟩b');
  });
});

describe('the address of a view', () => {
  it('returns its path and its query, whatever an id contains', () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ minLength: 1, unit: 'grapheme' }), { minLength: 1, maxLength: 3 }),
        fc.string({ minLength: 1 }),
        (path, value) => {
          const route = parseRoute(linkTo(path, { value, empty: '' }));
          expect(route).toEqual({ path, query: { value } });
        },
      ),
    );
  });

  it('is a place for any fragment that a person types', () => {
    expect(parseRoute('#/tokens/%E0%A4%A?x')).toEqual({ path: ['tokens', '%E0%A4%A'], query: { x: '' } });
    expect(parseRoute('')).toEqual({ path: [], query: {} });
  });
});

describe('the kind of a pasted key', () => {
  it('is management or private; any other text has a reason', () => {
    expect(keyKindOf('key_management_x')).toBe('management');
    expect(keyKindOf('key_private_x')).toBe('private');
    for (const other of [
      'key_public_x',
      'key_proxy_x',
      'key_session_x',
      '4242424242424242',
      'key_private_ x',
    ])
      expect(keyKindOf(other)).toEqual({ problem: expect.not.stringContaining(other) });
  });
});

describe('a search of tokens', () => {
  const empty = { container: '', key: '', value: '', search: '' };

  it('searches a value, or the terms that a person wrote, within the filters', () => {
    expect(searchQueryOf(empty)).toBeUndefined();
    expect(searchQueryOf({ ...empty, search: ' 42"42 ' })).toBe(String.raw`data:"42\"42"`);
    expect(searchQueryOf({ ...empty, search: '4242 4242-4242 4242' })).toBe('data:"4242424242424242"');
    const id = '0B7F7F4E-7A43-4A52-9D2B-0C3F6AD1D3C8';
    expect(searchQueryOf({ ...empty, search: id })).toBe(`id:"${id.toLowerCase()}"`);
    expect(searchQueryOf({ ...empty, search: 'type:card AND data:"4242"' })).toBe(
      'type:card AND data:"4242"',
    );
    expect(searchQueryOf({ container: '/pci/', key: 'customer', value: 'c" AND id:"x', search: '1' })).toBe(
      String.raw`data:"1" AND container:"/pci/" AND metadata.customer:"c\" AND id:\"x"`,
    );
  });

  it('summarizes masked data by its values, with an expiry as people write it', () => {
    expect(summaryOf({ number: 'XXXX4242', expiration_month: 2, expiration_year: 2030 })).toEqual([
      'XXXX4242',
      '02/30',
    ]);
    expect(summaryOf({ number: 'XXXX4242', expiration_month: 12 })).toEqual(['XXXX4242', '12']);
    expect([undefined, 'X', { a: { b: 1 } }].map(summaryOf)).toEqual([[], ['X'], ['{"a":{"b":1}}']]);
  });

  it('knows a metadata filter that would filter nothing', () => {
    const filter = { container: '', search: '', key: '', value: '' };
    expect(isIncomplete(filter)).toBe(false);
    expect(isIncomplete({ ...filter, key: 'customer' })).toBe(true);
    expect(isIncomplete({ ...filter, value: 'c-17' })).toBe(true);
    expect(isIncomplete({ ...filter, key: 'customer', value: 'c-17' })).toBe(false);
  });
});

describe('a merge patch of an edit', () => {
  it('makes the edited value of the one before', () => {
    const apply = (target: any, patch: any): any => {
      if (typeof patch !== 'object' || patch === null || Array.isArray(patch)) return patch;
      const base =
        typeof target === 'object' && target !== null && !Array.isArray(target) ? { ...target } : {};
      const others = Object.entries(base).filter(([name]) => !Object.hasOwn(patch, name));
      const set = Object.entries(patch).filter(([, value]) => value !== null);
      return Object.fromEntries([...others, ...set.map(([name, value]) => [name, apply(base[name], value)])]);
    };
    // RFC 7386 cannot state a member that is null.
    const { tree } = fc.letrec((tie) => ({
      tree: fc.oneof({ maxDepth: 3 }, fc.string(), fc.array(fc.string(), { maxLength: 2 }), tie('object')),
      object: fc.dictionary(fc.constantFrom('a', 'b', 'c'), tie('tree')),
    }));
    fc.assert(
      fc.property(tree as any, tree as any, (before: any, after: any) => {
        expect(apply(before, mergePatch(before, after))).toEqual(after);
      }),
    );
  });
});

describe('a JSON text that a person types', () => {
  it('changes no number: one that a browser would change is refused', () => {
    for (const text of ['6304000000000000003', '{"n":4242424242424242000}', '[1.2345678901234567]'])
      expect(() => jsonOrText(text)).toThrow(/in quotes/);
    expect([jsonOrText('{"n":"6304000000000000003"}'), jsonOrText('12'), jsonOrText('plain {')]).toEqual([
      { n: '6304000000000000003' },
      12,
      'plain {',
    ]);
  });
});
