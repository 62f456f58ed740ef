import type { DesiredValue, Difference } from '../../../../bin/config/model.ts';
import type { JsonObject } from '../../../../src/core/shared/json.ts';
import {
  aFile,
  aKey,
  aTenant,
  CODE,
  CODE_DIGEST,
  idOf,
  liveApplication,
  liveProxy,
  liveReactor,
  MANAGER,
  planFor,
  resourceOf,
  SELF,
} from './worlds.ts';

const GRANT: JsonObject = { priority: 1, container: '/pci/', transform: 'mask', permissions: ['token:read'] };
const pairs = (differences: readonly Difference[]) =>
  differences.map(({ path, words, gives }) => `${path}: ${words}: ${gives}`);
const value = (text: string, isPublic = true): DesiredValue => ({
  source: { kind: 'literal', text },
  public: isPublic,
  label: `sha256:${text}`,
  labelUnknown: false,
});
const problemsOf = (...input: Parameters<typeof planFor>) =>
  planFor(...input).problems.map(({ address, words }) => `${address ?? ''}: ${words}`);

describe('a plan of an application', () => {
  it('creates what the tenant lacks, which gives more', () => {
    const plan = planFor(
      aFile({
        applications: {
          checkout: { rules: [{ ...GRANT, permissions: ['token:use'], through: { proxies: ['psp'] } }] },
        },
        proxies: { psp: { application: 'checkout' } },
      }),
      aTenant(),
    );
    expect(plan.problems).toEqual([]);
    const checkout = resourceOf(plan, 'applications', 'checkout');
    expect(checkout).toMatchObject({ action: 'create', gives: 'more' });
    expect(checkout).not.toHaveProperty('id');
    expect(checkout.effects).toEqual([
      {
        container: '/pci/',
        permission: 'token:use',
        before: { shown: 'nothing' },
        after: { shown: 'reveal', through: ['proxies/psp'] },
        gives: 'more',
      },
    ]);
    expect(pairs(resourceOf(plan, 'proxies', 'psp').differences)).toEqual([
      'name: PSP: more',
      'destination_url: https://api.psp.example/v1: more',
      'application: applications/checkout: more',
    ]);
  });

  it('says who newly sees what', () => {
    const plan = planFor(
      aFile({ applications: { checkout: { rules: [{ ...GRANT, transform: 'reveal' }] } } }),
      aTenant({ applications: [liveApplication(3, { name: 'checkout', body: { rules: [GRANT] } })] }),
    );
    const { differences, effects, gives, action } = resourceOf(plan, 'applications', 'checkout');
    expect({ differences: pairs(differences), gives, action }).toEqual({
      differences: ['rules: 1 changed: more'],
      gives: 'more',
      action: 'update',
    });
    expect(effects).toMatchObject([
      { container: '/pci/', before: { shown: 'mask' }, after: { shown: 'reveal' } },
    ]);
  });

  it('says that a rule which decides nowhere permits calls without a token', () => {
    const use = { ...GRANT, permissions: ['token:use'], through: { proxies: [idOf(20)] } };
    const other = { ...use, priority: 2, through: { proxies: [idOf(21)] } };
    const plan = planFor(
      aFile({ applications: { checkout: { rules: [use, other] } } }),
      aTenant({ applications: [liveApplication(3, { name: 'checkout', body: { rules: [use] } })] }),
    );
    const { differences, effects } = resourceOf(plan, 'applications', 'checkout');
    expect(pairs(differences)).toEqual(['rules: 1 added: more']);
    expect(effects).toEqual([
      {
        permission: 'token:use',
        before: { shown: 'reveal', through: [idOf(20)] },
        after: { shown: 'reveal', through: [idOf(20), idOf(21)] },
        gives: 'more',
      },
    ]);
  });

  it('counts a management permission as more, and its removal as less', () => {
    const live = { name: 'admin', body: { type: 'management', permissions: ['log:read', 'tenant:read'] } };
    const tenant = aTenant({ applications: [liveApplication(3, live)] });
    const planWith = (permissions: readonly string[]) =>
      resourceOf(
        planFor(aFile({ applications: { admin: { type: 'management', permissions } } }), tenant),
        'applications',
        'admin',
      );
    expect(pairs(planWith(['log:read', 'reactor:update']).differences)).toContain(
      'permissions: adds reactor:update; removes tenant:read: more',
    );
    expect(pairs(planWith(['log:read']).differences)).toContain(
      'permissions: removes tenant:read: less or same',
    );
  });

  it('refuses another type and another end', () => {
    const tenant = aTenant({
      applications: [liveApplication(3, { name: 'checkout', body: { rules: [GRANT] } })],
    });
    const file = aFile({
      applications: { checkout: { type: 'public', permissions: ['token:create'], expires_at: '2027-01-01' } },
    });
    expect(problemsOf(file, tenant)).toEqual([
      'applications/checkout: type cannot change: remove the application, and make another one',
      'applications/checkout: expires_at cannot change: remove the application, and make another one',
    ]);
  });

  it('refuses grants as the service does, references that mean nothing, and unknown members', () => {
    const rule = { ...GRANT, permissions: ['token:use'], through: { proxies: ['none'], queues: [] } };
    expect(problemsOf(aFile({ applications: { checkout: { rules: [rule] } } }), aTenant())).toEqual([
      'applications/checkout: rules[0].through.proxies names none, which is none of the proxies',
      'applications/checkout: rules[0].through.queues is not known; known here: `proxies`, `reactors`, `callbacks`',
    ]);
    expect(
      problemsOf(aFile({ applications: { checkout: { permissions: ['log:read'] } } }), aTenant()),
    ).toEqual([
      'applications/checkout: permissions[0] is not allowed for private applications; management applications can hold it',
    ]);
  });
});

describe('a plan of a proxy', () => {
  const body = {
    request_transforms: [
      { type: 'append_header', name: 'Authorization', value: 'Bearer {{ configuration.KEY }}' },
    ],
    configuration_names: ['KEY', 'REGION'],
    configuration_labels: { REGION: 'sha256:eu public' },
  };
  const tenant = aTenant({ proxies: [liveProxy(5, { name: 'psp', body })] });
  const configuration = new Map([
    ['KEY', { source: { kind: 'env', name: 'PSP' }, public: false, labelUnknown: false } as const],
    ['REGION', value('eu')],
  ]);
  const { request_transforms: transforms } = body;
  const changed = (members: JsonObject) =>
    pairs(
      resourceOf(
        planFor(
          aFile({ proxies: { psp: { configuration, request_transforms: transforms, ...members } } }),
          tenant,
        ),
        'proxies',
        'psp',
      ).differences,
    );

  it('is empty for what the tenant has', () => {
    expect(changed({})).toEqual([]);
  });

  it.each<[JsonObject, string]>([
    [
      { destination_url: 'https://evil.example' },
      'destination_url: https://api.psp.example/v1 -> https://evil.example: more',
    ],
    [{ methods: ['POST'] }, 'methods: all -> POST: less or same'],
    [{ source_addresses: ['203.0.113.7'] }, 'source_addresses: all -> 203.0.113.7/32: less or same'],
    [{ timeout: 5 }, 'timeout: 25 -> 5: less or same'],
    [{ pass_headers: ['Location'] }, 'pass_headers: adds Location: more'],
    [{ name: 'Other' }, 'name: PSP -> Other: less or same'],
    [{ client_certificate: 'KEY' }, 'client_certificate: KEY: more'],
    [
      { response_transforms: [{ type: 'remove_header', name: 'Server' }] },
      'response_transforms[0]: remove_header Server: more',
    ],
    [{ request_transforms: [] }, 'request_transforms[0]: append_header Authorization -> none: more'],
    [
      { request_transforms: [{ type: 'append_header', name: 'Authorization', value: 'Basic sk_live_4242' }] },
      'request_transforms[0].value: another one: more',
    ],
  ])('says of %j: %s', (members, words) => {
    expect(changed(members)).toEqual([words]);
  });

  it('compares names and labels of values alone', () => {
    const next = new Map([
      ['REGION', value('us')],
      ['NEW', value('x')],
    ]);
    const file = aFile({ proxies: { psp: { configuration: next, request_transforms: transforms } } });
    expect(pairs(resourceOf(planFor(file, tenant), 'proxies', 'psp').differences)).toEqual([
      'configuration.KEY: removed: more',
      'configuration.NEW: set: more',
      'configuration.REGION: another value: more',
    ]);
    const unknown = new Map([...configuration, ['REGION', { ...value('us'), labelUnknown: true }] as const]);
    const other = aFile({ proxies: { psp: { configuration: unknown, request_transforms: transforms } } });
    expect(resourceOf(planFor(other, tenant), 'proxies', 'psp').action).toBe('none');
  });

  it('runs the code that a reactor of the file gets', () => {
    const transform = { type: 'reactor', reactor: 'settle' };
    const file = aFile({
      proxies: { psp: { request_transforms: [transform] } },
      reactors: { settle: { code: 'other' } },
    });
    const hash = CODE_DIGEST;
    const live = aTenant({
      proxies: [
        liveProxy(5, {
          name: 'psp',
          body: { request_transforms: [{ type: 'reactor', reactor_id: idOf(7), code_hash: hash }] },
        }),
        liveProxy(6, {
          name: null,
          body: {
            name: 'Other',
            request_transforms: [{ type: 'reactor', reactor_id: idOf(7), code_hash: hash }],
          },
        }),
      ],
      reactors: [liveReactor(7, { name: 'settle' })],
    });
    const plan = planFor(file, live);
    expect(resourceOf(plan, 'proxies', 'psp').differences).toMatchObject([
      { path: 'request_transforms[0].code_hash', gives: 'more' },
    ]);
    expect(resourceOf(plan, 'reactors', 'settle').notes).toEqual([
      `stops proxies that run the code of before, until they are written again: "Other" (${idOf(6)})`,
    ]);
    const same = aFile({ proxies: { psp: { request_transforms: [transform] } }, reactors: { settle: {} } });
    expect(planFor(same, live).resources.map(({ action }) => action)).toEqual(['none', 'none']);
  });
});

describe('a plan of a reactor', () => {
  const tenant = aTenant({ reactors: [liveReactor(7, { name: 'settle' })] });

  it('shows digests and the number of lines of code', () => {
    const code = `${CODE}\n// secret-of-the-code`;
    const plan = planFor(aFile({ reactors: { settle: { code } } }), tenant);
    expect(pairs(resourceOf(plan, 'reactors', 'settle').differences)).toEqual([
      expect.stringMatching(/^code: sha256:[0-9a-f]{12} -> sha256:[0-9a-f]{12} \(2 lines\): more$/) as string,
    ]);
    expect(JSON.stringify(plan)).not.toContain('secret-of-the-code');
  });

  it('compares image, packages and the application as which it acts', () => {
    const runtime = {
      image: 'node24',
      dependencies: { axios: '1.0.0' },
      bundle: 'x',
      bundle_digest: 'a'.repeat(64),
    };
    const file = aFile({
      applications: { checkout: { rules: [GRANT] } },
      reactors: { settle: { application: 'checkout', runtime } },
    });
    expect(pairs(resourceOf(planFor(file, tenant), 'reactors', 'settle').differences)).toEqual([
      'application: applications/checkout: more',
      'runtime.image: node16 -> node24: more',
      'runtime.dependencies: {"axios":"1.0.0"}: more',
      `runtime.bundle_digest: sha256:${'a'.repeat(12)}: more`,
    ]);
    const { bundle: _, bundle_digest: __, ...without } = runtime;
    expect(problemsOf(aFile({ reactors: { settle: { runtime: without } } }), tenant)).toEqual([
      'reactors/settle: runtime.dependencies differ from those of the reactor, and need runtime.bundle',
    ]);
  });

  it('takes a reactor that was read with its code', () => {
    const { code_digest: _, configuration_names: __, ...body } = liveReactor(7, { name: 'settle' }).body;
    const read = aTenant({
      reactors: [{ ...liveReactor(7, { name: 'settle' }), body: { ...body, code: CODE, configuration: {} } }],
    });
    expect(resourceOf(planFor(aFile({ reactors: { settle: {} } }), read), 'reactors', 'settle').action).toBe(
      'none',
    );
  });
});

describe('names in a plan', () => {
  const live = liveApplication(3, { name: 'old', body: { rules: [GRANT] } });
  const entry = { rules: [GRANT] };

  it('are moved', () => {
    const moved = {
      'applications/old': 'applications/older',
      'applications/older': 'applications/new',
    } as const;
    const file = aFile({ applications: { new: entry }, moved });
    const tenant = aTenant({ applications: [live] });
    expect(resourceOf(planFor(file, tenant), 'applications', 'new')).toMatchObject({
      action: 'rename',
      id: idOf(3),
      from: 'applications/old',
      differences: [{ path: 'external_id', words: 'shop/old -> shop/new', gives: 'less or same' }],
    });
    const done = aTenant({ applications: [liveApplication(3, { name: 'new', body: { rules: [GRANT] } })] });
    expect(resourceOf(planFor(file, done), 'applications', 'new').action).toBe('none');
    const both = aTenant({
      applications: [live, liveApplication(4, { name: 'new', body: { rules: [GRANT] } })],
    });
    expect(problemsOf(file, both)).toEqual([
      'applications/new: moved leads from several that exist: applications/new, applications/old',
    ]);
  });

  it('adopt a resource that was made by hand', () => {
    const tenant = aTenant({ applications: [liveApplication(3, { name: null, body: { rules: [GRANT] } })] });
    const file = aFile({ applications: { checkout: { ...entry, adopt: idOf(3) } } });
    expect(resourceOf(planFor(file, tenant), 'applications', 'checkout')).toMatchObject({
      action: 'adopt',
      id: idOf(3),
      gives: 'less or same',
    });
    expect(problemsOf(aFile({ applications: { checkout: { ...entry, adopt: idOf(8) } } }), tenant)).toEqual([
      `applications/checkout: adopt names ${idOf(8)}, which does not exist`,
    ]);
    const adopted = aTenant({
      applications: [liveApplication(3, { name: 'checkout', body: { rules: [GRANT] } })],
    });
    expect(resourceOf(planFor(file, adopted), 'applications', 'checkout').action).toBe('none');
  });

  it('are removed, and never by omission', () => {
    const tenant = aTenant({ applications: [live] });
    const plan = planFor(aFile({ removed: ['applications/old', 'applications/gone'] }), tenant);
    expect(plan.resources).toMatchObject([
      { address: 'applications/old', action: 'delete', id: idOf(3), gives: 'less or same' },
    ]);
    const omitted = planFor(aFile(), tenant);
    expect(omitted.resources).toEqual([]);
    expect(omitted.notes).toEqual([
      'the file no longer has applications/old, which stay until removed has them',
      `1 application is in no file: "Pipeline" (${SELF})`,
    ]);
  });

  it('are refused where they say two things', () => {
    const file = aFile({
      applications: { a: { ...entry, adopt: idOf(3) }, b: { ...entry, adopt: idOf(3) } },
      removed: ['applications/a', 'tokens/x' as 'applications/x', 'keys/applications/none/k'],
      moved: { 'applications/b': 'applications/c', 'applications/x': 'proxies/x' },
    });
    const tenant = aTenant({ applications: [liveApplication(3, { name: null, body: { rules: [GRANT] } })] });
    expect(problemsOf(file, tenant)).toEqual([
      'applications/b: is in the file, and moved away',
      'applications/x: moved leads to proxies/x, which is no address of the same kind',
      'applications/a: is in the file, and removed',
      'tokens/x: removed has something that is no address',
      'applications/b: is the same resource as applications/a',
      'keys/applications/none/k: removed names a key whose owner is not in the file',
    ]);
  });
});

describe('a plan of a newer service', () => {
  it('is refused', () => {
    const old = (words: string) => expect.stringContaining(words) as string;
    const newer = { tenant: { service_version: '0.2.0', region: 'eu' } };
    expect(problemsOf(aFile(), aTenant(newer))).toEqual([
      old('the service has version 0.2.0'),
      'tenant: has a member that this command does not know: region',
    ]);
    const unknown = 'has at the service what this command does not know: ';
    const body = { permissions: ['token:export'], rules: [{ ...GRANT, hours: '9-17' }], type: 'robot' };
    const transforms = [{ type: 'sign' }, { type: 'remove_header', name: 'A', when: 'never' }];
    const live = aTenant({
      applications: [liveApplication(3, { name: 'other/checkout', body })],
      proxies: [liveProxy(5, { name: null, body: { request_transforms: transforms } })],
    });
    expect(problemsOf(aFile(), live)).toEqual([
      `"other/checkout": ${unknown}rules[].hours`,
      `"other/checkout": ${unknown}robot`,
      `"other/checkout": ${unknown}token:export`,
      `"PSP" (${idOf(5)}): ${unknown}sign`,
      `"PSP" (${idOf(5)}): ${unknown}remove_header.when`,
    ]);
  });
});

describe('a plan of the tenant', () => {
  it('changes what the file names', () => {
    const { tenant } = planFor(aFile({ tenant: { settings: { ephemeral_proxy: false } } }), aTenant());
    expect(tenant).toMatchObject({ action: 'update', gives: 'less or same' });
    const more = planFor(
      aFile({ tenant: { name: 'Other', settings: { deduplicate_tokens: true } } }),
      aTenant(),
    );
    expect(pairs(more.tenant.differences)).toEqual([
      'name: Shop -> Other: less or same',
      'settings.deduplicate_tokens: false -> true: more',
    ]);
    const lenient = {
      settings: { deduplicate_tokens: 'false', ephemeral_proxy: 'true' },
      owner_id: idOf(99),
    };
    expect(
      planFor(aFile({ tenant: { settings: { ephemeral_proxy: true } } }), aTenant({ tenant: lenient })),
    ).toMatchObject({
      tenant: { action: 'none' },
      problems: [],
    });
  });
});

describe('a lockout', () => {
  const admin = (keys: readonly ReturnType<typeof aKey>[]) => ({
    ...MANAGER,
    external_id: 'shop/pipeline',
    keys,
  });
  const entry = {
    name: 'Pipeline',
    type: 'management',
    permissions: ['application:read', 'application:update'],
  };
  const keys = [{ id: idOf(2) }];

  it('is a plan that leaves no manager, or narrows the application that plans', () => {
    const tenant = aTenant({ applications: [admin([aKey(2, { name: 'ci' })])] });
    const lockoutWith = (file: Parameters<typeof aFile>[0]) => planFor(aFile(file), tenant).lockout;
    expect(lockoutWith({ applications: { pipeline: { ...entry, keys } } })).toBeUndefined();
    expect(
      lockoutWith({ applications: { pipeline: { ...entry, permissions: ['application:update'], keys } } }),
    ).toBe('it takes application:read from applications/pipeline, whose key plans');
    expect(lockoutWith({ removed: ['applications/pipeline'] })).toMatch(
      /^no living key has application:update afterwards; it deletes/,
    );
    expect(
      lockoutWith({ applications: { pipeline: entry }, removed: [`keys/applications/pipeline/${idOf(2)}`] }),
    ).toMatch(/no living key.*deletes its key ci/);
    expect(
      lockoutWith({
        applications: { pipeline: { ...entry, keys: [{ id: idOf(2), source_addresses: ['10.0.0.0/8'] }] } },
      }),
    ).toMatch(/^applications\/pipeline, whose key plans: it narrows its key ci/);
  });

  it('does not count ended keys, nor another manager', () => {
    const ended = aKey(4, { name: 'old', expires_at: '2026-11-30T00:00:00+00:00' });
    const other = liveApplication(9, {
      name: null,
      body: { type: 'management', permissions: ['application:update'] },
      keys: [ended],
    });
    const removed = { removed: ['applications/pipeline'] as const };
    const tenant = (more: readonly ReturnType<typeof aKey>[]) =>
      aTenant({ applications: [admin([aKey(2)]), { ...other, keys: [...(other.keys ?? []), ...more] }] });
    expect(planFor(aFile(removed), tenant([])).lockout).toMatch(/^no living key/);
    expect(planFor(aFile(removed), tenant([aKey(5)])).lockout).toMatch(/^it deletes/);
  });
});
