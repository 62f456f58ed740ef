import { decideAccess } from '../access/access-decision.ts';
import type { Transform } from '../access/access-rule.ts';
import type { Caller } from '../access/caller.ts';
import { isJsonObject } from '../shared/json.ts';
import { ServiceError } from '../shared/service-error.ts';
import { isSoleWriter, writesAsItself } from './ownership.ts';
import type { StoredToken } from './token.ts';
import type { TokenPatch } from './token-input.ts';
import { tokenType } from './token-type.ts';

/**
 * Whether a member of a patch describes the token: such members decide what other callers see and
 * how expressions name it. A new member does not compile without this decision.
 */
const DESCRIBES: Readonly<Record<keyof TokenPatch, string | false>> = {
  mask: 'mask',
  fingerprintExpression: 'fingerprint_expression',
  searchIndexes: 'search_indexes',
  containers: 'containers',
  // Other rules decide about these (docs/contract.md#update-a-token).
  data: false,
  expiresAtText: false,
  metadata: false,
  deduplicateToken: false,
  unchanged: false,
};

/**
 * Throws `forbidden` for a patch of the description (docs/contract.md#update-a-token), unless the
 * rule reveals or the caller alone wrote all content of an unshared token.
 */
function requireDescription(
  caller: Caller,
  previous: StoredToken,
  patch: TokenPatch,
  transform: Transform,
): void {
  const names = Object.entries(DESCRIBES)
    .filter(([member, name]) => name !== false && patch[member as keyof TokenPatch] !== undefined)
    .map(([, name]) => name);
  if (names.length === 0 || transform === 'reveal') return;
  if (isSoleWriter(caller, previous) && !previous.isShared) return;
  throw new ServiceError(
    'forbidden',
    `To change ${names.join(', ')}, a rule must grant token:update with the transform reveal on the old and the new containers.`,
  );
}

const sharedByDeduplication = () =>
  new ServiceError(
    'forbidden',
    'The token is shared by deduplication: to change data or expires_at, a rule must grant token:update with the transform reveal.',
  );

/** The members that a patch of the data names; `undefined` if it replaces the data. */
function patchedMembers({ data }: TokenPatch): readonly string[] | undefined {
  const patch = data?.reveal() ?? {};
  return isJsonObject(patch) ? Object.keys(patch) : undefined;
}

/**
 * A caller who received the token as a duplicate relies on its data, which is what matched. Throws
 * `forbidden` for a patch of the data, even for one that changes nothing, because the response
 * would confirm a guess. A cvc is not part of what matched. The private application that updates a
 * card may renew its month and year.
 */
function requireUnsharedData(
  caller: Caller,
  { isShared, type }: StoredToken,
  patch: TokenPatch,
  transform: Transform,
): void {
  if (!isShared || transform === 'reveal' || patch.data === undefined) return;
  const { renewable = [], separateMember } = tokenType(type);
  const free: readonly (string | undefined)[] = [
    separateMember,
    ...(writesAsItself(caller) ? renewable : []),
  ];
  if (patchedMembers(patch)?.every((name) => free.includes(name)) === true) return;
  throw sharedByDeduplication();
}

/**
 * A match confirms the whole data. Throws `forbidden` for a patch that asks for one, unless the
 * caller may see, has written or sends all of the data.
 */
function requireKnownData(
  caller: Caller,
  previous: StoredToken,
  patch: TokenPatch,
  transform: Transform,
): void {
  if (patch.deduplicateToken !== true || transform === 'reveal' || isSoleWriter(caller, previous)) return;
  const { dataMembers, separateMember } = tokenType(previous.type);
  const names = patchedMembers(patch);
  const isComplete =
    names === undefined ||
    dataMembers?.every((name) => name === separateMember || names.includes(name)) === true;
  if (isComplete) return;
  throw new ServiceError(
    'forbidden',
    'To deduplicate by data that is not in the request, a rule must grant token:update with the transform reveal.',
  );
}

/**
 * Throws `forbidden` if the caller may update the token, but not with this patch under this
 * transform. It depends on nothing that is encrypted, so the error reveals nothing of the content.
 */
export function requirePatchRights(
  caller: Caller,
  previous: StoredToken,
  patch: TokenPatch,
  transform: Transform,
): void {
  requireDescription(caller, previous, patch, transform);
  requireUnsharedData(caller, previous, patch, transform);
  requireKnownData(caller, previous, patch, transform);
}

/**
 * Throws `forbidden` for a change of the expiry that the caller may not make. A caller who received
 * the token as a duplicate relies on its lifetime. An earlier end deletes the token, so it needs
 * the right to do so, except for its creator. `until` is the patched end in ms since the epoch, or
 * `undefined`.
 */
export function requireLifetimeRights(
  caller: Caller,
  previous: StoredToken,
  until: number | undefined,
  transform: Transform,
): void {
  const before = previous.expiration?.at;
  if (until === before) return;
  if (previous.isShared && transform !== 'reveal') throw sharedByDeduplication();
  if ((until ?? Infinity) > (before ?? Infinity)) return;
  if (writesAsItself(caller) && previous.createdBy === caller.applicationId) return;
  if (decideAccess(caller, 'token:delete', previous) !== undefined) return;
  throw new ServiceError(
    'forbidden',
    'To make a token expire earlier, a rule must grant token:delete on its containers.',
  );
}
