import { retryConflict } from '../shared/retry-conflict.ts';
import { nextRevision, requireMatch } from '../shared/revision.ts';
import type { Secret } from '../shared/secret.ts';
import { invalid, ServiceError } from '../shared/service-error.ts';
import type { WriteIdentity } from '../shared/write-identity.ts';
import type { Caller } from '../access/caller.ts';
import { requirePermission } from '../access/require-permission.ts';
import type { Permission } from '../access/permission.ts';
import { generateApiKey } from '../crypto/api-key.ts';
import type { Platform } from '../shared/platform.ts';
import type { Application } from './application.ts';
import { KEYS_MAX, keysOfOthers, newKey, type ApplicationKey, type KeyChoice } from './application-key.ts';
import { managerBeside } from './last-manager.ts';
import { applicationToChange, existingApplication, type GetApplicationDeps } from './get-application.ts';

/** An application or a stored proxy, which have keys. */
export interface KeyOwner {
  readonly keys: readonly ApplicationKey[];
  readonly version: number;
}

/** The keys of one owner, and what the caller needs to see and to change them. */
export interface OwnedKeys<Owner extends KeyOwner> {
  readonly caller: Caller;
  readonly toRead: Permission;
  readonly toChange: Permission;
  /** Throws `not_found`. */
  readonly find: () => Promise<Owner>;
  /** Finds the owner for a change, in each attempt. */
  readonly findToChange: () => Promise<Owner>;
  /**
   * Replaces the version `previous`; `false` if it has changed since. `checkLast` throws after all
   * other errors.
   */
  readonly update: (previous: Owner, next: Owner, checkLast?: () => void) => Promise<boolean>;
  /** The days on which keys were last used, by their ids. */
  readonly lastUses: (owner: Owner) => Promise<ReadonlyMap<string, string>>;
  /** Makes the text of a new key. */
  readonly generate: (owner: Owner) => Secret<string>;
  /** Most keys. An expired key counts until it is deleted. */
  readonly most: number;
  /** Throws `conflict` for an owner that gets no further key, whatever keys it has. */
  readonly checkRoom?: (owner: Owner) => Promise<void>;
  /** Describes the owner of the keys in messages. */
  readonly owner: string;
}

/**
 * Finds the keys of an application of the caller's tenant. A change that leaves the tenant without
 * a manager throws `last_manager`, unless it may (`mayBeLast`).
 */
export function keysOfApplication(
  deps: GetApplicationDeps,
  caller: Caller,
  id: string,
  mayBeLast = false,
): OwnedKeys<Application> {
  return {
    caller,
    toRead: 'application:read',
    toChange: 'application:update',
    find: () => existingApplication(deps, caller.tenantId, id),
    findToChange: () => applicationToChange(deps, caller, id),
    update: async (previous, next, checkLast) => {
      const beside = mayBeLast ? undefined : await managerBeside(deps, caller, previous, next);
      checkLast?.();
      return await deps.applicationStore.update(previous, next, beside);
    },
    lastUses: (application) => deps.applicationStore.lastUses(application),
    generate: ({ type, tenantId }) => generateApiKey(deps.random, type, tenantId),
    most: KEYS_MAX,
    owner: 'An application',
  };
}

/** A key as the API shows it. */
export interface KeyView extends ApplicationKey {
  /** The day of the last use that is known (`2026-11-26`, UTC). */
  readonly lastUsedOn?: string;
}

const noSuchKey = ({ owner }: Pick<OwnedKeys<never>, 'owner'>): ServiceError =>
  new ServiceError(
    'not_found',
    `The key does not exist, or is no key of this ${owner.slice(owner.indexOf(' ') + 1)}.`,
  );

/** A key of an owner, expired or not. Throws `not_found`. */
function keyIn<Owner extends KeyOwner>(
  owned: OwnedKeys<Owner>,
  { keys }: KeyOwner,
  keyId: string,
): ApplicationKey {
  const key = keys.find(({ id }) => id === keyId);
  if (key === undefined) throw noSuchKey(owned);
  return key;
}

async function viewsOf<Owner extends KeyOwner>(
  { lastUses }: OwnedKeys<Owner>,
  owner: Owner,
): Promise<readonly KeyView[]> {
  const uses = await lastUses(owner);
  return owner.keys.map((key) => {
    const lastUsedOn = uses.get(key.id);
    return { ...key, ...(lastUsedOn !== undefined && { lastUsedOn }) };
  });
}

/** Lists the keys of an owner, the newest first. */
export async function listKeys<Owner extends KeyOwner>(owned: OwnedKeys<Owner>): Promise<readonly KeyView[]> {
  requirePermission(owned.caller, owned.toRead);
  const newest = (await viewsOf(owned, await owned.find())).toReversed();
  return newest.toSorted((one, other) => other.createdAt - one.createdAt);
}

/** Throws `not_found` also for a key of another owner. */
export async function getKey<Owner extends KeyOwner>(
  owned: OwnedKeys<Owner>,
  keyId: string,
): Promise<KeyView> {
  requirePermission(owned.caller, owned.toRead);
  const owner = await owned.find();
  const key = keyIn(owned, owner, keyId);
  const [view = key] = await viewsOf(owned, { ...owner, keys: [key] });
  return view;
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

export function checkEnd(expiresAtMs: number | undefined, now: number): void {
  if (expiresAtMs !== undefined && expiresAtMs <= now) throw invalid('expires_at', 'must be in the future');
}

/** Returns the next version of an owner, with other keys. */
const withKeys = <Owner extends KeyOwner>(owner: Owner, keys: readonly ApplicationKey[]): Owner => ({
  ...owner,
  keys,
  version: owner.version + 1,
});

/**
 * Adds a key, which is returned here and never again. Throws `conflict` for too many keys. A retry
 * whose first response was lost gets another key in the place of the first one, which is unknown to
 * everyone.
 */
export async function createKey<Owner extends KeyOwner>(
  deps: Platform,
  owned: OwnedKeys<Owner>,
  choice: KeyChoice,
  writes: WriteIdentity,
): Promise<{ readonly key: ApplicationKey; readonly text: Secret<string> }> {
  requirePermission(owned.caller, owned.toChange);
  checkEnd(choice.expiresAtMs, deps.clock());
  const writeId = writes.newWriteId();
  return retryConflict<{ readonly key: ApplicationKey; readonly text: Secret<string> }>(deps, async () => {
    const previous = await owned.findToChange();
    const by = { createdBy: owned.caller.applicationId, createdAt: deps.clock(), writeId };
    const made = newKey(deps, owned.generate(previous), { ...choice, ...by });
    const others = keysOfOthers(previous, writeId);
    if (others.length >= owned.most)
      throw new ServiceError(
        'conflict',
        `${owned.owner} has at most ${String(owned.most)} keys: delete one first.`,
      );
    await owned.checkRoom?.(previous);
    return (await owned.update(previous, withKeys(previous, [...others, made.key]))) ? made : 'conflict';
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

function patched(
  { random }: Platform,
  key: KeyView,
  { name, expiresAtMs, sourceAddresses }: KeyPatch,
): KeyView {
  const { name: oldName, expiresAtMs: oldEnd, sourceAddresses: oldNetworks, ...rest } = key;
  const nextName = name === undefined ? oldName : (name ?? undefined);
  const nextEnd = expiresAtMs === undefined ? oldEnd : (expiresAtMs ?? undefined);
  return {
    ...rest,
    revision: nextRevision(random, key),
    ...(nextName !== undefined && { name: nextName }),
    ...(nextEnd !== undefined && { expiresAtMs: nextEnd }),
    sourceAddresses: sourceAddresses === undefined ? oldNetworks : (sourceAddresses ?? []),
  };
}

/**
 * Changes a key. Throws `not_found` for an expired one too: nothing makes it, or what it granted,
 * valid again.
 */
export async function updateKey<Owner extends KeyOwner>(
  deps: Platform,
  owned: OwnedKeys<Owner>,
  keyId: string,
  patch: KeyPatch,
): Promise<KeyView> {
  requirePermission(owned.caller, owned.toChange);
  checkEnd(patch.expiresAtMs ?? undefined, deps.clock());
  return retryConflict<KeyView>(deps, async () => {
    const previous = await owned.findToChange();
    const key = keyIn(owned, previous, keyId);
    const [view = key] = await viewsOf(owned, { ...previous, keys: [key] });
    if ((view.expiresAtMs ?? Infinity) <= deps.clock()) throw noSuchKey(owned);
    checkLater(key, patch.expiresAtMs, deps.clock());
    patch.check?.(view);
    const changed = patched(deps, view, patch);
    const { lastUsedOn: _, ...stored } = changed;
    const next = withKeys(
      previous,
      previous.keys.map((each) => (each.id === keyId ? stored : each)),
    );
    const isChanged = await owned.update(previous, next, () => {
      requireMatch(owned.caller, key);
    });
    return isChanged ? changed : 'conflict';
  });
}

/**
 * Deletes a key. When this returns, no part of the service accepts it any more. The last key of an
 * owner may be deleted, unless no other manages the tenant, and a key may delete itself.
 */
export async function deleteKey<Owner extends KeyOwner>(
  deps: Platform,
  owned: OwnedKeys<Owner>,
  keyId: string,
): Promise<void> {
  requirePermission(owned.caller, owned.toChange);
  await retryConflict(deps, async () => {
    const previous = await owned.findToChange();
    const deleted = keyIn(owned, previous, keyId);
    const next = withKeys(
      previous,
      previous.keys.filter((key) => key.id !== keyId),
    );
    const isDeleted = await owned.update(previous, next, () => {
      requireMatch(owned.caller, deleted);
    });
    return isDeleted ? 'deleted' : 'conflict';
  });
}
