import { deliveryLine } from '../../../bin/start/delivery-line.ts';
import { DELIVERY_TRIES } from '../../../src/core/reactors/invocation.ts';

const FAILED = {
  level: 'warn',
  operation: 'deliverResult',
  outcome: 'failed',
  attempt: 1,
  invocationId: 'abc',
  reason: 'self-signed certificate',
  nextAttempt: '2026-11-25T10:20:30.000Z',
};

it('describes a failed attempt, with the way round a wrong certificate', () => {
  expect(deliveryLine(JSON.stringify(FAILED))).toBe(
    'delivery of abc failed: self-signed certificate (accept it by npm start -- --trust FILE), ' +
      `attempt 1 of ${String(DELIVERY_TRIES)}, next at 10:20:30`,
  );
  const { nextAttempt: _, ...parked } = { ...FAILED, outcome: 'parked', attempt: 10, reason: 'HTTP 500' };
  expect(deliveryLine(JSON.stringify(parked))).toBe(
    'delivery of abc failed: HTTP 500, attempt 10 of 10, parked (cloakroom operator list-deliveries --local)',
  );
});

it.each([
  JSON.stringify({ ...FAILED, outcome: 'delivered' }),
  JSON.stringify({ ...FAILED, operation: 'runInvocation' }),
  'a line with "deliverResult"',
  '{"operation":"deliverResult"}',
])('says nothing of %s', (line) => {
  expect(deliveryLine(line)).toBeUndefined();
});
