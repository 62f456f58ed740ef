import { cases, fc } from '../../packages/test-kit/src/properties.ts';
import { apiRequest } from '../../src/http/api-request.ts';
import { createRefusals, sourceAddress } from '../../src/http/record-request.ts';
import { defined } from '../../src/core/shared/defined.ts';
import { RefusedKeyError } from '../../src/core/access/refused-key.ts';
import { ServiceError } from '../../src/core/shared/service-error.ts';
import { anEvent } from '../support/builders/an-event.ts';
import { anAuditLog } from '../support/fakes/an-audit.ts';
import { machinePlatform } from '../../src/adapters/machine-platform.ts';

const requestFrom = (headers: Record<string, string>, sourceIp = '130.176.1.1') => {
  const event = anEvent({ headers });
  event.requestContext.http.sourceIp = sourceIp;
  return apiRequest(machinePlatform, event, ['SVC']);
};

describe('the address of a request', () => {
  it('is the one from the gateway, whatever the request contains', () => {
    expect(sourceAddress(requestFrom({ 'x-forwarded-for': '1.2.3.4' }), false)).toBe('130.176.1.1');
  });

  it.each([
    ['the one that CloudFront saw', '203.0.113.7, 130.176.1.1', '203.0.113.7'],
    ['not the one that a client has sent', '1.2.3.4, 203.0.113.7, 130.176.1.1', '203.0.113.7'],
    ['an address of version 6', '2001:db8::1, 130.176.1.1', '2001:db8::1'],
    ['the last one if the gateway adds none', '203.0.113.7', '203.0.113.7'],
    ['that of the edge if none is vouched for', '', '130.176.1.1'],
    ['that of the edge if the other is not an address', '4111 1111 1111 1111, 130.176.1.1', '130.176.1.1'],
  ])('behind the edge is %s', (_, forwarded, expected) => {
    expect(sourceAddress(requestFrom({ 'x-forwarded-for': forwarded }), true)).toBe(expected);
  });
});

describe('requests of unknown callers', () => {
  const about = { op: 'getToken', ip: '203.0.113.7' };
  const refused = () => Promise.reject(new ServiceError('unauthenticated', 'no'));

  function refusals() {
    let now = 1_000_000;
    let uses = 0;
    const audit = anAuditLog({ clock: () => now });
    const record = createRefusals({
      auditLog: audit.log,
      clock: () => now,
      onRetiredKeyUsed: () => (uses += 1),
    });
    return { ...audit, record, pass: (ms: number) => (now += ms), uses: () => uses };
  }

  const recordedIn = ({ entries }: ReturnType<typeof refusals>) =>
    entries().map(({ ip, count, networks }) => defined({ ip, count, networks }));

  it('have one record for each of the first networks of a minute, and their number in the next', async () => {
    const all = refusals();
    const from = (ip: string) => expect(all.record({ ...about, ip }, refused)).rejects.toThrow('no');
    for (let request = 0; request < 5; request += 1) await from(about.ip);
    await from('203.0.113.8');
    await from('203.0.113.8');
    all.pass(60_000);
    await from(about.ip);
    expect(all.entries()).toMatchObject(
      Array.from({ length: 3 }, () => ({
        trail: 'deployment',
        op: 'getToken',
        outcome: 'refused',
        status: 401,
      })),
    );
    expect(recordedIn(all)).toEqual([
      { ip: about.ip },
      { ip: '203.0.113.8', count: 5, networks: 2 },
      { ip: about.ip, count: 2, networks: 2 },
    ]);
  });

  it('have at most four records a minute of an instance, from any number of addresses', async () => {
    const address = fc.oneof(
      fc.ipV4(),
      fc.ipV6(),
      fc.nat({ max: 150 }).map((last) => `127.0.1.${String(last)}`),
      fc.nat().map((host) => `2001:db8:1:2::${host.toString(16).slice(-4)}`),
    );
    const wait = fc.integer({ min: 0, max: 40_000 });
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(address, wait), { maxLength: 300 }), async (requests) => {
        const all = refusals();
        let elapsed = 0;
        for (const [ip, ms] of requests) {
          await expect(all.record({ ...about, ip }, refused)).rejects.toThrow('no');
          if (requests.length < 30) elapsed += ms;
          if (requests.length < 30) all.pass(ms);
        }
        const entries = recordedIn(all);
        expect(entries.length).toBeLessThanOrEqual(4 * (1 + Math.floor(elapsed / 60_000)));
        // The next record has all that are not counted yet.
        all.pass(60_000);
        await expect(all.record(about, refused)).rejects.toThrow('no');
        const counted = recordedIn(all).reduce((sum, { count = 1 }) => sum + count, 0);
        expect(counted).toBe(requests.length + 1);
      }),
      { numRuns: cases(50) },
    );
  });

  it('do not hide those with a key that was one of an application, which name it', async () => {
    const all = refusals();
    const withKey = (keyId: string, isRetired: boolean, ip = about.ip) => {
      const key = { tenantId: 'a-tenant', applicationId: 'an-application', keyId };
      const code = isRetired ? ('unauthenticated' as const) : ('address_not_allowed' as const);
      const refuse = () => Promise.reject(new RefusedKeyError(code, 'no', { key, isRetired }));
      return expect(all.record({ ...about, ip }, refuse)).rejects.toThrow('no');
    };
    for (let host = 0; host < 9; host += 1)
      await expect(all.record({ ...about, ip: `198.51.100.${String(host)}` }, refused)).rejects.toThrow();
    for (const ip of ['203.0.113.1', '203.0.113.2', '203.0.113.2']) await withKey('one', true, ip);
    await withKey('other', false);
    const named = () =>
      all
        .entries()
        .filter(({ cred }) => cred !== undefined)
        .map(({ trail, app, cred, status, ip, count }) => defined({ trail, app, cred, status, ip, count }));
    const of = { trail: 'deployment', app: 'an-application' };
    // A forgotten client does not hide a thief elsewhere.
    expect(named()).toEqual([
      { ...of, cred: 'key:one', status: 401, ip: '203.0.113.1' },
      { ...of, cred: 'key:one', status: 401, ip: '203.0.113.2' },
      { ...of, cred: 'key:other', status: 403, ip: about.ip },
    ]);
    // The alarm is for retired keys alone.
    expect(all.uses()).toBe(1);
    all.pass(60_000);
    await withKey('one', true);
    expect(named().at(-1)).toMatchObject({ cred: 'key:one', count: 2 });
    expect(all.uses()).toBe(2);
  });

  it('have at most 16 records a minute for each tenant, with any number of former keys, and none is uncounted', async () => {
    const all = refusals();
    const refuse = (keyId: string) => () =>
      Promise.reject(
        new RefusedKeyError('unauthenticated', 'no', {
          key: { tenantId: 'a-tenant', applicationId: 'an-application', keyId },
          isRetired: true,
        }),
      );
    for (let key = 0; key < 2_500; key += 1)
      await expect(all.record(about, refuse(String(key)))).rejects.toThrow('no');
    expect(all.entries()).toHaveLength(16);
    expect(all.uses()).toBe(1);
    all.pass(60_000);
    await expect(all.record(about, refused)).rejects.toThrow('no');
    // The keys that are still counted apart have the others, until their next use.
    expect(all.entries().at(-1)?.count).toBeGreaterThan(1_400);
  });

  it('do not hide the use of a deleted key, if they are of live keys or of another tenant', async () => {
    const all = refusals();
    const use = (tenantId: string, keyId: string, isRetired: boolean, ip = about.ip) => {
      const key = { tenantId, applicationId: 'an-application', keyId };
      const code = isRetired ? ('unauthenticated' as const) : ('address_not_allowed' as const);
      const refuse = () => Promise.reject(new RefusedKeyError(code, 'no', { key, isRetired }));
      return expect(all.record({ ...about, ip }, refuse)).rejects.toThrow('no');
    };
    for (let minute = 0; minute < 5; minute += 1) {
      for (let key = 0; key < 64; key += 1) {
        await use('noisy', `live ${String(key)}`, false);
        await use('noisy', `deleted ${String(key)}`, true);
        await use('victim', `bound ${String(key)}`, false);
      }
      const rung = all.uses();
      await use('victim', 'stolen', true, `203.0.113.${String(minute)}`);
      expect(all.uses()).toBe(rung + 1);
      expect(all.entries().at(-1)).toMatchObject({ cred: 'key:stolen', status: 401 });
      all.pass(60_000);
    }
  });

  it('requests of unknown callers of one IPv6 network have one record', async () => {
    const all = refusals();
    for (let host = 0; host < 2_000; host += 1) {
      const ip = `2001:DB8:0:7:${host.toString(16)}::1`;
      await expect(all.record({ ...about, ip }, refused)).rejects.toThrow('no');
    }
    expect(recordedIn(all)).toEqual([{ ip: '2001:DB8:0:7:0::1' }]);
  });

  it('are counted again after a record that failed', async () => {
    const all = refusals();
    all.state.isDown = true;
    await expect(all.record(about, refused)).rejects.toThrow('no');
    all.state.isDown = false;
    all.pass(60_000);
    await expect(all.record(about, refused)).rejects.toThrow('no');
    expect(recordedIn(all)).toEqual([{ ip: about.ip, count: 2 }]);
  });

  it('get their response even if they cannot be recorded', async () => {
    const { record, state } = refusals();
    state.isDown = true;
    await expect(record(about, refused)).rejects.toMatchObject({ code: 'unauthenticated' });
  });

  it('are not recorded for failures of the service, nor for known callers', async () => {
    const { record, entries } = refusals();
    const down = () => Promise.reject(new ServiceError('dependency_unavailable', 'down'));
    await expect(record(about, down)).rejects.toThrow('down');
    await expect(record(about, () => Promise.resolve('caller'))).resolves.toBe('caller');
    expect(entries()).toEqual([]);
  });
});
