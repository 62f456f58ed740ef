import {
  containersOf,
  decide,
  effectsOf,
  givesMore,
  throughOf,
  TOKEN_PERMISSIONS,
  wordsOfUse,
} from '../../console/src/access.ts';
import { decideAccess, type Right } from '../../src/core/access/access-decision.ts';
import { TRANSFORMS, type Grants } from '../../src/core/access/access-rule.ts';
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

/** Returns the service's decision about a token in one container, as the console draws it. */
function decided(
  granted: Parameters<typeof decide>[0],
  name: (typeof TOKEN_PERMISSIONS)[number],
  where: string,
) {
  const right: Right = name === 'token:use' ? { use: 'named_by_caller' } : name;
  const transform = decideAccess(granted as unknown as Grants, right, { containers: [where] }) ?? 'nothing';
  return name === 'token:use' && transform !== 'nothing' ? 'reveal' : transform;
}

describe('the access that the console draws', () => {
  it('is what the service decides, for any rules', () => {
    fc.assert(
      fc.property(grants, permission, container, (granted, name, where) => {
        expect(decide(granted, name, where).transform).toBe(decided(granted, name, where));
      }),
    );
  });

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
    expect(effects.map((effect) => [effect.container, effect.permission, givesMore(effect)])).toEqual([
      ['/pci/', 'token:read', true],
      ['/pci/high/', 'token:read', true],
    ]);
    expect(effectsOf({ permissions: [], rules: [reveal] }, nothing).some(givesMore)).toBe(false);
  });

  it('is empty exactly if no decision changes in any container', () => {
    fc.assert(
      fc.property(grants, grants, container, permission, (before, after, where, name) => {
        if (effectsOf(before, after).length > 0) return;
        expect(decide(before, name, where).transform).toBe(decide(after, name, where).transform);
      }),
    );
  });

  it('counts the removal of a limit on destinations as more', () => {
    const use = { ...reveal, permissions: ['token:use'] as const };
    const limited = { permissions: [], rules: [{ ...use, through: { proxies: ['p'] } }] };
    expect(effectsOf(limited, { permissions: [], rules: [use] }).every(givesMore)).toBe(true);
    expect(effectsOf({ permissions: [], rules: [use] }, limited).some(givesMore)).toBe(false);
    const to = (proxies: readonly string[]) => ({
      permissions: [],
      rules: [{ ...use, through: { proxies } }],
    });
    expect(effectsOf(limited, to(['p', 'q'])).every(givesMore)).toBe(true);
    expect(effectsOf(limited, to(['q'])).every(givesMore)).toBe(true);
    expect(effectsOf(to(['p', 'q']), to(['q', 'p']))).toEqual([]);
    expect(effectsOf(to(['p', 'q']), limited).some(givesMore)).toBe(false);
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
  expect(wordsOfUse(throughOf(decision, 'token:use'))).toBe(words);
  expect(throughOf(decision, 'token:read')).toBeUndefined();
});
