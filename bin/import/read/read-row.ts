import type { JsonObject } from '../../../src/core/shared/json.ts';

export type Content =
  | { readonly kind: 'cells'; readonly cells: ReadonlyMap<string, string> }
  | { readonly kind: 'object'; readonly object: JsonObject };

/** Names a place of a file without anything of its value. */
export interface RowProblem {
  readonly column?: string;
  readonly problem: string;
}

/** A row; the first one after the header is 1, and so is the first line of a file without one. */
export type ReadRow =
  | { readonly kind: 'content'; readonly row: number; readonly content: Content }
  | { readonly kind: 'problem'; readonly row: number; readonly found: RowProblem };

/** The file cannot be read on from a row: the rows before it are done. */
export class FileEnds extends Error {
  override readonly name = 'FileEnds';
}

/** Most bytes of a row. A token has at most 3.5 MB of data, and JSON may escape it. */
export const ROW_MAX_BYTES = 8_000_000;
