import type { Transform } from '../access/access-rule.ts';
import type { Form } from '../audit/audit-record.ts';
import type { Sightings } from '../audit/audit-scope.ts';
import type { Vault } from '../crypto/vault.ts';
import { MASK_STEPS, type Budget } from '../expressions/budget.ts';
import { ExpressionError } from '../expressions/expression-error.ts';
import { renderTemplates } from '../expressions/render.ts';
import { defined } from '../shared/defined.ts';
import type { Json } from '../shared/json.ts';
import type { MembersAllowance } from '../shared/json-extent.ts';
import { Secret } from '../shared/secret.ts';
import { wholeData } from './prepare-content.ts';
import { cvcContext, encryptionContext } from './encryption-context.ts';
import type { StoredToken, TokenView } from './token.ts';
import { describe, maskOf, type TokenDetails } from './token-details.ts';
import type { StoredCvc, TokenStore } from './token-store.ts';
import { tokenType } from './token-type.ts';
import type { Platform } from '../shared/platform.ts';

export interface OpenTokenDeps extends Platform {
  readonly tokenStore: Pick<TokenStore, 'findCvcs'>;
  readonly vault: Vault;
  readonly audit: Sightings;
}

/** The details of a token. They are an empty object if all are the defaults of its type. */
export async function openDetails(
  vault: Vault,
  token: Omit<StoredToken, 'encryptedData'>,
  allowance?: MembersAllowance,
): Promise<TokenDetails> {
  if (token.encryptedDetails === undefined) return {};
  const details = await vault.decrypt(encryptionContext(token, 'details'), token.encryptedDetails, allowance);
  // Only create and update write this field, always in this form, and its authentication tag
  // proves it unchanged.
  return details.reveal() as TokenDetails;
}

/**
 * Opens the stored data of a token, which is the form that expressions see. A cvc is not part of
 * it.
 */
export function openData(
  vault: Vault,
  token: StoredToken,
  allowance?: MembersAllowance,
): Promise<Secret<Json>> {
  return vault.decrypt(encryptionContext(token, 'data'), token.encryptedData, allowance);
}

/** Whether a card has a cvc that has not ended. Its record may be deleted all the same. */
function hasCvc(token: StoredToken, now: number): boolean {
  return token.cvcUntil !== undefined && token.cvcUntil > now;
}

/** Opens a card's cvc; `undefined` from the moment it ends, even before the sweep deletes it. */
async function openCvc(
  deps: OpenTokenDeps,
  token: StoredToken,
  cvc: StoredCvc | undefined,
): Promise<Secret<Json> | undefined> {
  const now = deps.clock();
  if (cvc === undefined || cvc.until <= now || !hasCvc(token, now)) return undefined;
  return deps.vault.decrypt(cvcContext(token, cvc.until), cvc.encryptedCvc);
}

/**
 * The whole data of tokens of one tenant, in the same order. A card has its cvc while that exists.
 * One read fetches all cvcs.
 */
export async function openWholeData(
  deps: OpenTokenDeps,
  tokens: readonly StoredToken[],
  allowance?: MembersAllowance,
): Promise<readonly Secret<Json>[]> {
  const withCvc = tokens.filter((token) => hasCvc(token, deps.clock()));
  const [first] = withCvc;
  const ids = withCvc.map(({ id }) => id);
  const cvcs =
    first === undefined ? new Map<string, StoredCvc>() : await deps.tokenStore.findCvcs(first.tenantId, ids);
  return Promise.all(
    tokens.map(async (token) =>
      wholeData(await openData(deps.vault, token, allowance), await openCvc(deps, token, cvcs.get(token.id))),
    ),
  );
}

/**
 * The masked value; `undefined` if there is no mask, or if the mask fails or costs too much. Data
 * that cannot be masked is redacted.
 */
export function maskData(mask: Json, data: Secret<Json>, budget: Budget): Secret<Json> | undefined {
  if (mask === null) return undefined;
  try {
    return new Secret(renderTemplates(mask, { data: data.reveal() }, budget.part(MASK_STEPS)));
  } catch (error) {
    if (error instanceof ExpressionError) return undefined;
    throw error;
  }
}

/** The transform by which a token is shown. If the token has no mask, a `mask` rule redacts it. */
export const shownAs = ({ hasMask }: Pick<StoredToken, 'hasMask'>, transform: Transform): Transform =>
  transform === 'mask' && !hasMask ? 'redact' : transform;

/**
 * A token as a caller sees it. `data` is its form under a transform (docs/contract.md#transforms).
 */
export function viewOf(
  token: StoredToken,
  details: TokenDetails,
  data: Secret<Json> | undefined,
  transform: Transform,
): TokenView {
  const fingerprint = transform === 'redact' ? undefined : token.fingerprint;
  return defined({ ...token, fingerprint, description: describe(tokenType(token.type), details), data });
}

/** A stored token with the transform under which its reader may see it. */
export interface PermittedToken {
  readonly token: StoredToken;
  readonly transform: Transform;
  /** The form that the audit trail records. If absent, it records the transform. */
  readonly form?: Form;
  /** True if only the data is shown. */
  readonly isDataAlone?: boolean;
}

/**
 * Opens stored tokens as their reader may see them. It opens nothing that is not shown, and nothing
 * that the audit trail does not have first. Throws `JsonExtentError` beyond the `allowance`.
 */
export async function openTokens(
  deps: OpenTokenDeps,
  permitted: readonly PermittedToken[],
  budget: Budget,
  allowance?: MembersAllowance,
): Promise<readonly TokenView[]> {
  for (const { token, transform, form = shownAs(token, transform) } of permitted) deps.audit.saw(token, form);
  const revealed = permitted.filter(({ transform }) => transform === 'reveal').map(({ token }) => token);
  const whole = await openWholeData(deps, revealed, allowance);
  const wholeOf = new Map(revealed.map((token, index) => [token, whole[index]]));

  async function masked(token: StoredToken, details: TokenDetails): Promise<Secret<Json> | undefined> {
    const mask = maskOf(tokenType(token.type), details);
    return mask === null ? undefined : maskData(mask, await openData(deps.vault, token, allowance), budget);
  }

  return Promise.all(
    permitted.map(async ({ token, transform, isDataAlone = false }) => {
      // The mask is one of the details, so they are opened for it.
      const needsDetails = !isDataAlone || transform === 'mask';
      const details = needsDetails ? await openDetails(deps.vault, token, allowance) : {};
      const data =
        transform === 'mask'
          ? await masked(token, details)
          : transform === 'reveal'
            ? wholeOf.get(token)
            : undefined;
      return viewOf(token, details, data, transform);
    }),
  );
}

/** Does the same as {@link openTokens} for one token. */
export async function openToken(
  deps: OpenTokenDeps,
  token: StoredToken,
  transform: Transform,
  budget: Budget,
): Promise<TokenView> {
  const [view] = await openTokens(deps, [{ token, transform }], budget);
  if (view === undefined) throw new Error('open token: nothing was opened');
  return view;
}
