import type { Transform } from '../access/access-rule.ts';
import { ENCRYPTION_OVERHEAD_BYTES } from '../crypto/record-encryption.ts';
import type { Budget } from '../expressions/budget.ts';
import type { Json } from '../shared/json.ts';
import { JsonExtentError, MEMBERS_MAX, MembersAllowance } from '../shared/json-extent.ts';
import type { Secret } from '../shared/secret.ts';
import { maskData, openData, openDetails, openWholeData, shownAs, type OpenTokenDeps } from './open-token.ts';
import type { StoredToken, TokenSummary, TokenView } from './token.ts';
import { describe, DETAIL_NAMES, descriptionOf, type TokenDescription } from './token-details.ts';
import { tokenType } from './token-type.ts';

/**
 * Most bytes of JSON for the data of all tokens of a page. Their descriptions may have as many
 * again (docs/contract.md#list-tokens).
 */
export const PAGE_BYTES = 1_250_000;

/** A token of a page, with the transform that its reader may see it under. */
export interface PermittedSummary {
  readonly token: TokenSummary;
  readonly transform: Transform;
}

const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));

/** The data of a token on a page. `too_large` means that it is omitted. */
type Data = Secret<Json> | 'too_large' | undefined;

/** The whole token if its data is in its own item; `undefined` if it is in separate items. */
function withData(token: TokenSummary): StoredToken | undefined {
  return token.encryptedData && { ...token, encryptedData: token.encryptedData };
}

/**
 * Opens the tokens of a page. Each has an equal share of the response, so the size of one token
 * does not decide what is shown of another. Data in separate items is not read.
 */
export async function openPage(
  deps: OpenTokenDeps,
  permitted: readonly PermittedSummary[],
  size: number,
  budget: Budget,
): Promise<readonly TokenView[]> {
  for (const { token, transform } of permitted) deps.audit.saw(token, shownAs(token, transform));
  const share = PAGE_BYTES / size;
  const fits = (data: Secret<Json> | undefined): Data =>
    data !== undefined && bytesOf(data.reveal()) > share ? 'too_large' : data;

  const revealed = permitted.flatMap(({ token, transform }) => {
    const whole = transform === 'reveal' && token.dataBytes <= share ? withData(token) : undefined;
    return whole === undefined ? [] : [whole];
  });
  const opened = await openWholeData(deps, revealed);
  const wholeOf = new Map(revealed.map(({ id }, index) => [id, opened[index]]));

  /**
   * Opens the data for evaluating a mask; `undefined` if it has more members than its share of what
   * a request may open.
   */
  async function openShare(token: StoredToken): Promise<Secret<Json> | undefined> {
    try {
      return await openData(deps.vault, token, new MembersAllowance(MEMBERS_MAX / size));
    } catch (error) {
      if (error instanceof JsonExtentError) return undefined;
      throw error;
    }
  }

  async function dataOf(
    token: TokenSummary,
    transform: Transform,
    description: TokenDescription | undefined,
  ): Promise<Data> {
    if (shownAs(token, transform) === 'redact') return undefined;
    if (transform === 'reveal') return fits(wholeOf.get(token.id)) ?? 'too_large';
    // An omitted mask is not opened, so the data cannot be masked.
    if (description === undefined) return 'too_large';
    const inline = withData(token);
    const data = inline && (await openShare(inline));
    return data === undefined ? 'too_large' : fits(maskData(description.mask, data, budget));
  }

  return Promise.all(
    permitted.map(async ({ token, transform }) => {
      const description = isLarge(token, share)
        ? undefined
        : describe(tokenType(token.type), await openDetails(deps.vault, token));
      return view(token, transform, await dataOf(token, transform, description), description, share);
    }),
  );
}

/** Whether the details of a token exceed its share. Such details are not opened. */
function isLarge({ encryptedDetails }: TokenSummary, share: number): boolean {
  return encryptedDetails !== undefined && encryptedDetails.length - ENCRYPTION_OVERHEAD_BYTES > share;
}

/**
 * The members to name as omitted: those that the token has. If its details were not opened, they
 * are those that it may have.
 */
function describing(token: TokenSummary, description: TokenDescription | undefined): readonly string[] {
  if (description !== undefined) return Object.keys(descriptionOf(description));
  return Object.values(DETAIL_NAMES).filter((name) => name !== DETAIL_NAMES.mask || token.hasMask);
}

function view(
  token: TokenSummary,
  transform: Transform,
  data: Data,
  description: TokenDescription | undefined,
  share: number,
): TokenView {
  const isDescribed = description !== undefined && bytesOf(descriptionOf(description)) <= share;
  const omitted = [
    ...(data === 'too_large' ? ['data'] : []),
    ...(isDescribed ? [] : describing(token, description)),
  ];
  const { fingerprint, ...rest } = token;
  return {
    ...rest,
    ...(transform !== 'redact' && { fingerprint }),
    ...(isDescribed && { description }),
    ...(data !== undefined && data !== 'too_large' && { data }),
    ...(omitted.length > 0 && { omitted }),
  };
}
