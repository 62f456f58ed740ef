import { type WrappedRoot, isDestroyed } from '../../../src/core/crypto/key-ring.ts';
import type { Tenant } from '../../../src/core/tenants/tenant.ts';
import { CommandFailure } from '../../command-line/failures.ts';

/** A replacement of the root knows an old and a new one (src/core/operator/replace-root.ts). */
const ROOTS_MAX = 2;

/** How far restored records are with a root: as of the restore point, if they knew it then. */
function progressOf(root: WrappedRoot, then: WrappedRoot | undefined): WrappedRoot {
  const { settledAt: _, clearedAt: __, ...begun } = root;
  return {
    ...begun,
    ...(then?.settledAt !== undefined && { settledAt: then.settledAt }),
    ...(then?.clearedAt !== undefined && { clearedAt: then.clearedAt }),
  };
}

/**
 * The tenant as it is now, with the roots that restored records were encrypted under. If its root
 * was replaced since, its replacement is under way again: the restored records still need the old
 * one. A root that is still in use stays wrapped as it is now.
 */
export function mergeTenant(now: Tenant, then: Tenant): Tenant {
  if (isDestroyed(now)) return now;
  // The wrapped bytes do not identify a root: they change when it is wrapped under another key.
  const isSame = (a: WrappedRoot) => (b: WrappedRoot) => a.since === b.since && a.addedAt === b.addedAt;
  const roots = [
    ...then.roots.filter((root) => !now.roots.some(isSame(root))),
    ...now.roots.map((root) => progressOf(root, then.roots.find(isSame(root)))),
  ].toSorted((a, b) => a.since - b.since);
  if (roots.length > ROOTS_MAX)
    throw new CommandFailure(
      `the root of the tenant ${now.id} was replaced twice around this restore point: choose a later one`,
    );
  // A walk over all records has to begin again with the restored ones.
  const { reencrypt: _, ...rest } = now;
  return { ...rest, roots };
}
