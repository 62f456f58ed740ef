import type { JsonObject } from '../../../src/core/shared/json.ts';
import type { RowProblem } from '../read/read-row.ts';

/** A row that has the form of a token. */
export interface Candidate {
  readonly row: number;
  readonly oldId: string;
  /** The body of a request that creates its token, with an id. */
  readonly body: JsonObject;
  /** The body of its companion token. It has an id too. */
  readonly details?: JsonObject;
  /**
   * Members that objects of the file may have. Absent for lines of JSON, where nothing says which
   * members a token had before.
   */
  readonly names?: {
    readonly data: readonly string[];
    readonly details: readonly string[];
    /** The id of the companion token, also of a row that has none. */
    readonly detailsId?: string;
  };
  /** The column that a member such as `data.number` comes from. */
  readonly columnOf: (path: string) => string;
}

export type Formed =
  | { readonly kind: 'candidate'; readonly candidate: Candidate }
  | { readonly kind: 'customer' }
  | { readonly kind: 'problem'; readonly found: RowProblem };

export const SOURCE_ID = 'source_id';

export const formProblem = (column: string, problem: string): Formed => ({
  kind: 'problem',
  found: { column, problem },
});
