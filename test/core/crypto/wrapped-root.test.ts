import { createSecretKey, randomBytes } from 'node:crypto';
import { inspect } from 'node:util';
import { cases, fc } from '../../../packages/test-kit/src/properties.ts';
import { RecordCorruptedError } from '../../../src/core/crypto/record-encryption.ts';
import { unwrapRoot, wrapRoot } from '../../../src/core/crypto/wrapped-root.ts';
import { machinePlatform } from '../../../src/adapters/machine-platform.ts';

const aKey = () => createSecretKey(randomBytes(32));
const id = fc.oneof(fc.uuid(), fc.string());
const by = id.map((name) => ({ id: name, key: aKey() }));

describe('a root under a deployment key', () => {
  it('opens for its tenant under its key', () => {
    fc.assert(
      fc.property(by, id, (deploymentKey, tenant) => {
        const root = aKey();
        const wrapped = wrapRoot(machinePlatform.random, deploymentKey, tenant, root);
        expect(unwrapRoot(deploymentKey, tenant, wrapped).equals(root)).toBe(true);
        expect(wrapRoot(machinePlatform.random, deploymentKey, tenant, root)).not.toEqual(wrapped);
      }),
      { numRuns: cases(50) },
    );
  });

  it('opens for no other tenant, under no other key or id, and after no change of a bit', () => {
    fc.assert(
      fc.property(by, by, id, id, fc.nat(), (own, other, tenant, another, bit) => {
        fc.pre(tenant !== another && own.id !== other.id);
        const wrapped = wrapRoot(machinePlatform.random, own, tenant, aKey());
        const changed = Buffer.from(wrapped);
        const at = bit % (wrapped.length * 8);
        changed[at >> 3] = (changed[at >> 3] ?? 0) ^ (1 << (at & 7));
        const attempts = [
          () => unwrapRoot(own, another, wrapped),
          () => unwrapRoot({ ...own, key: other.key }, tenant, wrapped),
          () => unwrapRoot({ ...own, id: other.id }, tenant, wrapped),
          () => unwrapRoot(own, tenant, changed),
          () => unwrapRoot(own, tenant, wrapped.subarray(0, at >> 3)),
        ];
        for (const attempt of attempts) expect(attempt).toThrow(RecordCorruptedError);
      }),
      { numRuns: cases(100) },
    );
  });

  it('contains no byte sequence of the root, and neither it nor the key prints', () => {
    const deploymentKey = { id: 'd', key: aKey() };
    const root = aKey();
    const wrapped = wrapRoot(machinePlatform.random, deploymentKey, 't', root);
    expect(wrapped.includes(root.export())).toBe(false);
    const secrets = [root, deploymentKey.key].map((key) => key.export().toString('hex'));
    const printed = inspect([deploymentKey, unwrapRoot(deploymentKey, 't', wrapped)], {
      depth: 9,
      showHidden: true,
    });
    for (const secret of secrets) expect(printed).not.toContain(secret);
  });
});
