// Random tenants and files: nothing that gives more is called less, whatever the spelling.
import { describePlan, planAsJson } from '../../../../bin/config/plan/describe-plan.ts';
import { exitCodeOf, hasDifferences } from '../../../../bin/config/plan/outcome.ts';
import { planFileText } from '../../../../bin/config/plan/plan-file.ts';
import type { DesiredValue, Live, LiveResource, Plan } from '../../../../bin/config/model.ts';
import { cases, fc } from '../../../../packages/test-kit/src/properties.ts';
import { decideAccess, mayUseSomewhere, type Way } from '../../../../src/core/access/access-decision.ts';
import { TRANSFORMS, type AccessRule, type Grants } from '../../../../src/core/access/access-rule.ts';
import { isWithin } from '../../../../src/core/access/source-networks.ts';
import type { JsonObject } from '../../../../src/core/shared/json.ts';
import {
  aFile,
  aKey,
  aTenant,
  idOf,
  liveApplication,
  liveProxy,
  liveReactor,
  planFor,
  resourceOf,
} from './worlds.ts';

const TOKEN_PERMISSIONS = ['read', 'search', 'use', 'create', 'update', 'delete'].map(
  (each) => `token:${each}`,
);
const PSP = idOf(20);
const OTHER_PSP = idOf(21);
const SETTLE = idOf(30);
const HOOKS = 'https://shop.example/hooks';

const container = fc
  .array(fc.constantFrom('pci', 'pcix', 'high'), { maxLength: 2 })
  .map((parts) => `/${parts.map((part) => `${part}/`).join('')}`);
const list = (all: readonly string[], minLength = 0) => fc.subarray([...all], { minLength });

/** Limits of `token:use`, in the form of the service: sorted, without empty lists. */
const through = fc
  .tuple(list([PSP, OTHER_PSP]), list([SETTLE]), list([`${HOOKS}/7`, HOOKS]))
  .filter(([proxies, reactors]) => proxies.length + reactors.length > 0)
  .map(([proxies, reactors, callbacks]): JsonObject => ({
    ...(proxies.length > 0 && { proxies }),
    ...(reactors.length > 0 && { reactors }),
    ...(reactors.length > 0 && callbacks.length > 0 && { callbacks }),
  }));

const rule = fc
  .record({
    container,
    transform: fc.constantFrom(...TRANSFORMS),
    permissions: list(TOKEN_PERMISSIONS, 1),
    through: fc.option(through, { nil: undefined }),
  })
  .map(({ through: limit, ...each }): JsonObject => ({
    ...each,
    ...(limit !== undefined && each.permissions.includes('token:use') && { through: limit }),
  }));

/** Rights of a private application, as the service shows them. */
const rights = fc
  .record({ permissions: list(TOKEN_PERMISSIONS), rules: fc.array(rule, { maxLength: 4 }) })
  .filter(({ permissions, rules }) => permissions.length + rules.length > 0)
  .map(({ permissions, rules }): JsonObject => ({
    permissions,
    rules: rules.map((each, index) => ({ priority: 10 * (index + 1), ...each })),
  }));

const listsIn = (body: JsonObject, member: string) => body[member] as readonly string[];
const rulesIn = (body: JsonObject) => body['rules'] as readonly JsonObject[];

const containerOf = (rule: JsonObject) => rule['container'] as string;

/** The grants that the rights of a body are, written apart from the service's parser. */
const grantsOf = (body: JsonObject): Grants => ({
  permissions: listsIn(body, 'permissions') as Grants['permissions'],
  rules: rulesIn(body).map((each) => {
    const limit = each['through'] as
      | Partial<Record<'proxies' | 'reactors' | 'callbacks', readonly string[]>>
      | undefined;
    return {
      ...each,
      ...(limit !== undefined && { through: { proxies: [], reactors: [], ...limit } }),
    } as unknown as AccessRule;
  }),
});

const TARGETS = {
  proxies: [liveProxy(20, { name: 'psp' }), liveProxy(21, { name: null })],
  reactors: [liveReactor(30, { name: 'settle' })],
};
const ENTRIES = { proxies: { psp: {} }, reactors: { settle: {} } };
const NAMES: Readonly<Record<string, string>> = { [PSP]: 'psp', [SETTLE]: 'shop/settle' };

const tenantWith = (body: JsonObject): Live =>
  aTenant({ ...TARGETS, applications: [liveApplication(3, { name: 'checkout', body })] });
const fileWith = (body: JsonObject) => aFile({ ...ENTRIES, applications: { checkout: body } });

const WAYS: readonly Way[] = [
  'named_by_caller',
  { proxy: PSP },
  { proxy: OTHER_PSP },
  { reactor: SETTLE },
  ...[HOOKS, `${HOOKS}/7`, `${HOOKS}/8`, 'https://evil.example/'].map((callback) => ({
    reactor: SETTLE,
    callback,
  })),
];
const WEIGHT = { nothing: 0, redact: 1, mask: 2, reveal: 3 };

function weigh(grants: Grants, permission: string, way: Way, where: readonly string[]): number {
  if (permission !== 'token:use')
    return WEIGHT[decideAccess(grants, permission as 'token:read', { containers: where }) ?? 'nothing'];
  return decideAccess(grants, { use: way }, { containers: where }) === undefined ? 0 : WEIGHT.reveal;
}

const shuffled = <T>(all: readonly T[], by: number): readonly T[] => {
  const at = all.length === 0 ? 0 : by % all.length;
  const turned = [...all.slice(at), ...all.slice(0, at)];
  return by % 2 === 0 ? turned.toReversed() : turned;
};

describe('a plan of an application that is spelled otherwise', () => {
  /** Writes rights with names, upper case, other orders and repetitions. */
  const respelled = (body: JsonObject, by: number): JsonObject => {
    const again = (all: readonly string[]) => shuffled([...all, ...all.slice(0, by % 3)], by);
    const limit = (of: JsonObject) =>
      Object.fromEntries(
        ['proxies', 'reactors', 'callbacks'].flatMap((member) => {
          const all = of[member] as readonly string[] | undefined;
          if (all === undefined) return by % 2 === 0 ? [[member, []]] : [];
          return [[member, again(all.map((id) => (by % 5 < 3 ? (NAMES[id] ?? id) : id)))]];
        }),
      );
    return {
      permissions: again(listsIn(body, 'permissions')),
      rules: shuffled(
        rulesIn(body).map((each) => ({
          ...each,
          container: by % 2 === 0 ? containerOf(each).toUpperCase() : containerOf(each),
          permissions: again(each['permissions'] as readonly string[]),
          ...(each['through'] !== undefined && { through: limit(each['through'] as JsonObject) }),
        })),
        by,
      ),
    };
  };

  it('is empty', () => {
    fc.assert(
      fc.property(rights, fc.nat(60), (body, by) => {
        const plan = planFor(fileWith(respelled(body, by)), tenantWith(body));
        expect(plan.problems).toEqual([]);
        expect(hasDifferences(plan)).toBe(false);
      }),
      { numRuns: cases(150) },
    );
  });
});

describe('a plan of the grants of an application', () => {
  it('is exactly what requests meet afterwards', () => {
    const input = fc.tuple(rights, rights, fc.array(container, { minLength: 1, maxLength: 2 }));
    fc.assert(
      fc.property(input, ([before, after, where]) => {
        const { effects, gives } = resourceOf(
          planFor(fileWith(after), tenantWith(before)),
          'applications',
          'checkout',
        );
        const old = grantsOf(before);
        const next = grantsOf(after);
        const named = ['/', ...[...rulesIn(before), ...rulesIn(after)].map((each) => containerOf(each))];
        for (const permission of TOKEN_PERMISSIONS)
          for (const way of WAYS) {
            const [from, to] = [old, next].map((grants) => weigh(grants, permission, way, where));
            // A token in several containers needs access in each of them.
            if ((to ?? 0) > (from ?? 0)) expect(gives).toBe('more');
            if (where.length > 1 || from === to) continue;
            const [place = ''] = named
              .filter((each) => where[0]?.startsWith(each))
              .toSorted((a, b) => b.length - a.length);
            const effect = effects.find((each) => each.container === place && each.permission === permission);
            expect(effect).toBeDefined();
            if ((to ?? 0) > (from ?? 0)) expect(effect?.gives).toBe('more');
          }
        for (const way of WAYS)
          if (mayUseSomewhere(next, way) && !mayUseSomewhere(old, way)) expect(gives).toBe('more');
      }),
      { numRuns: cases(150) },
    );
  });

  it('has no effect where nothing changes for any request', () => {
    fc.assert(
      fc.property(rights, rights, (before, after) => {
        const { effects } = resourceOf(
          planFor(fileWith(after), tenantWith(before)),
          'applications',
          'checkout',
        );
        const [old, next] = [before, after].map(grantsOf);
        for (const { container: place, permission, gives } of effects) {
          if (place === undefined || old === undefined || next === undefined) continue;
          const changes = WAYS.map(
            (way) => weigh(next, permission, way, [place]) - weigh(old, permission, way, [place]),
          );
          expect(changes.some((change) => change !== 0)).toBe(true);
          expect(changes.some((change) => change > 0)).toBe(gives === 'more');
        }
      }),
      { numRuns: cases(100) },
    );
  });
});

describe('a plan of networks and ends', () => {
  const network = fc
    .tuple(fc.constantFrom(0, 8, 15, 16, 24, 31, 32), fc.nat(3), fc.nat(3))
    .map(([bits, a, b]) => {
      const octets = [10, a, b, 0];
      const address = octets.reduce((sum, octet) => sum * 256 + octet, 0);
      const masked = bits === 0 ? 0 : Math.floor(address / 2 ** (32 - bits)) * 2 ** (32 - bits);
      return `${[24, 16, 8, 0].map((shift) => Math.floor(masked / 2 ** shift) % 256).join('.')}/${String(bits)}`;
    });
  const networks = fc.uniqueArray(network, { maxLength: 3 });
  const admits = (all: readonly string[], address: string) => all.length === 0 || isWithin(all, address);
  const addresses = Array.from({ length: 16 }, (_, at) =>
    [0, 1, 255].map((last) => `10.${String(at % 4)}.${String(at >> 2)}.${String(last)}`),
  ).flat();

  it('never calls a network narrower that admits another address', () => {
    fc.assert(
      fc.property(networks, networks, (before, after) => {
        const proxy = liveProxy(20, { name: 'psp', body: { source_addresses: before } });
        const file = aFile({ proxies: { psp: { source_addresses: after } } });
        const { gives } = resourceOf(planFor(file, aTenant({ proxies: [proxy] })), 'proxies', 'psp');
        const widens = [...addresses, '192.0.2.1', '2001:db8::1'].some(
          (address) => admits(after, address) && !admits(before, address),
        );
        if (widens) expect(gives).toBe('more');
      }),
      { numRuns: cases(200) },
    );
  });

  it('is empty for another spelling of a key', () => {
    const spelled = fc.constantFrom(
      ['2027-01-31', '2027-01-31T00:00:00+00:00'],
      ['2027-01-31T01:00:00+01:00', '2027-01-31T00:00:00+00:00'],
      ['2027-01-31 00:00:00Z', '2027-01-31T00:00:00+00:00'],
    );
    fc.assert(
      fc.property(networks, fc.nat(9), spelled, (all, by, [written = '', stored = '']) => {
        const key = aKey(4, { name: 'k', source_addresses: all, expires_at: stored });
        const short = all.map((each) => (each.endsWith('/32') ? each.slice(0, -3) : each));
        const networksOf = shuffled([...short, ...short.slice(0, 1)], by);
        const entry = {
          name: 'k',
          to: { kind: 'file', name: 'k' } as const,
          source_addresses: networksOf,
          expires_at: written,
        };
        const plan = planFor(
          aFile({ proxies: { psp: { keys: [entry] } } }),
          aTenant({
            proxies: [liveProxy(20, { name: 'psp', keys: [key] })],
            targets: { 'proxies/psp/k': { state: 'stored', key_id: idOf(4) } },
          }),
        );
        expect([plan.problems, hasDifferences(plan)]).toEqual([[], false]);
      }),
      { numRuns: cases(50) },
    );
  });
});

describe('a plan of a proxy', () => {
  const METHODS = ['DELETE', 'GET', 'POST'];
  const option = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined });
  const MEMBERS = {
    destination_url: fc.constantFrom('https://api.psp.example/v1', 'https://evil.example'),
    methods: option(list(METHODS, 1)),
    paths: option(list(['/a', '/a/*', '/b'], 1)),
    pass_headers: option(list(['Location', 'X-A'], 1)),
    require_auth: fc.boolean(),
    application: option(fc.constantFrom(3, 5)),
    timeout: fc.constantFrom(5, 25),
    source_addresses: list(['10.0.0.0/8', '10.1.0.0/16']),
    transform: option(fc.constantFrom('a', 'b')),
  };
  const proxy = fc.record(MEMBERS);
  type Proxy = typeof proxy extends fc.Arbitrary<infer T> ? T : never;
  const isValid = ({ require_auth: guarded, application }: Proxy) => guarded || application !== undefined;
  /** Draws a proxy, and the same one after a change of one or two members. */
  const change = fc
    .tuple(proxy, proxy, fc.subarray(Object.keys(MEMBERS) as (keyof Proxy)[], { maxLength: 2 }))
    .map(([before, other, members]): readonly [Proxy, Proxy] => [
      before,
      { ...before, ...Object.fromEntries(members.map((member) => [member, other[member]])) },
    ])
    .filter((both) => both.every(isValid));
  const present = (members: Readonly<Record<string, unknown>>): JsonObject =>
    Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as JsonObject;
  const transformsOf = (name: string | undefined) =>
    name === undefined ? [] : [{ type: 'append_header', name: 'X-Name', value: name }];
  const liveOf = ({ application, transform, ...body }: Proxy): LiveResource =>
    liveProxy(20, {
      name: 'psp',
      body: present({
        ...body,
        application: application === undefined ? undefined : { id: idOf(application) },
        request_transforms: transformsOf(transform),
      }),
    });
  const applications = [3, 5].map((number) => liveApplication(number, { name: null }));
  const planOfChange = (before: Proxy, { application, transform, ...after }: Proxy): Plan =>
    planFor(
      aFile({
        proxies: {
          psp: {
            ...present({
              ...after,
              application: application === undefined ? undefined : idOf(application),
              request_transforms: transformsOf(transform),
            }),
          },
        },
      }),
      aTenant({ applications, proxies: [liveOf(before)] }),
    );

  it('calls less only what admits no other call, and sends nothing elsewhere', () => {
    const widens = (
      before: readonly string[] | undefined,
      after: readonly string[] | undefined,
      all: boolean,
    ) =>
      after === undefined
        ? all && before !== undefined
        : after.some((each) => (before === undefined ? !all : !before.includes(each)));
    fc.assert(
      fc.property(change, ([before, after]) => {
        const plan = planOfChange(before, after);
        const isSame = JSON.stringify(present(before)) === JSON.stringify(present(after));
        expect([plan.problems, hasDifferences(plan)]).toEqual([[], !isSame]);
        const isMore =
          before.destination_url !== after.destination_url ||
          before.application !== after.application ||
          before.transform !== after.transform ||
          (before.require_auth && !after.require_auth) ||
          before.timeout < after.timeout ||
          widens(before.methods, after.methods, true) ||
          widens(before.paths, after.paths, true) ||
          widens(before.pass_headers, after.pass_headers, false) ||
          ['10.0.0.1', '10.1.0.1', '192.0.2.1'].some(
            (address) =>
              (after.source_addresses.length === 0 || isWithin(after.source_addresses, address)) &&
              before.source_addresses.length > 0 &&
              !isWithin(before.source_addresses, address),
          );
        expect(resourceOf(plan, 'proxies', 'psp').gives === 'more').toBe(isMore);
        expect(exitCodeOf(plan, { exitCode: true })).toBe(isMore ? 4 : isSame ? 0 : 3);
      }),
      { numRuns: cases(200) },
    );
  });
});

describe('a plan', () => {
  it('has no value, no code and no text in which a value may be', () => {
    const secret = 'sk_live_4242_secret';
    const value: DesiredValue = {
      source: { kind: 'literal', text: secret },
      public: true,
      label: 'sha256:x',
      labelUnknown: false,
    };
    const configuration = new Map([['KEY', value]]);
    const transforms = [
      { type: 'append_header', name: 'X-A', value: secret },
      { type: 'append_json', location: '$.a', value: { inner: secret } },
      { type: 'tokenize', location: '$.b', token: { type: 'token', data: secret } },
    ];
    const file = (text: string) =>
      aFile({
        proxies: {
          psp: {
            configuration,
            request_transforms: transforms,
            response_transforms: [{ type: 'mask', location: '$.c', replacement: text }],
          },
        },
        reactors: { settle: { code: `//${secret}`, configuration } },
      });
    const live = aTenant({
      proxies: [
        liveProxy(20, {
          name: 'psp',
          body: {
            request_transforms: transforms.map((each) => ({ ...each, name: 'X-B' })).slice(0, 1),
            configuration_names: ['KEY'],
          },
        }),
      ],
      reactors: [
        liveReactor(30, { name: 'settle', body: { code: `${secret}()`, configuration: { KEY: secret } } }),
      ],
    });
    for (const tenant of [aTenant(), live]) {
      const plan = planFor(file(secret), tenant);
      expect(plan.problems).toEqual([]);
      expect(hasDifferences(plan)).toBe(true);
      for (const text of [
        JSON.stringify(plan),
        describePlan(plan),
        planAsJson(plan),
        planFileText({ url: 'https://v.example', plan }),
      ])
        expect(text).not.toContain(secret);
    }
  });
});
