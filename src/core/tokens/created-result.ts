import type { Transform } from '../access/access-rule.ts';
import type { Caller } from '../access/caller.ts';
import type { Budget } from '../expressions/budget.ts';
import type { Container } from '../shared/container.ts';
import type { Json } from '../shared/json.ts';
import type { Secret } from '../shared/secret.ts';
import { openToken, viewOf, type OpenTokenDeps } from './open-token.ts';
import { wholeData, type PreparedContent } from './prepare-content.ts';
import type { Draft, DuplicateDraft, GoneDraft, WrittenDraft } from './token-draft.ts';
import {
  changedResult,
  CVC_NOT_STORED,
  duplicateResult,
  writtenResult,
  type TokenResult,
} from './token-result.ts';

/** Members that are known once the tokens of a request are written. */
export interface Created {
  readonly caller: Caller;
  readonly budget: Budget;
  readonly drafts: readonly Draft[];
}

/** A token that an earlier attempt of the request created, and that is gone since. */
export interface GoneToken {
  readonly shows: 'gone';
  readonly id: string;
  /** The containers on which the create needed its permission. */
  readonly neededOn: readonly Container[];
}

export type CreatedResult = TokenResult | GoneToken;

/** A draft after everything is written. */
type Source = DuplicateDraft | WrittenDraft | GoneDraft;

/**
 * The data of a new token under a transform. The mask was evaluated when the content was checked.
 */
function shownOf({ data, cvc, masked }: PreparedContent, transform: Transform): Secret<Json> | undefined {
  if (transform === 'reveal') return wholeData(data, cvc);
  return transform === 'mask' ? masked : undefined;
}

/** The draft whose token is returned. */
function sourceOf(draft: Draft, drafts: readonly Draft[]): Source {
  const source = draft.state === 'sameAs' ? drafts[draft.sameAs] : draft;
  if (source === undefined || source.state === 'sameAs' || source.state === 'fresh')
    throw new Error('create tokens: a draft was lost');
  return source;
}

/**
 * Whether the cvc of a draft is not stored, because the returned token has another one, or none.
 */
function dropsCvc(draft: Draft, source: Source): boolean {
  if (draft.state === 'duplicate') return draft.isCvcDropped;
  if (draft === source || draft.content.cvc === undefined) return false;
  const isSourceDropped = source.state === 'duplicate' && source.isCvcDropped;
  return isSourceDropped || source.content.cvc?.reveal() !== draft.content.cvc.reveal();
}

/** Returns what the caller sees of a token that was created, or that existed already. */
export async function createdResult(
  deps: OpenTokenDeps,
  { caller, budget, drafts }: Created,
  draft: Draft,
): Promise<CreatedResult> {
  const source = sourceOf(draft, drafts);
  if (source.state === 'gone') {
    return { shows: 'gone', id: source.id, neededOn: draft.content.containers };
  }
  const notStored = dropsCvc(draft, source) ? { notStored: CVC_NOT_STORED } : {};
  const { token } = source;
  if (source.state === 'duplicate' || source !== draft)
    return duplicateResult(deps, caller, { token, ...notStored }, 'token:create', budget);
  const { content, transform } = draft;
  // An earlier attempt of this request wrote the token, and another caller has changed it since.
  if (!token.writeId.equals(draft.writeId)) {
    const changed = await changedResult(deps, caller, token, 'token:create', transform, budget);
    const { fingerprint } = draft.derived;
    return changed.shows === 'identity' ? { ...changed, token: { ...token, fingerprint } } : changed;
  }
  // Shows the content from memory, because there is no need to decrypt what was just encrypted. An
  // earlier attempt may have stored another cvc.
  const view =
    source.state === 'written'
      ? viewOf(token, content.details, shownOf(content, transform), transform)
      : await openToken(deps, token, transform, budget);
  return writtenResult(caller, token, view);
}
