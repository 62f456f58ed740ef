import { createHash } from 'node:crypto';
import type { JsonObject } from '../../../src/core/shared/json.ts';
import { shownTarget, TargetError, type KeyTargets, type NewKey } from '../keys/key-targets.ts';
import type { Address, DesiredKey, KeyTarget, Plan, PlannedKey } from '../model.ts';
import { CallFailed, type ConfigService, type Owner } from '../service.ts';
import type { Lease } from './lease.ts';

export interface KeyDeps {
  readonly service: ConfigService;
  readonly targets: KeyTargets;
  readonly lease: Lease;
  readonly force: boolean;
  readonly plan: Plan;
}

/** An application or a proxy that exists. */
export interface KeyOwner {
  readonly address: Address;
  readonly owner: Owner;
  readonly id: string;
}

/** A service that repeats the responses of keys that are gone meanwhile gets so many more calls. */
const ATTEMPTS = 3;

/** Everything that the file says of a new key. */
const bodyOf = ({ name, expires_at: end, source_addresses: networks = [] }: DesiredKey): JsonObject => ({
  ...(name !== undefined && { name }),
  ...(end !== undefined && { expires_at: end }),
  source_addresses: networks,
});

/** The change that makes a living key as the file says. A key without a target keeps the rest. */
function changeOf({ name, expires_at: end, source_addresses: networks, to }: DesiredKey): JsonObject {
  const stated = {
    ...(name !== undefined && { name }),
    ...(end !== undefined && { expires_at: end }),
    ...(networks !== undefined && { source_addresses: networks }),
  };
  return to === undefined ? stated : { expires_at: null, source_addresses: [], ...stated };
}

/** One plan makes one key, however often it is sent. */
const idempotencyKeyOf = (plan: Plan, address: Address, name: string, attempt: number): string =>
  createHash('sha256')
    .update(JSON.stringify([plan.tenant, plan.digest, plan.resources, address, name, attempt]))
    .digest('hex');

export const isGone = (error: unknown): boolean => error instanceof CallFailed && error.status === 404;

/** Deletes a key, which may be gone already. */
async function removeKey(
  { service, lease, force }: KeyDeps,
  { owner, id }: KeyOwner,
  key: { readonly id: string; readonly etag: string },
): Promise<void> {
  await lease.ready();
  try {
    await service.removeKey(owner, id, key.id, { ifMatch: key.etag, force });
  } catch (error) {
    if (!isGone(error)) throw error;
  }
}

/** Stores a key. If that fails, no target has the key, and `discard` deletes it. */
async function store(
  { lease, targets }: KeyDeps,
  target: KeyTarget,
  key: NewKey,
  discard: () => Promise<void>,
): Promise<void> {
  try {
    // No tag protects the target: another apply of the same file could have put its own key there.
    await lease.verify();
    await targets.write(target, key);
  } catch (error) {
    await discard().catch(() => undefined);
    throw error instanceof CallFailed || error instanceof TargetError || isOwn(error)
      ? error
      : new TargetError(`${shownTarget(target)} cannot be written; the key was deleted`);
  }
}

/** The lease says why nothing may be written; the words of another error may have a key. */
const isOwn = (error: unknown): boolean => error instanceof Error && error.name === 'LeaseLost';

async function newKey(deps: KeyDeps, at: KeyOwner, desired: DesiredKey): Promise<NewKey> {
  const { service, plan, lease } = deps;
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    await lease.ready();
    const idempotencyKey = idempotencyKeyOf(plan, at.address, desired.name ?? '', attempt);
    const made = await service.createKey(at.owner, at.id, bodyOf(desired), idempotencyKey);
    const living = await service.keys(at.owner, at.id);
    if (living.some(({ id }) => id === made.id)) return made;
  }
  throw new CallFailed(409, 'conflict', 'the new key is deleted at once by another caller');
}

/** Makes and stores a key, or changes one; then deletes those that no target has. */
export async function applyKey(
  deps: KeyDeps,
  at: KeyOwner,
  planned: PlannedKey,
  desired: DesiredKey,
): Promise<void> {
  const { service, lease } = deps;
  if (planned.step === 'change' && planned.id !== undefined) {
    await lease.ready();
    await service.changeKey(at.owner, at.id, planned.id, changeOf(desired), planned.etag ?? '*');
  }
  if ((planned.step === 'create' || planned.step === 'replace') && desired.to !== undefined) {
    const made = await newKey(deps, at, desired);
    await store(deps, desired.to, made, () => removeKey(deps, at, { id: made.id, etag: '*' }));
  }
  for (const key of planned.replaces) await removeKey(deps, at, key);
}

/** Deletes a key that `removed` names. */
export async function removePlannedKey(deps: KeyDeps, at: KeyOwner, planned: PlannedKey): Promise<void> {
  if (planned.id !== undefined) await removeKey(deps, at, { id: planned.id, etag: planned.etag ?? '*' });
}

/**
 * Makes the first key of a new owner that of an entry, or deletes it. If it cannot be stored, the
 * owner is deleted, which nothing names yet.
 */
export async function settleFirstKey(
  deps: KeyDeps,
  at: KeyOwner,
  first: NewKey['key'],
  desired: DesiredKey | undefined,
): Promise<void> {
  const { service, lease, force } = deps;
  const discard = () => service.remove(at.owner, at.id, { ifMatch: '*', force });
  await lease.ready();
  const [key] = await service.keys(at.owner, at.id);
  const keyId = key?.['id'];
  if (typeof keyId !== 'string') throw new CallFailed(409, 'conflict', 'its first key was deleted meanwhile');
  if (desired?.to === undefined) {
    await removeKey(deps, at, { id: keyId, etag: '*' });
    return;
  }
  await service.changeKey(at.owner, at.id, keyId, changeOf(desired), '*');
  await store(deps, desired.to, { id: keyId, key: first }, discard);
}
