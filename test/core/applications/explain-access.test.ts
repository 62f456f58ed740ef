import { explainAccess, explainGrants } from '../../../src/core/applications/explain-access.ts';
import { decideAccess, type Right } from '../../../src/core/access/access-decision.ts';
import { TRANSFORMS, type AccessRule, type Grants } from '../../../src/core/access/access-rule.ts';
import { cases, fc } from '../../../packages/test-kit/src/properties.ts';
import { aCaller } from '../../support/builders/a-caller.ts';
import { anApplication } from '../../support/builders/an-application.ts';
import { putApplication, tablesInMemory } from '../../support/stores-in-memory.ts';
import { createApplicationStore } from '../../../src/adapters/dynamodb/application-store.ts';
import { machinePlatform } from '../../../src/adapters/machine-platform.ts';

const CONTAINERS = ['/', '/a/', '/a/b/', '/ab/', '/c/'] as const;
const PERMISSIONS = ['token:create', 'token:read', 'token:search', 'token:update', 'token:delete'] as const;
const IDS = ['token-1', 'token-2', 'other'];

const container = fc.constantFrom(...CONTAINERS);
const right = fc.oneof(
  fc.constantFrom<Right>(...PERMISSIONS),
  fc.constantFrom<Right>(
    { use: { reactor: 'x' } },
    { use: { reactor: 'x', callback: 'https://a.example/hooks/7' } },
    { use: { proxy: 'y' } },
    { use: 'named_by_caller' },
  ),
);
const condition = fc.oneof(
  fc.record({
    attribute: fc.constant('container' as const),
    operator: fc.constantFrom('equals' as const, 'starts_with' as const),
    value: container,
  }),
  fc.record({
    attribute: fc.constant('id' as const),
    operator: fc.constantFrom('equals' as const, 'starts_with' as const),
    value: fc.constantFrom('token-1', 'token', 'nothing'),
  }),
);
const rule = fc
  .record({
    place: fc.oneof(
      { weight: 2, arbitrary: fc.record({ container }) },
      {
        weight: 1,
        arbitrary: fc.record({ conditions: fc.array(condition, { minLength: 1, maxLength: 2 }) }),
      },
    ),
    transform: fc.constantFrom(...TRANSFORMS),
    permissions: fc.subarray([...PERMISSIONS, 'token:use' as const], { minLength: 1 }),
    through: fc.option(
      fc.constantFrom(
        { proxies: [], reactors: ['x'] },
        { proxies: [], reactors: ['x'], callbacks: ['https://a.example/hooks'] },
        { proxies: ['y'], reactors: ['z'] },
      ),
      { nil: undefined },
    ),
  })
  .map(({ place, through, ...rest }) => ({
    ...place,
    ...rest,
    ...(through !== undefined && rest.permissions.includes('token:use') && { through }),
  }));
const grants: fc.Arbitrary<Grants> = fc
  .tuple(
    fc.subarray([...PERMISSIONS, 'token:use' as const], { maxLength: 2 }),
    fc.array(rule, { maxLength: 5 }),
    fc.boolean(),
  )
  .map(([permissions, rules, isReversed]) => ({
    permissions,
    rules: rules.map((each, index): AccessRule => ({
      ...each,
      priority: isReversed ? rules.length - index : index + 1,
    })),
  }));

describe('an explanation', () => {
  it('is what a request meets, whatever the id of its token, and names the deciding rule', () => {
    const seen = new Map<unknown, number>();
    fc.assert(
      fc.property(grants, right, container, (of, wanted, where) => {
        const { allowed, transform, decidedBy, steps } = explainGrants(of, wanted, where);
        seen.set(allowed, (seen.get(allowed) ?? 0) + 1);
        // A new token has no id when its creation is decided.
        const ids = wanted === 'token:create' ? [undefined] : [...IDS, undefined];
        const met = ids.map((id) =>
          decideAccess(of, wanted, { containers: [where], ...(id !== undefined && { id }) }),
        );
        const last = steps.at(-1);
        const isDecided = last?.matched === true ? last.candidate : undefined;
        if (!steps.slice(0, -1).every(({ matched }) => matched === false) || decidedBy !== isDecided)
          return false;
        if (allowed === 'unknown') {
          const { conditions = [] } = (last as { readonly candidate: AccessRule }).candidate;
          const asksForId = conditions.some(({ attribute }) => attribute === 'id');
          return last?.matched === 'unknown' && asksForId && wanted !== 'token:create' && !transform;
        }
        // A use inserts plaintext, whatever its rule says.
        const shown = typeof wanted === 'string' || !allowed ? transform : ('reveal' as const);
        const isMet = met.every((each) =>
          typeof wanted === 'string' ? each === shown : (each !== undefined) === allowed,
        );
        if (!isMet || transform !== shown || (transform !== undefined) !== allowed) return false;
        // Without the candidate that decides, something else decides, or nothing.
        if (decidedBy === undefined || decidedBy === 'permissions') return true;
        const later = { ...of, rules: of.rules.filter((each) => each.priority >= decidedBy.priority) };
        return explainGrants(later, wanted, where).steps[0]?.candidate === decidedBy;
      }),
      { numRuns: cases(10_000) },
    );
    for (const verdict of [true, false, 'unknown'])
      expect(seen.get(verdict)).toBeGreaterThan(cases(10_000) / 50);
  });

  it('says in each step why a candidate decides or does not', () => {
    const rules: AccessRule[] = [
      {
        priority: 3,
        container: '/a/',
        transform: 'mask',
        permissions: ['token:use'],
        through: { proxies: [], reactors: ['x'] },
      },
      { priority: 1, container: '/', transform: 'mask', permissions: ['token:read'] },
      { priority: 2, container: '/c/', transform: 'mask', permissions: ['token:use'] },
    ];
    const reported = (wanted: Right, of: Grants = { permissions: [], rules }) =>
      explainGrants(of, wanted, '/a/b/').steps.map(({ candidate, matched, because }) => [
        typeof candidate === 'object' ? candidate.priority : candidate,
        matched,
        because,
      ]);
    const before = [
      [1, false, 'It does not grant token:use.'],
      [2, false, 'It does not cover the container.'],
    ];
    const decides = 'It is the first that grants the permission and covers the container, so it decides.';
    expect(reported({ use: { reactor: 'x' } })).toEqual([...before, [3, true, decides]]);
    expect(reported({ use: 'named_by_caller' })).toEqual([
      ...before,
      [3, true, `${decides} Its \`through\` does not name this destination, so the request is refused.`],
    ]);
    expect(reported('token:delete').at(-1)).toEqual([
      'permissions',
      false,
      'token:delete is not granted at the top level.',
    ]);
  });

  it('is for holders of application:read alone, of their tenant, and follows the setting', async () => {
    const caller = aCaller({
      type: 'management',
      permissions: ['application:read'],
      tenantSettings: { deduplicateTokens: false, ephemeralProxy: true },
    });
    const application = anApplication({ tenantId: caller.tenantId, permissions: ['token:use'] });
    const tables = tablesInMemory();
    putApplication(tables, application);
    const applicationStore = createApplicationStore(tables.table('Access'));
    const deps = { ...machinePlatform, applicationStore } as unknown as Parameters<typeof explainAccess>[0];
    const question = {
      subject: { applicationId: application.id },
      right: { use: 'named_by_caller' as const },
      container: '/a/',
    };
    expect(await explainAccess(deps, caller, question)).toMatchObject({ allowed: true, transform: 'reveal' });
    const elsewhere = { ...caller, tenantId: 'another' };
    await expect(explainAccess(deps, elsewhere, question)).rejects.toMatchObject({ code: 'not_found' });
    const weak = { ...caller, permissions: ['application:update' as const] };
    await expect(explainAccess(deps, weak, question)).rejects.toMatchObject({ code: 'forbidden' });
    const off = { ...caller, tenantSettings: { deduplicateTokens: false, ephemeralProxy: false } };
    const answer = await explainAccess(deps, off, question);
    const ofReactor = await explainAccess(deps, off, { ...question, right: { use: { reactor: 'x' } } });
    expect([answer.allowed, answer.decidedBy, answer.steps.map(({ candidate }) => candidate)]).toEqual([
      false,
      undefined,
      ['tenant'],
    ]);
    expect(ofReactor.allowed).toBe(true);
  });
});
