import { fc } from '../../test-kit/src/properties.ts';
import { shownToken, shownTree } from '../src/frame/shown-result.ts';
import { PLACEHOLDER } from '../src/protocol.ts';

const NUMBER = '4242424242424242';
const SHOWN = [
  'id',
  'type',
  'tenant_id',
  'containers',
  'metadata',
  'created_at',
  'modified_at',
  'expires_at',
];
const field = { [PLACEHOLDER]: 'f1' };

/** Anything that a service, or a proxy before it, could return, with the number in many places. */
const anything = fc.anything({
  key: fc.constantFrom(
    ...SHOWN,
    '_extras',
    'data',
    'mask',
    'fingerprint',
    'search_indexes',
    'x',
    '__proto__',
  ),
  values: [fc.constant(NUMBER), fc.string(), fc.integer(), fc.boolean(), fc.constant(null)],
  maxDepth: 3,
});

/** A page requests any JSON, with fields in it. */
const { request } = fc.letrec((tie) => ({
  request: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constantFrom(field, 'text', 1, null, true),
    fc.array(tie('request'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom('a', 'b', 'c'), tie('request')),
    fc.record({ type: fc.constant('card'), data: tie('request') }),
  ),
}));

/** Everything that a page can reach in a value, by the members above it. */
function reached(value: unknown, path: readonly string[] = []): readonly (readonly [string, unknown])[] {
  const isLeaf = typeof value !== 'object' || value === null || PLACEHOLDER in value;
  if (isLeaf) return [[path.join('.'), value]];
  return Object.entries(value).flatMap(([name, each]) => reached(each, [...path, name]));
}

describe('what a page gets of a token', () => {
  it('has the listed members alone, whatever the service returns', () => {
    fc.assert(
      fc.property(anything, (response) => {
        for (const name of Object.keys(shownToken(response))) expect(SHOWN).toContain(name);
      }),
    );
  });

  it('has nothing that was made from its data', () => {
    const token = {
      id: 't1',
      type: 'card',
      tenant_id: 'x',
      data: { number: NUMBER },
      mask: NUMBER,
      fingerprint: 'f',
      fingerprint_expression: '{{ data.number }}',
      search_indexes: [NUMBER],
      enrichments: { bin_details: {} },
      metadata: { order: '7' },
      _extras: { deduplicated: true },
    };
    expect(shownToken(token)).toEqual({
      id: 't1',
      type: 'card',
      tenant_id: 'x',
      metadata: { order: '7' },
    });
  });

  it.each([undefined, null, 'text', 7, [{ id: 't1' }]])('is empty for the response %j', (response) => {
    expect(shownToken(response)).toEqual({});
  });
});

describe('what a page gets for a tree', () => {
  it('has the shape of the request, with ids and tokens in it', () => {
    const asked = { card: { type: 'card', data: { number: field } }, names: [field, 'plain'], none: null };
    const response = {
      card: { id: 't1', type: 'card', data: { number: NUMBER } },
      names: [{ id: 't2', type: 'token', data: NUMBER }, 't3', 'more'],
      none: null,
      more: NUMBER,
    };
    expect(shownTree(asked, response)).toEqual({
      card: { id: 't1', type: 'card' },
      names: ['t2', 't3'],
      none: null,
    });
  });

  it('has no member that the page did not ask for, and only texts outside of tokens', () => {
    fc.assert(
      fc.property(request, anything, (asked, response) => {
        const shown = shownTree(asked, response);
        const ofTokens = (path: string) => SHOWN.some((name) => path.split('.').includes(name));
        const askedPaths = new Set(reached(asked).map(([path]) => path));
        for (const [path, value] of reached(shown)) {
          if (ofTokens(path)) continue;
          expect(value === null || typeof value === 'string').toBe(true);
          const isAsked = [...askedPaths].some((each) => each === path || each.startsWith(`${path}.`));
          expect([path, isAsked]).toEqual([path, true]);
        }
      }),
    );
  });
});
