import type { JsonObject } from '../../../src/core/shared/json.ts';
import type { Candidate } from '../columns/candidate.ts';
import type { RowProblem } from '../read/read-row.ts';

/** A row that passed all checks, on its way to the service. */
export interface Unit {
  readonly candidate: Candidate;
  readonly id: string;
  readonly isExpired: boolean;
  readonly digest: string;
  /** Digests of what earlier runs may have stored under its id. */
  readonly prior: readonly string[];
  /** The id of its token, if an earlier run found that it is another one. */
  readonly priorTokenId?: string | undefined;
}

/** The end of a row. */
export type Outcome =
  | { readonly kind: 'created'; readonly details: number }
  /** The service had its data under another id. */
  | { readonly kind: 'paired'; readonly tokenId: string; readonly details: number }
  | {
      readonly kind: 'present';
      readonly compared: 'there' | 'different' | 'not_compared';
      readonly isReplaced: boolean;
      readonly details: number;
    }
  | { readonly kind: 'refused'; readonly found: RowProblem };

/** The id of a body, which each has. */
export function idIn({ id }: JsonObject): string {
  if (typeof id !== 'string') throw new Error('import: a token without an id');
  return id;
}

/** All bodies of a unit: its token, and its companion if it has one. */
export const bodiesOf = ({ candidate: { body, details } }: Unit): readonly JsonObject[] =>
  details === undefined ? [body] : [body, details];

/** Says what a token has that exists under the id of a unit. */
export function comparedBy({ prior, digest }: Unit): 'there' | 'different' | 'not_compared' {
  if (prior.length === 0) return 'not_compared';
  if (prior.every((each) => each === digest)) return 'there';
  return prior.includes(digest) ? 'not_compared' : 'different';
}
