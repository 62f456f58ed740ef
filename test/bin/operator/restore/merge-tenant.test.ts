import { mergeTenant } from '../../../../bin/operator/restore/merge-tenant.ts';
import type { WrappedRoot } from '../../../../src/core/crypto/key-ring.ts';
import type { Tenant } from '../../../../src/core/tenants/tenant.ts';
import { aTenant } from '../../../support/builders/a-tenant.ts';

const root = (since: number, more: Partial<WrappedRoot> = {}): WrappedRoot => ({
  wrapped: Buffer.from(`root ${String(since)}`),
  since,
  addedAt: since * 100,
  startedAt: since * 100,
  ...more,
});
const tenant = (roots: readonly WrappedRoot[], more: Partial<Tenant> = {}) =>
  aTenant({ id: 'a', roots, keyVersion: roots.at(-1)?.since ?? 1, version: 7, ...more });
const merged = (now: readonly WrappedRoot[], then: readonly WrappedRoot[]) =>
  mergeTenant(tenant(now), tenant(then, { version: 3 })).roots;

const FIRST = root(1);
const SECOND = root(2);
const THIRD = root(3);
const settled = { settledAt: 900 };
const cleared = { ...settled, clearedAt: 950 };

it.each([
  ['was not replaced', [FIRST], [FIRST], [FIRST]],
  ['waits since', [FIRST, SECOND], [FIRST], [FIRST, SECOND]],
  ['was settled since', [FIRST, root(2, settled)], [FIRST, SECOND], [FIRST, SECOND]],
  ['was settled before', [FIRST, root(2, cleared)], [FIRST, root(2, settled)], [FIRST, root(2, settled)]],
  ['was dropped since', [root(2, cleared)], [FIRST, root(2, settled)], [FIRST, root(2, settled)]],
  ['was replaced and dropped since', [root(2, cleared)], [FIRST], [FIRST, SECOND]],
  ['was replaced long before', [root(2, cleared)], [root(2, cleared)], [root(2, cleared)]],
])('a root that %s is as far as the restored records are', (_, now, then, expected) => {
  expect(merged(now, then)).toEqual(expected);
});

it.each([
  [[SECOND, THIRD], [FIRST]],
  [[THIRD], [FIRST, SECOND]],
  [
    [root(3), root(4)],
    [FIRST, SECOND],
  ],
])('more than two roots are refused, with the tenant', (now, then) => {
  expect(() => merged(now, then)).toThrow('the root of the tenant a was replaced twice');
});

it('a root that was wrapped again since stays one root, wrapped as it is now', () => {
  const [old, current] = ['1', '2'].map((id) => ({ id, wrapped: Buffer.from(id) }));
  const again = root(1, { wrapped: Buffer.from('again'), ...(current && { deploymentKey: current }) });
  expect(merged([again], [root(1, old && { deploymentKey: old })])).toEqual([again]);
  // KMS wraps the root now, so the old deployment key does not come back.
  expect(merged([FIRST], [root(1, old && { deploymentKey: old })])).toEqual([FIRST]);
});

it('everything but the roots is as it is now, and the walk over all records begins again', () => {
  const now = tenant([FIRST], { name: 'now', reencrypt: { startedAt: 1, left: 2, after: 'x' } });
  const { reencrypt: _, ...rest } = now;
  expect(mergeTenant(now, tenant([FIRST], { name: 'then', version: 3 }))).toEqual(rest);
});

it('a tenant whose keys were destroyed since gets none back', () => {
  const destroyed = tenant([]);
  expect(mergeTenant(destroyed, tenant([FIRST]))).toBe(destroyed);
});

it('a merge that is repeated after more steps of a replacement needs the same old root', () => {
  const first = mergeTenant(tenant([FIRST, SECOND]), tenant([FIRST]));
  const second = mergeTenant(tenant([root(2, cleared)]), first);
  expect(second.roots).toEqual([FIRST, SECOND]);
});
