import { containersOf, decide, effectsOf, TOKEN_PERMISSIONS, wordsOfUse } from '../../console/src/access.ts';
import { TRANSFORMS } from '../../src/core/access/access-rule.ts';
import { fc } from '../../packages/test-kit/src/properties.ts';

const segment = fc.constantFrom('pci', 'pcix', 'high', 'low', 'a-b');
const container = fc
  .array(segment, { maxLength: 3 })
  .map((parts) => `/${parts.map((part) => `${part}/`).join('')}`);
const permission = fc.constantFrom(...TOKEN_PERMISSIONS);
const rule = fc.record({
  container,
  transform: fc.constantFrom(...TRANSFORMS),
  permissions: fc.uniqueArray(permission, { minLength: 1 }),
});
const grants = fc
  .record({ permissions: fc.uniqueArray(permission), rules: fc.array(rule, { maxLength: 6 }) })
  .chain(({ permissions, rules }) =>
    fc.uniqueArray(fc.nat(99), { minLength: rules.length, maxLength: rules.length }).map((priorities) => ({
      permissions,
      rules: rules.map((each, index) => ({ ...each, priority: (priorities[index] ?? 0) + 1 })),
    })),
  );

describe('the access that the console draws', () => {
  it('has a row for each container where a decision can change', () => {
    fc.assert(
      fc.property(grants, permission, container, (granted, name, where) => {
        const rows = containersOf([granted]);
        const nearest = rows
          .filter((row) => where.startsWith(row))
          .toSorted((a, b) => b.length - a.length)[0];
        expect(decide(granted, name, where)).toEqual(decide(granted, name, nearest ?? ''));
      }),
    );
  });

  it('lists containers as a tree, each after the one above it', () => {
    const rules = ['/a-b/c/', '/a/c/', '/A/'].map((where, index) => ({
      priority: index + 1,
      container: where,
      transform: 'mask' as const,
      permissions: ['token:read' as const],
    }));
    const rows = containersOf([{ permissions: [], rules }]);
    expect(rows.slice(0, 6)).toEqual(['/', '/a/', '/a/c/', '/a-b/', '/a-b/c/', '/bank/']);
  });
});

describe('the effect of an edit', () => {
  const nothing = { permissions: [], rules: [] };
  const reveal = {
    priority: 1,
    container: '/pci/',
    transform: 'reveal',
    permissions: ['token:read'],
  } as const;

  it('names each place where a decision changes, and whether it gives more', () => {
    const effects = effectsOf(nothing, { permissions: [], rules: [reveal] });
    expect(effects.map((effect) => [effect.container, effect.permission, effect.givesMore])).toEqual([
      ['/pci/', 'token:read', true],
      ['/pci/high/', 'token:read', true],
    ]);
    expect(effectsOf({ permissions: [], rules: [reveal] }, nothing).some(({ givesMore }) => givesMore)).toBe(
      false,
    );
  });

  it('leaves out rules without a whole container', () => {
    const half = { ...reveal, container: '/pci' };
    expect(effectsOf(nothing, { permissions: [], rules: [half, { ...half, container: '' }] })).toEqual([]);
    expect(effectsOf(nothing, { permissions: [], rules: [{ ...reveal, container: '/PCI/' }] })).toHaveLength(
      2,
    );
  });
});

it.each([
  [undefined, 'use, anywhere'],
  [{ proxies: ['p'], reactors: ['r'] }, 'use, through 2 destinations'],
  [
    { reactors: ['r'], callbacks: ['https://shop.example/'] },
    'use, through 1 destination, results to 1 address',
  ],
])('the limit %j of token:use is called %j', (through, words) => {
  const rule = {
    priority: 1,
    container: '/',
    transform: 'reveal',
    permissions: ['token:use', 'token:read'],
    ...(through !== undefined && { through }),
  } as const;
  const decision = decide({ permissions: [], rules: [rule] }, 'token:use', '/pci/');
  expect(wordsOfUse(decision?.through)).toBe(words);
  expect(decide({ permissions: [], rules: [rule] }, 'token:read', '/pci/')).not.toHaveProperty(
    'through.proxies',
  );
});
