import { describePlan, planAsJson } from '../../../../bin/config/plan/describe-plan.ts';
import { exitCodeOf, givesMore, hasDifferences } from '../../../../bin/config/plan/outcome.ts';
import type { Plan } from '../../../../bin/config/model.ts';
import {
  aFile,
  aKey,
  aTenant,
  CODE,
  idOf,
  liveApplication,
  liveProxy,
  liveReactor,
  planFor,
} from './worlds.ts';

const READ = { priority: 1, container: '/pci/high/', transform: 'mask', permissions: ['token:read'] };
const USE = {
  priority: 2,
  container: '/pci/',
  transform: 'reveal',
  permissions: ['token:use'],
  through: { proxies: ['psp'] },
};
const TO = { kind: 'aws-secret', name: 'prod/checkout' } as const;

const file = aFile({
  applications: {
    checkout: {
      rules: [{ ...READ, transform: 'reveal' }, USE],
      keys: [{ name: '2026-12', to: TO, source_addresses: ['203.0.113.0/24'] }],
    },
    fresh: { name: 'Fresh', type: 'public', permissions: ['token:create'] },
  },
  proxies: { psp: { destination_url: 'https://api2.psp.example/v1', timeout: 10 } },
  reactors: { settle: { code: `${CODE}\n` } },
  removed: ['applications/old'],
  tenant: { settings: { ephemeral_proxy: false } },
});
const tenant = aTenant({
  applications: [
    liveApplication(3, { name: 'checkout', body: { rules: [READ] }, keys: [aKey(4, { name: '2026-12' })] }),
    liveApplication(5, { name: 'old', body: { rules: [READ] } }),
  ],
  proxies: [liveProxy(6, { name: 'psp', keys: [aKey(9)] })],
  reactors: [liveReactor(7, { name: 'settle' })],
  targets: { 'applications/checkout/2026-12': { state: 'empty' } },
});

const empty: Plan = planFor(aFile(), aTenant({ applications: [] }));

describe('a plan in text', () => {
  it('says what changes, who newly sees what, and what gives more', () => {
    expect(describePlan(planFor(file, tenant))).toMatchInlineSnapshot(`
"~ tenant
    settings.ephemeral_proxy  true -> false
~ applications/checkout
    rules  1 added, 1 changed                                                             gives more
    /pci/high/  token:read  mask -> reveal                                                gives more
    /pci/high/  token:use   nothing -> reveal, through proxies/psp                        gives more
    /pci/       token:use   nothing -> reveal, through proxies/psp                        gives more
    key 2026-12 is replaced, to aws-secret:prod/checkout, and                             gives more
        00000000-0000-4000-8000-000000000004 is deleted
        source_addresses  all -> 203.0.113.0/24
+ applications/fresh                                                                      gives more
    name         Fresh                                                                    gives more
    type         public                                                                   gives more
    permissions  adds token:create                                                        gives more
    /  token:create  nothing -> mask                                                      gives more
~ proxies/psp
    destination_url  https://api.psp.example/v1 -> https://api2.psp.example/v1            gives more
    timeout          25 -> 10                                                             gives more
    note: has a key that the file does not name: without a name (ends in x7Qp, id
        00000000-0000-4000-8000-000000000009, made by "Pipeline"
        (00000000-0000-4000-8000-000000000001))
~ reactors/settle
    code  sha256:bfa30f22ce43 -> sha256:509fdbe379fb (2 lines)                            gives more
- applications/old
    /pci/high/  token:read  mask -> nothing
note: 1 application is in no file: "Pipeline" (00000000-0000-4000-8000-000000000001)
1 to create, 4 to change, 1 to remove; 12 places give more
"
`);
  });

  it('has at most 100 columns, and nothing that a terminal acts on', () => {
    const hostile = `\u001b[2J${'x'.repeat(120)}\u202e\nproblem: none ${'y z '.repeat(10)}`;
    const other = aFile({
      applications: { checkout: { name: hostile, rules: [READ] } },
      proxies: { psp: { name: hostile, destination_url: `https://psp.example/${'a'.repeat(300)}` } },
    });
    const live = aTenant({
      applications: [
        liveApplication(3, { name: 'checkout', body: { rules: [READ] }, keys: [aKey(4, { name: hostile })] }),
        liveApplication(8, { name: null, body: { name: hostile } }),
      ],
    });
    const text = describePlan(planFor(other, live));
    const lines = text.split('\n');
    expect(lines.filter((line) => line.length > 100)).toEqual([]);
    expect(text.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cf}]/u);
    expect(lines.filter((line) => line.startsWith('problem'))).toEqual([]);
    expect(planAsJson(planFor(other, live)).trimEnd()).not.toMatch(/[\p{Cc}\p{Cf}]/u);
    expect(JSON.parse(planAsJson(planFor(other, live)))).toEqual(planFor(other, live));
  });

  it('says that nothing changes', () => {
    expect(describePlan({ ...empty, notes: [] })).toBe('the tenant is as the file says\n');
  });

  it('ends with the lockout and the problems', () => {
    const plan: Plan = {
      ...empty,
      notes: ['a note'],
      lockout: 'no living key',
      problems: [{ words: 'one' }, { address: 'proxies/psp', words: 'two' }],
    };
    expect(describePlan(plan).split('\n').slice(-4)).toEqual([
      'lockout: no living key',
      'problem: one',
      'problem: proxies/psp: two',
      '',
    ]);
  });
});

describe('the exit code of a plan', () => {
  const exitCode = true;

  it('is 3 for differences and 4 for those that give more, if it is asked for', () => {
    const less = planFor(aFile({ tenant: { settings: { ephemeral_proxy: false } } }), aTenant());
    expect([hasDifferences(less), givesMore(less)]).toEqual([true, false]);
    expect([empty, less, planFor(file, tenant)].map((plan) => exitCodeOf(plan, { exitCode }))).toEqual([
      0, 3, 4,
    ]);
    expect([empty, less, planFor(file, tenant)].map((plan) => exitCodeOf(plan, {}))).toEqual([0, 0, 0]);
  });

  it('is 2 for a problem, and for a lockout that is not accepted', () => {
    expect(exitCodeOf({ ...empty, problems: [{ words: 'x' }] }, { exitCode, yesLockout: true })).toBe(2);
    expect(exitCodeOf({ ...empty, lockout: 'x' }, { exitCode })).toBe(2);
    expect(exitCodeOf({ ...empty, lockout: 'x' }, { yesLockout: true })).toBe(0);
  });

  it('counts a key alone as a difference', () => {
    const entry = { rules: [READ], keys: [{ name: '2026-12', to: TO }] };
    const plan = planFor(
      aFile({ applications: { checkout: entry } }),
      aTenant({ applications: [liveApplication(3, { name: 'checkout', body: { rules: [READ] } })] }),
    );
    expect(exitCodeOf(plan, { exitCode })).toBe(4);
    expect(describePlan(plan)).toContain('0 to create, 1 to change, 0 to remove; 1 place gives more');
    expect(plan.resources).toMatchObject([{ action: 'none', id: idOf(3) }]);
  });
});
