import { readFileSync } from 'node:fs';
import type { core } from 'zod/mini';
import { RULE_LIMITS } from '../../src/core/access/access-rule.ts';
import { FieldReporter, PATHS_MAX } from '../../src/core/shared/field-reporter.ts';
import type { Json } from '../../src/core/shared/json.ts';
import { apiRequest } from '../../src/http/api-request.ts';
import { innerSchemas } from '../../src/http/inner-schemas.ts';
import { IGNORED_MAX, inKnownSpelling } from '../../src/http/known-spelling.ts';
import { RESTRICTING } from '../../src/http/restricting-names.ts';
import { parseAt, readBody } from '../../src/http/parse-input.ts';
import { createTokenBody } from '../../src/wire/token.ts';
import { allRoutes } from '../../tools/openapi/all-routes.ts';
import { anEvent } from '../support/builders/an-event.ts';
import { cases, fc } from '../../packages/test-kit/src/properties.ts';
import { machinePlatform } from '../../src/adapters/machine-platform.ts';

/** A member of a schema: the names and `[0]` on the way to it. */
interface Member {
  readonly way: readonly string[];
  readonly name: string;
  readonly siblings: readonly string[];
}

/** Finds all members of a schema, at every depth. */
function membersOf(schema: core.$ZodType, way: readonly string[] = []): readonly Member[] {
  const inner = innerSchemas(schema);
  if (inner.kind === 'leaf') return [];
  if (inner.kind === 'array') return membersOf(inner.element, [...way, '[0]']);
  if (inner.kind === 'same') return inner.schemas.flatMap((each) => membersOf(each, way));
  const siblings = Object.keys(inner.shape);
  return Object.entries(inner.shape).flatMap(([name, each]) => [
    { way, name, siblings },
    ...membersOf(each, [...way, name]),
  ]);
}

const bodies = [
  ...allRoutes().flatMap(({ operation, body }) => (body === undefined ? [] : [[operation, body] as const])),
  ['tokenize, a token in it', createTokenBody] as const,
];
const members = bodies.flatMap(([operation, schema]) =>
  membersOf(schema).map((member) => ({ operation, schema, ...member })),
);
const restricting = members.filter(({ name }) => RESTRICTING.has(name));

/** Members that restrict nothing: ignoring them costs no right and no time. */
const HARMLESS = [
  ...['application', 'args', 'callbackUrl', 'callback_url', 'code', 'configuration', 'description', 'name'],
  ...['data', 'fingerprint', 'fingerprint_expression', 'id', 'metadata', 'search_indexes', 'type', 'nonce'],
  // A reactor has no more rights on one image than on another. Some of these are refused with a
  // reason.
  ...['runtime', 'image', 'warm_concurrency', 'node_version', 'status', 'closes_at', 'outdated'],
  ...['bundle', 'bundle_digest', 'dependencies', 'resolutions', 'resources'],
  // An explanation needs it, or rights. A rule with fewer destinations permits less.
  ...['application_id', 'proxies', 'reactors', 'callbacks'],
  // Without it the response itself has the result.
  'async',
  // Names and notes for people and tools. They open nothing.
  ...['external_id', 'configuration_labels', 'configuration_revision', 'service_version'],
  // These are parameters of a page.
  ...['after', 'page', 'size'],
  // No update changes these.
  ...['created_at', 'created_by', 'hint', 'last_used_on', 'modified_at', 'modified_by', 'tenant_id'],
  'recovered_at',
  // A stored proxy without any of these is refused, or does the same for all callers.
  ...['destination_url', 'client_certificate', 'timeout', 'configuration_names', 'version'],
  ...['require_auth', 'location', 'matcher', 'expression', 'names'],
  ...['token', 'replacement', 'reactor_id', 'code_hash', 'scheme', 'options'],
  // Without one of these a request is refused, or less passes.
  ...['header', 'algorithm', 'encoding', 'key_encoding', 'prefix', 'signed', 'delivery'],
  ...['statuses', 'otherwise', 'optional', 'as'],
  // Without it fewer headers pass.
  'pass_headers',
  // They decide how long a version can be reverted to, and nothing that a call may do.
  ...['keep', 'free_versions'],
  // The schema itself knows this other name.
  'timeoutMs',
];

const camelCase = (name: string) => name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
const spellingsOf = (name: string) => {
  const camel = camelCase(name);
  const pascal = camel.charAt(0).toUpperCase() + camel.slice(1);
  return [name, camel, pascal, name.toUpperCase(), name.replaceAll('_', '-'), name.replaceAll('_', ' ')];
};

/** A body with one member, in an object at the end of the way. */
const bodyWith = (way: readonly string[], content: object): unknown =>
  way.reduceRight<unknown>((inside, step) => (step === '[0]' ? [inside] : { [step]: inside }), content);
const atEnd = (body: unknown, way: readonly string[]): unknown =>
  way.reduce<any>((inside, step) => inside?.[step === '[0]' ? 0 : step], body);
const pathOf = (way: readonly string[], name: string) => [...way, name].join('.').replaceAll('.[', '[');

function read(schema: core.$ZodType, body: unknown) {
  const fields = new FieldReporter();
  const value = inKnownSpelling(schema, body, '', fields);
  return { value, errors: fields.failed ? { ...fields.error().errors } : {} };
}

/** Names by which clients of other services restrict. */
const OF_KINDS = [
  ...[
    'expirationDate',
    'expiration_date',
    'expirationTime',
    'expires_at_timestamp',
    'expire:at',
    'expires_in',
  ],
  ...[
    'valid_to',
    'valid_until',
    'validUntilDate',
    'not_after',
    'max_age',
    'maxAgeSeconds',
    'lifetime',
    'expiry',
  ],
  ...['ttl', 'ttlSeconds', 'cache_ttl', 'time_to_live', 'active_until', 'retention_days'],
  ...['allowed_containers', 'ns:containers', 'containerIds', 'permission', 'access_rules', 'x-permissions'],
  ...['maskFormat', 'masking', 'mask_template', 'redacted', 'transforms', 'dedupe', 'deduplication'],
  ...[
    'via',
    'passThrough',
    'ephemeral',
    'proxies',
    'proxy',
    'reactor_ids',
    'reactors',
    'allowed_destinations',
  ],
  ...['filter', 'filters', 'criteria', 'where', 'match', 'restrictions', 'scope', 'scopes', 'preconditions'],
  ...['privacy', 'impact_level', 'restriction_policy', `expires${'_'.repeat(70)}on`, `${'x'.repeat(70)}Mask`],
];

/** Words that are near a restricting name, or contain one, and restrict nothing. */
const ORDINARY = [
  ...['title', 'time', 'export', 'exp', 'task', 'mark', 'role', 'private', 'primary', 'transfer', 'tel'],
  ...[
    'duplicate',
    'expert',
    'reason',
    'rematch',
    'somewhere',
    'settlement',
    'network',
    'relationships',
    'trusted',
    'throttled',
    'valid',
    'ruler',
  ],
  ...['valid_token', 'valid_format', 'max_agents', 'can_create_expiring_applications', '', '___'],
];

describe('a body of a lenient deployment', () => {
  it('has no member without a decision whether it restricts', () => {
    const names = new Set(members.map(({ name }) => name));
    expect([...names].filter((name) => !RESTRICTING.has(name) && !HARMLESS.includes(name))).toEqual([]);
    expect([...RESTRICTING].filter((name) => !names.has(name))).toEqual([]);
    expect(restricting.length).toBeGreaterThan(50);
  });

  it.each(members)('$operation: $way $name is read in any spelling', ({ schema, way, name }) => {
    for (const sent of spellingsOf(name)) {
      const { value, errors } = read(schema, bodyWith(way, { [sent]: 'sent' }));
      // Not every spelling differs: `callbackUrl` is a member of its own.
      const known = Object.keys(atEnd(value, way) as object);
      expect([sent, errors, known.map((each) => each.replace('_', '').toLowerCase())]).toEqual([
        sent,
        {},
        [name.replace('_', '').toLowerCase()],
      ]);
      expect(Object.values(atEnd(value, way) as object)).toEqual(['sent']);
    }
  });

  it.each(restricting)(
    '$operation: $way $name is refused where it is nearly its name',
    ({ schema, way, name, siblings }) => {
      const doubled = `${name}${name.at(-1) ?? ''}`;
      const swapped = name.replace(/(.)(.)$/, '$2$1');
      for (const sent of [name.slice(0, -1), doubled, swapped, camelCase(name).slice(0, -1)]) {
        if (siblings.includes(sent)) continue;
        // `permission` and `permissions` are members of one body.
        const meant = [
          name,
          ...siblings.filter((each) => name.startsWith(each) || each.startsWith(name)),
        ].join('|');
        const { errors } = read(schema, bodyWith(way, { [sent]: 'sent' }));
        expect(errors).toEqual({
          [pathOf(way, sent)]: [
            expect.stringMatching(new RegExp(`^is not known; did you mean \`(${meant})\`\\?$`)),
          ],
        });
      }
    },
  );

  it.each(bodies)('%s drops no name that restricts elsewhere', (_operation, schema) => {
    const names = ['expiresAt', 'Permissions', 'rules', 'containers', 'MASK', 'transform', 'ttl', 'privacy'];
    const top = membersOf(schema).filter(({ way }) => way.length === 0);
    if (top.length === 0) return;
    for (const name of names) {
      const { value, errors } = read(schema, { [name]: { a: 1 } });
      expect([name, Object.keys(value as object).length + Object.keys(errors).length]).toEqual([name, 1]);
      // `null` asks for nothing.
      if (['ttl', 'privacy'].includes(name)) expect(read(schema, { [name]: null }).errors).toEqual({});
    }
  });

  it.each(bodies)('%s ignores no name of the kinds that restrict, at any depth', (_operation, schema) => {
    const all = membersOf(schema);
    if (all.length === 0) return;
    // Each object of the schema occurs once.
    const ways = new Map(all.map(({ way }) => [way.join('.'), way]));
    for (const way of ways.values())
      for (const name of OF_KINDS) {
        if (all.some((each) => each.name === name && each.way.join() === way.join())) continue;
        const { errors } = read(schema, bodyWith(way, { [name]: 'sent' }));
        expect([name, Object.values(errors)]).toEqual([
          name,
          [[expect.stringMatching(/^is not (?:known; did you mean `\w+`\?|read here, and would restrict)/)]],
        ]);
      }
  });

  it.each(bodies)('%s ignores no restricting member inside an ignored one', (_operation, schema) => {
    if (membersOf(schema).length === 0) return;
    for (const [inside, at] of [
      [{ expires_at: 'sent' }, 'options.expires_at'],
      [{ a: [{ Containers: ['/a/'] }] }, 'options.a[0].Containers'],
    ] as const)
      expect(read(schema, { options: inside }).errors).toEqual({
        [at]: ['is not read here, and would restrict; leave it out'],
      });
    expect(
      read(schema, { options: { a: { b: { c: { mask: 1 } } }, containers: null, value: 1 } }).errors,
    ).toEqual({});
    const many = Object.fromEntries(Array.from({ length: 1_001 }, (_, index) => [`n${String(index)}`, 0]));
    expect(Object.values(read(schema, { options: many }).errors)).toEqual([
      [expect.stringContaining('more than 1000 inside them')],
    ]);
  });

  it.each(['aplication', 'applications', 'application_id', 'applicationId'])(
    'the application of a reactor is not ignored as %s, even to remove it',
    (name) => {
      const [, schema] = bodies.find(([operation]) => operation === 'patchReactor') ?? [];
      if (schema === undefined) throw new Error('no operation');
      for (const value of [null, { id: 'x' }])
        expect(read(schema, { [name]: value }).errors).toEqual({
          [name]: ['is not known; did you mean `application`?'],
        });
    },
  );

  it('suggests the member of the kind, where there is one', () => {
    const [, schema] = bodies.find(([operation]) => operation === 'createApplication') ?? [];
    if (schema === undefined) throw new Error('no operation');
    expect(read(schema, { ttl: 60, rules: [{ filter: 'a', masking: 1 }] }).errors).toEqual({
      ttl: ['is not known; did you mean `expires_at`?'],
      'rules[0].filter': ['is not known; did you mean `conditions`?'],
      'rules[0].masking': ['is not read here, and would restrict; leave it out'],
    });
  });

  it('reads a member whose name has any number of separators', () => {
    const name = `containers${'_'.repeat(100)}`;
    expect(read(createTokenBody, { [name]: ['/a/'], 'expires:at': 1 })).toEqual({
      value: { containers: ['/a/'], expires_at: 1 },
      errors: {},
    });
  });

  it('copies no list that is too long, and an element costs no names of its own', () => {
    const [, schema] = bodies.find(([operation]) => operation === 'createApplication') ?? [];
    if (schema === undefined) throw new Error('no operation');
    const rules = (count: number) => Array.from({ length: count }, () => ({ Priority: 1 }));
    const long = rules(90_000);
    // A failed `toBe` would print all elements.
    expect((read(schema, { rules: long }).value as { rules: unknown }).rules === long).toBe(true);
    expect(() => parseAt(schema, { name: 'n', type: 'private', rules: long }, '', 'lenient')).toThrow(
      expect.objectContaining({ errors: { rules: [expect.stringMatching(/^must be at most/)] } }),
    );
    const inner = members.find(({ operation, way }) => operation === 'createApplication' && way.length === 2);
    expect(inner?.way).toEqual(['rules', '[0]']);
    const most = rules(RULE_LIMITS.rules);
    expect(read(schema, { rules: most }).value).toEqual({ rules: most.map(() => ({ priority: 1 })) });
    const beyond = rules(RULE_LIMITS.rules + 1);
    expect(read(schema, { rules: beyond }).value).toEqual({ rules: beyond });
    read(schema, { rules: rules(1) });
    const sorted = jest.spyOn(Array.prototype, 'toReversed');
    read(schema, { rules: rules(20) });
    expect(sorted).not.toHaveBeenCalled();
    sorted.mockRestore();
  });

  it('ignores the members that clients in the field send besides', () => {
    const ignored = [
      'can_create_expiring_applications',
      'createKey',
      'granted_by',
      'encryption',
      'token_intent_id',
    ];
    const more = ['formula', 'runtime', 'state', 'enrichments', 'aliases', 'holder', 'bin', 'key', '_extras'];
    for (const [operation, schema] of bodies)
      for (const name of [...ignored, ...more])
        expect([operation, name, read(schema, { [name]: 1 }).errors]).toEqual([operation, name, {}]);
  });

  it('rejects a member in two spellings', () => {
    const { errors } = read(createTokenBody, { expires_at: '1/1/2030', expiresAt: null, 'EXPIRES-AT': 1 });
    expect(errors).toEqual({
      expiresAt: ['is another spelling of `expires_at`; send one of them'],
      'EXPIRES-AT': ['is another spelling of `expiresAt`; send one of them'],
    });
  });

  it('names the members of a nested object by their whole path', () => {
    const [, schema] = bodies.find(([operation]) => operation === 'createApplication') ?? [];
    if (schema === undefined) throw new Error('no operation');
    const rule = { priority: 1, permission: ['token:read'], Transform: 'mask', containr: '/a/' };
    expect(read(schema, { rules: [{}, rule] }).errors).toEqual({
      'rules[1].permission': ['is not known; did you mean `permissions`?'],
      'rules[1].containr': ['is not known; did you mean `container`?'],
    });
    expect(() => parseAt(schema, { name: 'n', type: 'private', rules: [rule] }, '', 'lenient')).toThrow(
      expect.objectContaining({ code: 'validation_failed' }),
    );
  });

  it('is changed nowhere inside the content of the client', () => {
    const content = ['data', 'mask', 'metadata', 'args', 'configuration'];
    const places = members.filter(({ name }) => content.includes(name));
    const names = fc.constantFrom(
      'expiresAt',
      'Permissions',
      'RULES',
      'containr',
      'ttl',
      '__proto__',
      'data',
      'a',
    );
    const json = fc.letrec<{ json: Json }>((tie) => ({
      json: fc.oneof(
        { maxDepth: 3 },
        fc.integer(),
        fc.string(),
        fc.array(tie('json'), { maxLength: 3 }),
        fc.dictionary(names, tie('json'), { maxKeys: 4 }),
      ),
    })).json;
    fc.assert(
      fc.property(fc.constantFrom(...places), json, ({ schema, way, name }, sent) => {
        const { value, errors } = read(schema, bodyWith(way, { [name]: sent }));
        expect(errors).toEqual({});
        expect(JSON.stringify((atEnd(value, way) as Record<string, unknown>)[name])).toBe(
          JSON.stringify(sent),
        );
      }),
      { numRuns: cases(300) },
    );
  });

  it('may have a hundred members that are ignored, and not one more', () => {
    const junk = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, at) => [`zz${String(at)}`, 0]));
    expect(read(createTokenBody, junk(IGNORED_MAX))).toEqual({ value: {}, errors: {} });
    const tooMany = {
      body: [
        `has more than ${String(IGNORED_MAX)} members that are not known, or more than 1000 inside them`,
      ],
    };
    expect(read(createTokenBody, junk(IGNORED_MAX + 1)).errors).toEqual(tooMany);
    const [, rules] = bodies.find(([operation]) => operation === 'createApplication') ?? [];
    if (rules === undefined) throw new Error('no operation');
    expect(read(rules, { rules: [junk(60), junk(60)] }).errors).toEqual(tooMany);
  });

  it('is read no further than its error needs, however many members it has', () => {
    const fields = new FieldReporter();
    const report = jest.spyOn(fields, 'report');
    const wrong = Array.from({ length: 100_000 }, (_, at) => [
      `expires${'_'.repeat(at % 40)}${String(at)}`,
      0,
    ]);
    inKnownSpelling(createTokenBody, Object.fromEntries(wrong), '', fields);
    expect(report.mock.calls.length).toBeLessThanOrEqual(PATHS_MAX + 2);
  });

  describe('of an operation that reads none', () => {
    const bodiless = { operation: 'test', method: 'POST', path: '/things', success: 200 } as const;
    const sent = (body: string) =>
      readBody(
        { ...bodiless, handle: () => Promise.resolve({}) },
        apiRequest(machinePlatform, anEvent({ method: 'POST', body }), ['SVC']),
        'lenient',
      );

    it.each(['{"expiresAt":"2030-01-01"}', '{"ttl":60}', '{"permission":[]}', '{"rules":[]}', '{"Mask":1}'])(
      'is rejected if it restricts: %s',
      (body) => {
        expect(() => sent(body)).toThrow(
          expect.objectContaining({
            errors: { [Object.keys(JSON.parse(body) as object)[0] ?? '']: [expect.any(String)] },
          }),
        );
      },
    );

    it.each(OF_KINDS)('is rejected with the value of %s', (name) => {
      expect(() => sent(JSON.stringify({ [name]: 1 }))).toThrow(
        expect.objectContaining({ code: 'validation_failed' }),
      );
      expect(sent(JSON.stringify({ [name]: null }))).toBeUndefined();
    });

    it.each(ORDINARY)('is ignored with the ordinary word %j', (name) => {
      expect(sent(JSON.stringify({ [name]: 1 }))).toBeUndefined();
    });

    it('is rejected with every name that the documentation lists', () => {
      const page = readFileSync('docs/lenient.md', 'utf8');
      const [table = ''] = /\n\| Kind [^]*?\n\n/.exec(page) ?? [];
      const listed = [...table.matchAll(/`(\w+)`/g)].map(([, name = '']) => name);
      expect(listed.length).toBeGreaterThan(25);
      for (const name of listed)
        expect(() => sent(JSON.stringify({ [name]: 1 }))).toThrow(
          expect.objectContaining({ code: 'validation_failed' }),
        );
    });

    it.each(['', '{}', '{"reason":"x"}', '[1]', 'a=b&expires_at=1', '{"expiresAt":null}', '{', '"ttl"'])(
      'is ignored otherwise: %j',
      (body) => {
        expect(sent(body)).toBeUndefined();
      },
    );
  });
});
