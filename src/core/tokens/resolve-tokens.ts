import { decideAccess, permissionOf, type Right } from '../access/access-decision.ts';
import type { Transform } from '../access/access-rule.ts';
import type { Caller } from '../access/caller.ts';
import { reasonOf } from '../access/require-permission.ts';
import { createBudget, type Budget } from '../expressions/budget.ts';
import type { TokenReference } from '../expressions/token-expression.ts';
import { defined } from '../shared/defined.ts';
import { FieldReporter } from '../shared/field-reporter.ts';
import type { Json } from '../shared/json.ts';
import { JsonExtentError, MEMBERS_MAX_TEXT, MembersAllowance } from '../shared/json-extent.ts';
import { pathText } from '../shared/member-path.ts';
import { ServiceError } from '../shared/service-error.ts';
import { openTokens, type OpenTokenDeps } from './open-token.ts';
import { firstEnd, hasExpired } from './expiration.ts';
import type { PermittedSummary } from './open-page.ts';
import type { UsedToken } from './token-use.ts';
import type { StoredToken, TokenSummary, TokenView } from './token.ts';
import { enrichedTokenObject } from './token-object.ts';
import type { TokenStore } from './token-store.ts';

export interface ResolveTokensDeps extends OpenTokenDeps {
  readonly tokenStore: TokenStore;
}

/** Most distinct tokens that one request may detokenize (docs/contract.md#limits). */
export const DETOKENIZED_MAX = 100;

/** The right that a detokenization needs, and its limit. */
export interface Detokenization {
  readonly right: Extract<Right, object> | 'token:read';
  /** Most bytes of JSON that the request's tokens may contain, and that may be filled in. */
  readonly maxBytes: number;
}

/** The tokens of a request after they were opened. */
export interface ResolvedTokens {
  /**
   * The value of a reference: the data, or the whole Token object. `null` for data that the caller
   * may not see.
   */
  readonly valueOf: (reference: Pick<TokenReference, 'id' | 'isWhole'>) => Json;
  /**
   * How long the filled-in value may be stored, as a time in ms since the epoch. It ends when the
   * first token or cvc ends. Absent if none ends.
   */
  readonly keepUntil?: number;
  /** The tokens that were read, in no order. */
  readonly tokens: readonly UsedToken[];
}

/** An unknown id may have been meant to be one of these. */
const HINTS: readonly (readonly [looks: RegExp, hint: string])[] = [
  [/^tokens?(?:\s*:|\s|$)/i, 'The whole token is written as `{{ token: <id> }}`, in lower case'],
  [/^["'].*["']$/, 'An id is written without quotation marks'],
  // Liquid reads a member so, and an expression by a filter.
  [
    /^(?:data|value)$|\.[A-Za-z_]\w*$|\[[^\]]*\]$/,
    "A member of the data is read by a filter, as in `{{ <id> | json: '$.number' }}`",
  ],
];

/** How many places an error names that refer to tokens which do not exist. */
const PLACES_MAX = 20;

/** The error for ids that are unknown or have expired, by the places that refer to them. */
function failed(ids: readonly string[], references: readonly TokenReference[]): ServiceError {
  const unknown = new Set(ids);
  const paths = references.flatMap(({ id, path }) => (unknown.has(id) && path !== undefined ? [path] : []));
  const fields = new FieldReporter();
  for (const path of paths.slice(0, PLACES_MAX))
    fields.report(pathText(path), 'names an unknown or expired token');
  const hints = HINTS.flatMap(([looks, hint]) => (ids.some((id) => looks.test(id)) ? [hint] : []));
  const detail = [`Failed to detokenize some tokens: ${ids.join(', ')}`, ...hints].join('. ');
  const { errors } = fields.error();
  return new ServiceError(
    'validation_failed',
    detail,
    defined({ errors: fields.failed ? errors : undefined }),
  );
}

async function findAll(
  deps: Pick<ResolveTokensDeps, 'tokenStore' | 'clock'>,
  tenantId: string,
  ids: readonly string[],
  references: readonly TokenReference[],
): Promise<readonly TokenSummary[]> {
  const now = deps.clock();
  const found = (await deps.tokenStore.findSummaries(tenantId, ids)).filter(
    (token) => !hasExpired(token, now),
  );
  const known = new Set(found.map(({ id }) => id));
  const missing = ids.filter((id) => !known.has(id));
  if (missing.length > 0) throw failed(missing, references);
  return found;
}

/** Tokens that several resolutions of one budget have found so far. */
interface Resolved {
  /** Every reference that was asked for. */
  readonly references: TokenReference[];
  readonly permitted: Map<string, PermittedSummary>;
  readonly read: Map<string, StoredToken>;
  /** The views that show data alone, and those that show the whole token. */
  readonly data: Map<string, TokenView>;
  readonly whole: Map<string, TokenView>;
}

/** Decides on the tokens of references that were not asked for before. */
async function permitTokens(
  deps: Pick<ResolveTokensDeps, 'tokenStore' | 'clock' | 'audit'>,
  caller: Caller,
  { right, maxBytes }: Detokenization,
  { permitted, references }: Pick<Resolved, 'permitted' | 'references'>,
  added: readonly TokenReference[],
): Promise<void> {
  const ids = [...new Set(added.map(({ id }) => id))].filter((id) => !permitted.has(id));
  if (permitted.size + ids.length > DETOKENIZED_MAX)
    throw new ServiceError(
      'validation_failed',
      `A request detokenizes at most ${String(DETOKENIZED_MAX)} tokens.`,
    );
  deps.audit.named(ids);
  const found = ids.length === 0 ? [] : await findAll(deps, caller.tenantId, ids, added);
  for (const token of found) permitted.set(token.id, { token, transform: transformOf(caller, right, token) });
  references.push(...added);
  checkSize([...permitted.values()], references, maxBytes);
}

/**
 * The transform under which a token is filled in. `token:use` always inserts the raw data. Throws
 * `forbidden`.
 */
function transformOf(
  caller: Caller,
  right: Detokenization['right'],
  token: Pick<TokenSummary, 'id' | 'containers'>,
): Transform {
  const transform = decideAccess(caller, right, token);
  if (transform === undefined)
    throw new ServiceError(
      'forbidden',
      `The permission ${permissionOf(right)} is required for all tokens. ${reasonOf(caller, right, token)}`,
    );
  return right === 'token:read' ? transform : 'reveal';
}

/** Data of at least this size, in bytes, is in separate items of about this size. */
const APART_BYTES = 350_000;

/**
 * The bytes that a token counts. A caller who may not see its data learns at most the number of its
 * items.
 */
function countedBytes(permitted: PermittedSummary): number {
  const { encryptedData, dataBytes } = permitted.token;
  if (permitted.transform === 'reveal') return dataBytes;
  if (!showsData(permitted) || encryptedData !== undefined) return 0;
  return Math.ceil(dataBytes / APART_BYTES) * APART_BYTES;
}

/** Whether any of the data is shown. Redacted data is not read. */
function showsData({ token, transform }: PermittedSummary): boolean {
  return transform === 'reveal' || (transform === 'mask' && token.hasMask);
}

/** Throws `payload_too_large`, before data is read, if the request reads or fills in too much. */
function checkSize(
  permitted: readonly PermittedSummary[],
  references: readonly TokenReference[],
  maxBytes: number,
): void {
  const bytesOf = new Map(permitted.map((each) => [each.token.id, countedBytes(each)]));
  const sum = (ids: Iterable<string>) => [...ids].reduce((bytes, id) => bytes + (bytesOf.get(id) ?? 0), 0);
  // The size of a filtered value is unknown before the data is read, so it is not counted.
  const filledIn = references.filter(({ filters }) => filters === undefined).map(({ id }) => id);
  if (Math.max(sum(bytesOf.keys()), sum(filledIn)) > maxBytes)
    throw new ServiceError(
      'payload_too_large',
      `The tokens of a request may contain, and fill in, at most ${String(maxBytes / 1_000_000)} MB.`,
    );
}

/** Makes the checks of {@link resolveTokens} and opens nothing. */
export async function checkTokens(
  deps: Pick<ResolveTokensDeps, 'tokenStore' | 'clock' | 'audit'>,
  caller: Caller,
  what: Detokenization,
  references: readonly TokenReference[],
): Promise<void> {
  await permitTokens(deps, caller, what, { permitted: new Map(), references: [] }, references);
}

/**
 * Tokens of few bytes can have so many members that opening them exceeds the limit of a request.
 */
function tooMuch(error: unknown): never {
  if (!(error instanceof JsonExtentError)) throw error;
  throw new ServiceError(
    'payload_too_large',
    `The tokens of the request contain more than ${MEMBERS_MAX_TEXT} together.`,
  );
}

/** Opens the tokens of references. Throws what {@link resolveTokens} throws. */
export type ResolveReferences = (references: readonly TokenReference[]) => Promise<ResolvedTokens>;

/**
 * Resolves references for one caller under one limit. A token that several resolutions refer to is
 * decided, recorded, read and opened once, and counts once.
 */
export function createTokenResolver(
  deps: ResolveTokensDeps,
  caller: Caller,
  what: Detokenization,
): ResolveReferences {
  const resolved: Resolved = {
    references: [],
    permitted: new Map(),
    read: new Map(),
    data: new Map(),
    whole: new Map(),
  };
  // Masks have a separate budget, because what others stored must not use up the budget of the
  // caller's expressions.
  const opening = { masks: createBudget(deps.random.integer), allowance: new MembersAllowance() };
  return async (references) => {
    // The clock is read before the tokens, so that a cvc that ends during the request is still
    // filled in.
    const now = deps.clock();
    await permitTokens(deps, caller, what, resolved, references);
    const ids = new Set(references.map(({ id }) => id));
    await readTokens(deps, resolved, ids, references);
    await openReferences(deps, caller, what, resolved, references, opening);
    const tokens = [...ids].flatMap((id) => resolved.read.get(id) ?? []);
    return defined({
      keepUntil: firstEnd(tokens, now),
      tokens,
      valueOf({ id, isWhole }: Pick<TokenReference, 'id' | 'isWhole'>) {
        const view = isWhole ? resolved.whole.get(id) : (resolved.data.get(id) ?? resolved.whole.get(id));
        if (view === undefined) throw new Error('resolve tokens: a reference that was not announced');
        return isWhole ? enrichedTokenObject(view) : (view.data?.reveal() ?? null);
      },
    });
  };
}

/** Reads the data that is shown and was not read yet. */
async function readTokens(
  { tokenStore }: Pick<ResolveTokensDeps, 'tokenStore'>,
  { permitted, read }: Resolved,
  ids: ReadonlySet<string>,
  references: readonly TokenReference[],
): Promise<void> {
  const toRead = [...ids]
    .flatMap((id) => permitted.get(id) ?? [])
    .filter((each) => showsData(each) && !read.has(each.token.id))
    .map(({ token }) => token);
  const tokens = toRead.length === 0 ? [] : await tokenStore.readData(toRead);
  for (const token of tokens) read.set(token.id, token);
  const gone = toRead.filter(({ id }) => !read.has(id)).map(({ id }) => id);
  if (gone.length > 0) throw failed(gone, references);
}

/** Opens what references show and what was not opened yet. */
async function openReferences(
  deps: ResolveTokensDeps,
  caller: Caller,
  { right }: Detokenization,
  { permitted, read, data, whole }: Resolved,
  references: readonly TokenReference[],
  { masks, allowance }: { readonly masks: Budget; readonly allowance: MembersAllowance },
): Promise<void> {
  const shownWhole = new Set(references.filter(({ isWhole }) => isWhole).map(({ id }) => id));
  const toOpen = [...new Set(references.map(({ id }) => id))].filter(
    (id) => !whole.has(id) && (shownWhole.has(id) || !data.has(id)),
  );
  const form = right === 'token:read' ? undefined : ('use' as const);
  const opened = await openTokens(
    deps,
    toOpen.map((id) => {
      const token = read.get(id);
      const summary = permitted.get(id);
      if (summary === undefined) throw new Error('resolve tokens: a token was lost');
      const shown =
        token === undefined
          ? { token: { ...summary.token, encryptedData: Buffer.alloc(0) }, transform: summary.transform }
          : // Access is decided again for the data that was read: the token may have moved since its
            // summary was read.
            { token, transform: transformOf(caller, right, token) };
      return { ...shown, isDataAlone: !shownWhole.has(id), ...(form !== undefined && { form }) };
    }),
    masks,
    allowance,
  ).catch(tooMuch);
  for (const view of opened) (shownWhole.has(view.id) ? whole : data).set(view.id, view);
}

/**
 * Opens all tokens of the references: raw for `token:use`, as its rule shows them for `token:read`.
 * Throws `validation_failed` (unknown or expired id, over 100), `forbidden`, `payload_too_large`.
 */
export const resolveTokens = (
  deps: ResolveTokensDeps,
  caller: Caller,
  what: Detokenization,
  references: readonly TokenReference[],
): Promise<ResolvedTokens> => createTokenResolver(deps, caller, what)(references);
