import { retryConflict } from '../shared/retry-conflict.ts';
import type { Secret } from '../shared/secret.ts';
import { invalid, ServiceError } from '../shared/service-error.ts';
import type { WriteIdentity } from '../shared/write-identity.ts';
import type { Caller } from '../access/caller.ts';
import { requirePermission } from '../access/require-permission.ts';
import type { Application } from './application.ts';
import { KEYS_MAX, keysOfOthers, newKey, type ApplicationKey, type KeyChoice } from './application-key.ts';
import { applicationToChange, existingApplication, type GetApplicationDeps } from './get-application.ts';

/** A key as the API shows it. */
export interface KeyView extends ApplicationKey {
  /** The day of the last use that is known (`2026-11-26`, UTC). */
  readonly lastUsedOn?: string;
}

const noSuchKey = (): ServiceError =>
  new ServiceError('not_found', 'The key does not exist, or is no key of this application.');

/** A key of an application, expired or not. Throws `not_found`. */
function keyOf({ keys }: Application, keyId: string): ApplicationKey {
  const key = keys.find(({ id }) => id === keyId);
  if (key === undefined) throw noSuchKey();
  return key;
}

async function viewsOf(
  { applicationStore }: GetApplicationDeps,
  application: Application,
): Promise<readonly KeyView[]> {
  const uses = await applicationStore.lastUses(application);
  return application.keys.map((key) => {
    const lastUsedOn = uses.get(key.id);
    return { ...key, ...(lastUsedOn !== undefined && { lastUsedOn }) };
  });
}

/** Lists the keys of an application, the newest first. Needs `application:read`. */
export async function listKeys(
  deps: GetApplicationDeps,
  caller: Caller,
  id: string,
): Promise<readonly KeyView[]> {
  requirePermission(caller, 'application:read');
  const application = await existingApplication(deps, caller.tenantId, id);
  const newest = (await viewsOf(deps, application)).toReversed();
  return newest.toSorted((one, other) => other.createdAt - one.createdAt);
}

/** Needs `application:read`. Throws `not_found` also for a key of another application. */
export async function getKey(
  deps: GetApplicationDeps,
  caller: Caller,
  { id, keyId }: KeyPlace,
): Promise<KeyView> {
  requirePermission(caller, 'application:read');
  const application = await existingApplication(deps, caller.tenantId, id);
  const key = keyOf(application, keyId);
  const [view = key] = await viewsOf(deps, { ...application, keys: [key] });
  return view;
}

/** Names a key by its application and its own id. */
export interface KeyPlace {
  readonly id: string;
  readonly keyId: string;
}

/**
 * How long before its end a key gets no later one, in ms: a write may arrive that late, and would
 * revive the key. A function has 30 s, and the clocks of instances differ by little.
 */
const SETTLED_MS = 60_000;

/** Throws `conflict` for a later end of a key that ends too soon for it. */
function checkLater(
  { expiresAtMs = Infinity }: ApplicationKey,
  next: number | null | undefined,
  now: number,
) {
  const isLater = next !== undefined && (next ?? Infinity) > expiresAtMs;
  if (isLater && expiresAtMs <= now + SETTLED_MS)
    throw new ServiceError('conflict', 'The key ends within a minute: create another one.');
}

function checkEnd(expiresAtMs: number | undefined, now: number): void {
  if (expiresAtMs !== undefined && expiresAtMs <= now) throw invalid('expires_at', 'must be in the future');
}

/** Returns the next version of an application, with other keys. */
const withKeys = (application: Application, keys: readonly ApplicationKey[]): Application => ({
  ...application,
  keys,
  version: application.version + 1,
});

/**
 * Adds a key, which is returned here and never again. Throws `conflict` for more than eight keys.
 * A retry whose first response was lost gets another key in the place of the first one, which is
 * unknown to everyone.
 */
export async function createKey(
  deps: GetApplicationDeps,
  caller: Caller,
  id: string,
  choice: KeyChoice,
  writes: WriteIdentity,
): Promise<{ readonly key: ApplicationKey; readonly text: Secret<string> }> {
  requirePermission(caller, 'application:update');
  checkEnd(choice.expiresAtMs, deps.clock());
  const writeId = writes.newWriteId();
  return retryConflict<{ readonly key: ApplicationKey; readonly text: Secret<string> }>(deps, async () => {
    const previous = await applicationToChange(deps, caller, id);
    const by = { createdBy: caller.applicationId, createdAt: deps.clock(), writeId };
    const made = newKey(deps, previous, { ...choice, ...by });
    const others = keysOfOthers(previous, writeId);
    if (others.length >= KEYS_MAX)
      throw new ServiceError(
        'conflict',
        `An application has at most ${String(KEYS_MAX)} keys: delete one first.`,
      );
    return (await deps.applicationStore.update(previous, withKeys(previous, [...others, made.key])))
      ? made
      : 'conflict';
  });
}

/** The members of a key that change; `null` removes one. */
export interface KeyPatch {
  readonly name?: string | null;
  readonly expiresAtMs?: number | null;
  readonly sourceAddresses?: readonly string[] | null;
  /** Throws if the patch has a different value for any other member. */
  readonly check?: (current: KeyView) => void;
}

function patched(key: KeyView, { name, expiresAtMs, sourceAddresses }: KeyPatch): KeyView {
  const { name: oldName, expiresAtMs: oldEnd, sourceAddresses: oldNetworks, ...rest } = key;
  const [nextName, nextEnd] = [
    name === undefined ? oldName : (name ?? undefined),
    expiresAtMs === undefined ? oldEnd : (expiresAtMs ?? undefined),
  ];
  return {
    ...rest,
    ...(nextName !== undefined && { name: nextName }),
    ...(nextEnd !== undefined && { expiresAtMs: nextEnd }),
    sourceAddresses: sourceAddresses === undefined ? oldNetworks : (sourceAddresses ?? []),
  };
}

/**
 * Changes a key. Throws `not_found` for an expired one too: nothing makes it, or what it granted,
 * valid again.
 */
export async function updateKey(
  deps: GetApplicationDeps,
  caller: Caller,
  { id, keyId }: KeyPlace,
  patch: KeyPatch,
): Promise<KeyView> {
  requirePermission(caller, 'application:update');
  checkEnd(patch.expiresAtMs ?? undefined, deps.clock());
  return retryConflict<KeyView>(deps, async () => {
    const previous = await applicationToChange(deps, caller, id);
    const key = keyOf(previous, keyId);
    const [view = key] = await viewsOf(deps, { ...previous, keys: [key] });
    if ((view.expiresAtMs ?? Infinity) <= deps.clock()) throw noSuchKey();
    checkLater(key, patch.expiresAtMs, deps.clock());
    patch.check?.(view);
    const next = withKeys(
      previous,
      previous.keys.map((each) => (each.id === keyId ? patched(each, patch) : each)),
    );
    return (await deps.applicationStore.update(previous, next)) ? patched(view, patch) : 'conflict';
  });
}

/**
 * Deletes a key. When this returns, no part of the service accepts it any more. The last key of an
 * application may be deleted, and a key may delete itself.
 */
export async function deleteKey(
  deps: GetApplicationDeps,
  caller: Caller,
  { id, keyId }: KeyPlace,
): Promise<void> {
  requirePermission(caller, 'application:update');
  await retryConflict(deps, async () => {
    const previous = await applicationToChange(deps, caller, id);
    keyOf(previous, keyId);
    const next = withKeys(
      previous,
      previous.keys.filter((key) => key.id !== keyId),
    );
    return (await deps.applicationStore.update(previous, next)) ? 'deleted' : 'conflict';
  });
}
