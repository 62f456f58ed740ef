import type { Transform } from '../access/access-rule.ts';
import { FieldReporter } from '../shared/field-reporter.ts';
import { errorsBelow, memberPath } from '../shared/member-path.ts';
import { ServiceError } from '../shared/service-error.ts';
import { lastsAsLong } from './find-duplicate.ts';
import type { PreparedContent } from './prepare-content.ts';
import type { DerivedParts } from './encrypt-content.ts';
import type { StoredToken } from './token.ts';
import type { TokenInput } from './token-input.ts';

/** A token of a request whose content and rights were checked. */
export interface CheckedToken {
  readonly input: TokenInput;
  readonly content: PreparedContent;
  readonly derived: DerivedParts;
  readonly transform: Transform;
  readonly deduplicate: boolean;
  /** Equal in all attempts of the request, and no other token has it. */
  readonly writeId: Buffer;
  readonly ids: TokenIds;
}

/** The ids to try for a token of a request. They are drawn when they are needed. */
export interface TokenIds {
  /** All that are drawn so far, also those that another token of the request tries. */
  readonly drawn: readonly string[];
  /** Draws one more; `false` if there is none. */
  draw(): boolean;
  /** The next to try, which no other token of the request tries; `undefined` after the last. */
  next(): string | undefined;
}

/** `tried` has the ids that the tokens of the request try, and gets those of this one. */
export function createTokenIds(ids: Iterator<string>, tried: Set<string>): TokenIds {
  const drawn: string[] = [];
  let position = 0;
  function draw(): boolean {
    const next = ids.next();
    if (next.done === true) return false;
    drawn.push(next.value);
    return true;
  }
  return {
    drawn,
    draw,
    next() {
      while (position < drawn.length || draw()) {
        const id = drawn[position];
        position += 1;
        if (id === undefined || tried.has(id)) continue;
        tried.add(id);
        return id;
      }
      return undefined;
    },
  };
}

/** A draft that is stored as a new token. */
export interface FreshDraft extends CheckedToken {
  readonly state: 'fresh';
  readonly id: string;
  /** Id of the token that holds the lock, if that no longer matches. */
  readonly lockOf?: string;
  /** True if at least one other draft of the request is the same as this one. */
  readonly isMatched: boolean;
}

/** A draft for which an existing token is returned. */
export interface DuplicateDraft extends CheckedToken {
  readonly state: 'duplicate';
  readonly token: StoredToken;
  /** True if the existing token did not take over the cvc. */
  readonly isCvcDropped: boolean;
}

/** A draft for which the token of another draft of the request is returned. */
export interface SameDraft extends CheckedToken {
  readonly state: 'sameAs';
  /** The index of the other draft, which is fresh or a duplicate. */
  readonly sameAs: number;
}

/** A draft that this attempt of the request has stored, or an earlier one. */
export interface WrittenDraft extends CheckedToken {
  readonly state: 'written' | 'found';
  /** The token in its stored form. Another caller may have changed one that was found. */
  readonly token: StoredToken;
}

/** A draft that an earlier attempt of the request has stored, and whose token is gone since. */
export interface GoneDraft extends CheckedToken {
  readonly state: 'gone';
  readonly id: string;
}

/** A token of a request, by what becomes of it. */
export type Draft = FreshDraft | DuplicateDraft | SameDraft | WrittenDraft | GoneDraft;

function checkedOf(draft: FreshDraft): CheckedToken {
  const { id: _id, lockOf: _lockOf, isMatched: _isMatched, ...checked } = draft;
  return checked;
}

/** Makes a stored token the result of a draft. */
export const asStored = (
  draft: FreshDraft,
  state: WrittenDraft['state'],
  token: StoredToken,
): WrittenDraft => ({ ...checkedOf(draft), state, token });

/** Makes a token that is gone the result of a draft. */
export const asGone = (draft: FreshDraft, id: string): GoneDraft => ({
  ...checkedOf(draft),
  state: 'gone',
  id,
});

/** Whether a draft is to be stored, unless an existing token matches it. */
export const wantsDuplicate = (draft: Draft): draft is FreshDraft =>
  draft.state === 'fresh' && draft.deduplicate;

/** Moves a draft to the next of its ids; `undefined` if a literal id is taken. */
export function withNextId(draft: FreshDraft): FreshDraft | undefined {
  const id = draft.ids.next();
  return id === undefined ? undefined : { ...draft, id };
}

/** Makes an existing token the result of a draft. */
export function asDuplicate(draft: FreshDraft, token: StoredToken): DuplicateDraft {
  return { ...checkedOf(draft), state: 'duplicate', token, isCvcDropped: false };
}

/**
 * The index of the token that each token of a request is stored as, mostly its own. Tokens that
 * want deduplication and have the same match hash become one: the one that expires last, or the
 * first of several.
 */
function storedAs(tokens: readonly CheckedToken[]): readonly number[] {
  const longest = new Map<string, { readonly index: number; readonly token: CheckedToken }>();
  for (const [index, token] of tokens.entries()) {
    if (!token.deduplicate) continue;
    const known = longest.get(token.derived.matchHash);
    if (known === undefined || !lastsAsLong(known.token.content, token.content))
      longest.set(token.derived.matchHash, { index, token });
  }
  return tokens.map(({ deduplicate, derived }, index) =>
    deduplicate ? (longest.get(derived.matchHash)?.index ?? index) : index,
  );
}

/** The first id of a token; `undefined` if it is reserved, or refused and reported. */
function firstId({ ids }: CheckedToken, path: string, fields: FieldReporter): string | undefined {
  try {
    const first = ids.next();
    if (first === undefined && ids.drawn.length > 0)
      fields.report(memberPath(path, 'id'), 'is the id of another token of the request');
    return first;
  } catch (error) {
    if (!(error instanceof ServiceError) || error.errors === undefined) throw error;
    fields.add(errorsBelow(path, error.errors));
    return undefined;
  }
}

/** The drafts of a request before existing tokens are searched. */
export interface StartedDrafts {
  readonly drafts: readonly Draft[];
  /** Whether a literal id has the form that only the service makes, so that no token may get it. */
  readonly hasReservedId: boolean;
}

/**
 * Makes the drafts of a request, whose tokens have these paths. Throws `validation_failed` with all
 * refused ids.
 */
export function startDrafts(tokens: readonly CheckedToken[], paths: readonly string[]): StartedDrafts {
  const stored = storedAs(tokens);
  const matched = new Set(stored.filter((other, index) => other !== index));
  const fields = new FieldReporter();
  let hasReservedId = false;
  const drafts = tokens.map((token, index): Draft => {
    const other = stored[index] ?? index;
    if (other !== index) return { ...token, state: 'sameAs', sameAs: other };
    const id = firstId(token, paths[index] ?? '', fields);
    hasReservedId ||= id === undefined;
    return { ...token, state: 'fresh', id: id ?? '', isMatched: matched.has(index) };
  });
  fields.throwIfFailed();
  return { drafts, hasReservedId };
}
