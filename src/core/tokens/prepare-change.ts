import { decideAccess, moreRestrictive } from '../access/access-decision.ts';
import type { Transform } from '../access/access-rule.ts';
import type { Caller } from '../access/caller.ts';
import { requireAccess } from '../access/require-permission.ts';
import type { Budget } from '../expressions/budget.ts';
import { checkUnchanged } from '../shared/check-unchanged.ts';
import { defined } from '../shared/defined.ts';
import { isJsonObject, type Json, type JsonObject } from '../shared/json.ts';
import { mergePatch } from './merge-patch.ts';
import { Secret } from '../shared/secret.ts';
import { checkDataMembers } from './check-content.ts';
import { checkNotMasked } from './check-not-masked.ts';
import { checkDataUnderId } from './choose-token-ids.ts';
import type { CreateTokenDeps } from './create-tokens.ts';
import { openData, openDetails } from './open-token.ts';
import { prepareContent, separated, type PreparedContent } from './prepare-content.ts';
import { maskOf, patchDetails, replaced } from './token-details.ts';
import type { TokenPatch } from './token-input.ts';
import { clearMembers } from './token-object.ts';
import { tokenType } from './token-type.ts';
import type { StoredToken } from './token.ts';
import type { TokenType } from './types/definition.ts';
import { requirePatchRights } from './update-rights.ts';
import { withinMembers } from './within-members.ts';

/** How a patch changes a card's cvc. An unchanged cvc ends at the same time as before. */
type CvcChange = 'unchanged' | 'removed' | 'set';

/** The patched data, and how the patch changes the cvc, which is not part of the stored data. */
function patchData(
  { separateMember }: TokenType,
  data: Json,
  patch: Json | undefined,
): { readonly data: Json; readonly cvc: CvcChange } {
  if (patch === undefined) return { data, cvc: 'unchanged' };
  const merged = withinMembers(() => mergePatch(data, patch));
  if (separateMember === undefined || !isJsonObject(patch) || !Object.hasOwn(patch, separateMember))
    return { data: merged, cvc: 'unchanged' };
  return { data: merged, cvc: patch[separateMember] === null ? 'removed' : 'set' };
}

/** An update of one version of a token whose content has passed every check. */
export interface Change {
  readonly previous: StoredToken;
  readonly patch: TokenPatch;
  readonly content: PreparedContent;
  readonly cvc: CvcChange;
  readonly transform: Transform;
}

/**
 * The unchangeable members that the caller may know. The fingerprint identifies the data, so only
 * callers who may read the token get it.
 */
function shownUnchanged(caller: Caller, token: StoredToken): JsonObject {
  const transform = decideAccess(caller, 'token:read', token);
  const isShown = transform !== undefined && transform !== 'redact';
  return { ...clearMembers(token), ...(isShown && { fingerprint: token.fingerprint }) };
}

/**
 * Checks the patch against the current token, and the caller's access to the old and the new
 * containers.
 */
export async function prepareChange(
  deps: CreateTokenDeps,
  caller: Caller,
  previous: StoredToken,
  patch: TokenPatch,
  budget: Budget,
): Promise<Change> {
  const before = requireAccess(caller, 'token:update', previous);
  // This is checked before any evaluation: an error that depends on the data reveals something
  // about it.
  requirePatchRights(caller, previous, patch, before);
  checkUnchanged(patch.unchanged ?? {}, shownUnchanged(caller, previous));
  const [details, data] = await Promise.all([
    openDetails(deps.vault, previous),
    openData(deps.vault, previous),
  ]);
  const type = tokenType(previous.type);
  const patched = patchData(type, data.reveal(), patch.data?.reveal());
  const patchedContent = defined({
    ...patchDetails(type, details, patch),
    data: new Secret(patched.data),
    containers: replaced<readonly string[]>(patch.containers, previous.containers, []),
    expiresAtText: patch.expiresAtText ?? undefined,
  });
  if (patch.data !== undefined && decideAccess(caller, 'token:read', previous) === 'mask') {
    // No mask shows a cvc: an equal text of one would only confirm a cvc to the writer of the mask.
    const { data: compared } = separated(type, patch.data.reveal());
    checkNotMasked(maskOf(type, details), data, compared, budget);
  }
  const { clientCompatibility } = deps;
  const preparation = { now: deps.clock(), budget, clientCompatibility, patch };
  if (clientCompatibility === 'strict') checkDataMembers(type, patch.data?.reveal());
  const content = prepareContent(type, patchedContent, preparation);
  if (patch.data !== undefined) checkDataUnderId(previous.id, type, content.data.reveal());
  const after = requireAccess(caller, 'token:update', { id: previous.id, containers: content.containers });
  const transform = moreRestrictive(before, after);
  requirePatchRights(caller, previous, patch, transform);
  return { previous, patch, content, cvc: patched.cvc, transform };
}
