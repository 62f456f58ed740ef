import { randomUUID } from 'node:crypto';
import { isServiceId, serviceIdOf } from '../../../src/core/tokens/service-id.ts';
import { isUuid } from '../../../src/core/shared/is-uuid.ts';
import { cases, fc } from '../../../packages/test-kit/src/properties.ts';

const TENANT = '0b1cb2a5-8f30-4f0e-9d4c-0f0e2a3c9b11';

describe('an id of the service', () => {
  it('is a UUID version 4 that is recognised, in its tenant alone', () => {
    fc.assert(
      fc.property(fc.uuid({ version: 4 }), (uuid) => {
        const id = serviceIdOf(TENANT, uuid);
        expect(isUuid(id)).toBe(true);
        expect(id.slice(0, 28)).toBe(uuid.slice(0, 28));
        expect(isServiceId(TENANT, id)).toBe(true);
        expect(isServiceId(randomUUID(), id)).toBe(false);
        expect(isServiceId(TENANT, id.toUpperCase())).toBe(id.toUpperCase() === id);
      }),
      { numRuns: cases(300) },
    );
  });

  it('keeps its form in later versions: stored ids depend on it', () => {
    expect(serviceIdOf(TENANT, 'f2a5a7c2-6a0f-4c9a-8a35-a3b1b44d3c21')).toMatchInlineSnapshot(
      `"f2a5a7c2-6a0f-4c9a-8a35-a3b16f7d5e42"`,
    );
  });

  it('is none of the ids that a caller draws', () => {
    for (let draw = 0; draw < 2_000; draw += 1) expect(isServiceId(TENANT, randomUUID())).toBe(false);
    for (const id of ['', 'x', 'f2a5a7c2-6a0f-1c9a-8a35-a3b1b44d3c21', `${randomUUID()}x`])
      expect(isServiceId(TENANT, id)).toBe(false);
  });
});
