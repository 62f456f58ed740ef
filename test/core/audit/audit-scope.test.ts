import { openScope, outcomeOf } from '../../../src/core/audit/audit-scope.ts';
import { credentialOf } from '../../../src/core/access/caller.ts';
import { nameOfToken } from '../../../src/core/audit/token-reference.ts';
import { aCaller } from '../../support/builders/a-caller.ts';
import { anAuditLog } from '../../support/fakes/an-audit.ts';

const SUBJECT = { op: 'getToken', app: 'app-1', cred: 'key:k-1', ip: '203.0.113.7', trace: 't-1' };
const UUID = '3e9349b8-8f46-435c-82ea-1e872cc417e6';
const ONE = '0f2c7a52-7f0e-4d7e-8a86-0b7f7b1d3c11';
const TWO = '0f2c7a52-7f0e-4d7e-8a86-0b7f7b1d3c12';
const token = { id: ONE, containers: ['/pci/'] };

function aScope(options: Parameters<typeof anAuditLog>[0] = {}) {
  const audit = anAuditLog(options);
  return { ...audit, scope: openScope(audit.log, 'tenant', SUBJECT) };
}

describe('a request without effects', () => {
  it('leaves one record, with every form in which it showed a token', async () => {
    const { scope, entries } = aScope();
    scope.saw(token, 'reveal');
    scope.saw(token, 'reveal');
    scope.saw({ id: TWO, containers: ['/pii/'] }, 'mask');
    await scope.close({ status: 200, outcome: 'ok' });
    expect(entries()).toEqual([
      {
        trail: 'tenant',
        v: 1,
        key: 1,
        ...SUBJECT,
        outcome: 'ok',
        status: 200,
        tokens: { reveal: [ONE], mask: [TWO] },
        containers: ['/pci/', '/pii/'],
      },
    ]);
  });

  it('leaves a record although it showed nothing', async () => {
    const { scope, entries } = aScope();
    await scope.close({ status: 200, outcome: 'ok' });
    expect(entries()).toHaveLength(1);
  });

  it.each(['mask', 'redact', 'identity'] as const)(
    'leaves a record that names its token although it showed the token only as %s',
    async (form) => {
      const { scope, entries } = aScope();
      scope.saw(token, form);
      await scope.close({ status: 200, outcome: 'ok' });
      expect(entries()).toMatchObject([{ outcome: 'ok', tokens: { [form]: [ONE] } }]);
    },
  );

  it('leaves a record when it is refused', async () => {
    const { scope, entries } = aScope();
    scope.saw(token, 'mask');
    await scope.close({ status: 503, outcome: 'failed' });
    expect(entries()).toMatchObject([{ outcome: 'failed', tokens: { refused: [ONE] } }]);
  });
});

describe('a request that failed', () => {
  it('records the ids that exist or are UUIDs as refused, and no text that could be data', async () => {
    const { scope, entries } = aScope();
    scope.named([ONE, UUID, '4111111111111111', 'no token']);
    scope.found([token]);
    await scope.close({ status: 404, outcome: 'refused' });
    expect(entries()).toMatchObject([
      { outcome: 'refused', tokens: { refused: [ONE, UUID] }, containers: ['/pci/'] },
    ]);
  });

  it('records a refused id that another recorded id ends with', async () => {
    const { scope, entries } = aScope();
    await scope.ahead({ tokens: [{ id: 'order 17' }], form: 'use' });
    scope.named(['17']);
    scope.found([{ id: '17' }]);
    await scope.close({ status: 403, outcome: 'refused' });
    expect(entries()[1]?.tokens).toEqual({ refused: [nameOfToken('17')] });
  });

  it('records used tokens as used, and tokens of its response as refused', async () => {
    const { scope, entries } = aScope();
    scope.saw(token, 'reveal');
    scope.saw({ id: TWO }, 'use');
    await scope.close({ status: 413, outcome: 'invalid' });
    expect(entries()[0]?.tokens).toEqual({ refused: [ONE], use: [TWO] });
  });
});

describe('an effect', () => {
  it('is recorded before it happens, once, with the tokens reported so far', async () => {
    const { scope, entries } = aScope();
    scope.saw(token, 'mask');
    await scope.ahead({ tokens: [token], form: 'update' });
    await scope.ahead({ tokens: [token], form: 'update' });
    await scope.close({ status: 200, outcome: 'ok' });
    expect(entries()).toMatchObject([{ outcome: 'begun', tokens: { mask: [ONE], update: [ONE] } }]);
    expect(entries()[0]).not.toHaveProperty('status');
  });

  it('gets another record if its tokens or its resource differ', async () => {
    const { scope, entries } = aScope();
    await scope.ahead({ tokens: [{ id: 'a' }], form: 'create' });
    await scope.ahead({ tokens: [{ id: 'b' }], form: 'create' });
    await scope.ahead({ host: 'a.example' });
    await scope.ahead({ change: { members: ['name'] } });
    expect(entries().map(({ tokens, host, change }) => ({ tokens, host, change }))).toEqual([
      { tokens: { create: ['a'] } },
      { tokens: { create: ['b'] } },
      { host: 'a.example' },
      { host: 'a.example', change: { members: ['name'] } },
    ]);
  });

  it.each([
    ['that failed', {}, { status: 409, outcome: 'invalid' }],
    ['that left the service', { leaves: true }, { status: 200, outcome: 'ok' }],
  ] as const)('%s has a second record that refers to the first', async (_, effect, end) => {
    const { scope, entries, records } = aScope();
    await scope.ahead(effect);
    await scope.close(end);
    const [first] = records;
    expect(entries()[1]).toMatchObject({
      ...end,
      of: `${String(first?.shard).padStart(2, '0')}:${first?.position ?? ''}`,
    });
  });

  it('gets a second record for tokens that are shown after it', async () => {
    const { scope, entries } = aScope();
    await scope.ahead({ tokens: [token], form: 'create' });
    scope.saw({ id: TWO }, 'reveal');
    await scope.close({ status: 201, outcome: 'ok' });
    expect(entries()[1]).toMatchObject({ outcome: 'ok', tokens: { reveal: [TWO] } });
  });
});

describe('when the trail cannot be written', () => {
  const UNAVAILABLE = { code: 'dependency_unavailable', headers: { 'Retry-After': '5' } };

  it('no effect happens and nothing is shown', async () => {
    const { scope, state, failures, entries } = aScope();
    state.isDown = true;
    await expect(scope.ahead({})).rejects.toMatchObject(UNAVAILABLE);
    // The request ends with this error: another attempt to write would only delay the response.
    await scope.close({ status: 503, outcome: 'failed' });
    expect([failures.length, entries().length]).toEqual([1, 0]);
    const other = aScope();
    other.state.isDown = true;
    other.scope.saw(token, 'redact');
    await expect(other.scope.close({ status: 200, outcome: 'ok' })).rejects.toMatchObject(UNAVAILABLE);
  });

  it('a request after its effect succeeds, and its missing end is reported', async () => {
    const { scope, state, failures } = aScope();
    await scope.ahead({ leaves: true });
    state.isDown = true;
    await scope.close({ status: 200, outcome: 'ok' });
    expect(failures).toHaveLength(2);
  });

  it('tokens without a record are not shown, even after an effect', async () => {
    const { scope, state } = aScope();
    await scope.ahead({});
    state.isDown = true;
    scope.saw(token, 'reveal');
    await expect(scope.close({ status: 200, outcome: 'ok' })).rejects.toMatchObject(UNAVAILABLE);
  });
});

describe('effects that start together', () => {
  it('share one record, which is durable before any of them happens', async () => {
    const { scope, entries } = aScope();
    const done: number[] = [];
    await Promise.all(
      Array.from({ length: 50 }, async (_, index) => {
        await scope.ahead({ tokens: [{ id: `token-${String(index)}` }], form: 'delete' });
        done.push(entries().length);
      }),
    );
    expect(entries()).toHaveLength(1);
    expect(entries()[0]?.tokens?.delete).toHaveLength(50);
    expect(done).toEqual(Array(50).fill(1));
  });

  it('do not happen when it cannot be written', async () => {
    const { scope, state } = aScope();
    state.isDown = true;
    const all = await Promise.allSettled([scope.ahead({}), scope.ahead({}), scope.ahead({ host: 'a' })]);
    expect(all.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
  });
});

it('a record contains all ids, and as many containers as fit into the item', async () => {
  const { scope, records, entries } = aScope();
  for (let index = 0; index < 100; index += 1)
    scope.saw(
      {
        id: '\u{1f4b3}'.repeat(397) + String(index).padStart(3, '0'),
        containers: Array.from(
          { length: 10 },
          (_, at) => `/${String(index)}-${String(at)}${'/x'.repeat(250)}/`,
        ),
      },
      'reveal',
    );
  await scope.close({ status: 200, outcome: 'ok' });
  const { containers = [], containersLeftOut = 0 } = entries()[0] ?? {};
  expect(containers.length + containersLeftOut).toBe(1_000);
  expect(containersLeftOut).toBeGreaterThan(0);
  expect(Buffer.byteLength(records[0]?.body ?? '')).toBeLessThan(350_000);
});

it.each([
  [200, 'ok'],
  [302, 'ok'],
  [400, 'invalid'],
  [401, 'refused'],
  [403, 'refused'],
  [404, 'refused'],
  [409, 'invalid'],
  [429, 'invalid'],
  [500, 'failed'],
  [503, 'failed'],
])('status %d has the outcome %s', (status, outcome) => {
  expect(outcomeOf(status)).toBe(outcome);
});

it.each([
  ['own_key', 'c', 'key:key-1'],
  ['session', 's-1', 'session:s-1'],
  ['invocation', 'invocation:hash', 'invocation:hash'],
  ['proxy', 'proxy:p-1', 'proxy:p-1'],
] as const)('names the credential of a caller that acts by %s', (actsBy, credentialId, expected) => {
  expect(credentialOf(aCaller({ actsBy, credentialId }))).toBe(expected);
});
