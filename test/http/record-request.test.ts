import { apiRequest } from '../../src/http/api-request.ts';
import { createRefusals, sourceAddress } from '../../src/http/record-request.ts';
import { ServiceError } from '../../src/core/shared/service-error.ts';
import { anEvent } from '../support/builders/an-event.ts';
import { anAuditLog } from '../support/fakes/an-audit.ts';

const requestFrom = (headers: Record<string, string>, sourceIp = '130.176.1.1') => {
  const event = anEvent({ headers });
  event.requestContext.http.sourceIp = sourceIp;
  return apiRequest(event, ['SVC']);
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
    const audit = anAuditLog({ clock: () => now });
    const record = createRefusals({ auditLog: audit.log, clock: () => now });
    return { ...audit, record, pass: (ms: number) => (now += ms) };
  }

  it('are counted by source, and written every ten seconds into the trail of the deployment', async () => {
    const { record, entries, pass } = refusals();
    for (let request = 0; request < 5; request += 1)
      await expect(record(about, refused)).rejects.toThrow('no');
    await expect(record({ ...about, ip: '203.0.113.8' }, refused)).rejects.toThrow('no');
    pass(10_001);
    await expect(record(about, refused)).rejects.toThrow('no');
    expect(
      entries().map(({ trail, ip, count, outcome, status }) => ({ trail, ip, count, outcome, status })),
    ).toEqual([
      { trail: 'deployment', ip: about.ip, outcome: 'refused', status: 401 },
      { trail: 'deployment', ip: '203.0.113.8', outcome: 'refused', status: 401 },
      { trail: 'deployment', ip: about.ip, count: 5, outcome: 'refused', status: 401 },
    ]);
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
