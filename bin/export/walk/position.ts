/** Where an export goes on: behind a page, or within it behind the tokens that were written. */
export interface Position {
  /** The cursor of the page; `null` for the first one. */
  readonly after: string | null;
  /** Ids of tokens that follow the cursor, and that earlier parts have. */
  readonly written: readonly string[];
}

export const START: Position = { after: null, written: [] };
