import { fc } from '../../../packages/test-kit/src/properties.ts';
import { cases } from '../../../packages/test-kit/src/thoroughness.ts';
import { mayUseSomewhere, type Right, type Way } from '../../../src/core/access/access-decision.ts';
import {
  accessEffects,
  accessIn,
  decidingContainers,
  TOKEN_PERMISSIONS,
  type AccessEffect,
  type TokenPermission,
} from '../../../src/core/access/access-effects.ts';
import { TRANSFORMS, type AccessRule, type Grants } from '../../../src/core/access/access-rule.ts';
import { explainGrants } from '../../../src/core/applications/explain-access.ts';

const ADDRESSES = [
  'https://a.example/',
  'https://a.example/hooks',
  'https://a.example/hooks/7',
  'https://b.example/',
];
const WAYS: readonly Way[] = [
  'named_by_caller',
  ...['p', 'q'].map((proxy) => ({ proxy })),
  ...['r', 's'].flatMap((reactor) => [
    { reactor },
    ...[...ADDRESSES, 'https://a.example/hooks/7/x'].map((callback) => ({ reactor, callback })),
  ]),
];

const container = fc
  .array(fc.constantFrom('pci', 'pcix', 'high'), { maxLength: 3 })
  .map((parts) => `/${parts.map((part) => `${part}/`).join('')}`);
const permission = fc.constantFrom(...TOKEN_PERMISSIONS);
const through = fc.record({
  proxies: fc.subarray(['p', 'q']),
  reactors: fc.subarray(['r', 's']),
  callbacks: fc.subarray(ADDRESSES),
});
const rule = fc.record(
  {
    container,
    transform: fc.constantFrom(...TRANSFORMS),
    permissions: fc.uniqueArray(permission, { minLength: 1, maxLength: 2 }),
    through,
  },
  { requiredKeys: ['container', 'transform', 'permissions'] },
);
const grants: fc.Arbitrary<Grants> = fc.record({
  permissions: fc.oneof(
    { weight: 3, arbitrary: fc.constant([]) },
    fc.uniqueArray(permission, { maxLength: 2 }),
  ),
  rules: fc
    .array(rule, { maxLength: 5 })
    .map((rules) => rules.map((each, index) => ({ ...each, priority: index + 1 }))),
});
/** An edit of grants, so that most decisions stay. */
const edit = fc.tuple(grants, grants, fc.nat(5)).map(([before, other, at]): readonly [Grants, Grants] => [
  before,
  {
    permissions: at % 2 === 0 ? before.permissions : other.permissions,
    rules: [...before.rules.slice(0, at), ...other.rules.slice(0, 2), ...before.rules.slice(at + 1)].map(
      (each, index) => ({ ...each, priority: index + 1 }),
    ),
  },
]);

const WEIGHT = { nothing: 0, redact: 1, mask: 2, reveal: 3 };

/** How much a request meets, by the function that explains decisions. */
function weigh(granted: Grants, name: TokenPermission, way: Way, where: string): number {
  const right: Right = name === 'token:use' ? { use: way } : name;
  return WEIGHT[explainGrants(granted, right, where).transform ?? 'nothing'];
}

/** The rules decide a container as this one: the nearest named one at or above it. */
const nearest = (all: readonly string[], where: string): string =>
  all.filter((each) => where.startsWith(each)).toSorted((a, b) => b.length - a.length)[0] ?? '';

describe('effects of a change of grants', () => {
  const runs = { numRuns: cases(400) };

  it('are exactly the places where a request is decided otherwise', () => {
    fc.assert(
      fc.property(edit, container, permission, ([before, after], where, name) => {
        const at = nearest(decidingContainers([before, after]), where);
        const effect = accessEffects(before, after).find(
          (each) => each.container === at && each.permission === name,
        );
        const changes = WAYS.map((way) => weigh(after, name, way, where) - weigh(before, name, way, where));
        expect(effect !== undefined).toBe(changes.some((change) => change !== 0));
        expect(effect?.givesMore ?? false).toBe(changes.some((change) => change > 0));
      }),
      runs,
    );
  });

  it('give more if a call without a token becomes possible', () => {
    fc.assert(
      fc.property(edit, fc.constantFrom(...WAYS), ([before, after], way) => {
        if (!mayUseSomewhere(after, way) || mayUseSomewhere(before, way)) return;
        const more = accessEffects(before, after).filter((effect) => effect.givesMore);
        expect(more.map((effect) => effect.permission)).toContain('token:use');
      }),
      runs,
    );
  });

  it('are none of the same grants in another order', () => {
    fc.assert(
      fc.property(grants, (granted) => {
        const other = { permissions: granted.permissions.toReversed(), rules: granted.rules.toReversed() };
        expect(accessEffects(granted, other)).toEqual([]);
      }),
      runs,
    );
  });

  const limited = (proxies: readonly string[], priority = 1): AccessRule => ({
    priority,
    container: '/pci/',
    transform: 'mask',
    permissions: ['token:use'],
    through: { proxies, reactors: [] },
  });
  const shown = ({ container: where, before, after, givesMore }: AccessEffect) => ({
    where,
    before: before?.through?.proxies ?? before,
    after: after?.through?.proxies ?? after,
    givesMore,
  });

  it('name calls without a token that a rule permits which decides nowhere', () => {
    const before = { permissions: [], rules: [limited(['p'])] };
    const after = { permissions: [], rules: [limited(['p']), limited(['q'], 2)] };
    expect(accessEffects(before, after).map(shown)).toEqual([
      { where: undefined, before: ['p'], after: ['p', 'q'], givesMore: true },
    ]);
    expect(accessEffects(after, before)).toEqual([]);
  });

  it('give more only if a destination is new', () => {
    const to = (...proxies: readonly string[]) => ({ permissions: [], rules: [limited(proxies)] });
    const gives = (before: Grants, after: Grants) =>
      accessEffects(before, after).map(({ givesMore }) => givesMore);
    const open: Grants = { permissions: ['token:use'], rules: [] };
    expect(gives(to('p'), to('p', 'q'))).toEqual([true]);
    expect(gives(to('p'), to('q'))).toEqual([true]);
    expect(gives(to('p', 'q'), to('p'))).toEqual([false]);
    expect(gives(to('p', 'q'), to('q', 'p'))).toEqual([]);
    expect(gives(to('p'), open)).toEqual([true, true]);
  });

  it('show token:use as reveal, whatever the transform of the rule', () => {
    expect(accessIn({ permissions: [], rules: [limited(['p'])] }, 'token:use', '/pci/high/')).toMatchObject({
      transform: 'reveal',
    });
  });
});
