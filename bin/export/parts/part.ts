/** Where the text of a part goes. */
export interface Part {
  /** Resolves once it takes more. Rejects if it does not. */
  readonly write: (bytes: Uint8Array) => Promise<void>;
  /** Resolves once the part is safe. Rejects if it is not. */
  readonly end: () => Promise<void>;
  /** Ends a part that is not whole, so that it is not taken for a whole one. */
  readonly abort: () => Promise<void>;
}

/** Makes the part of a number, from 1. */
export type OpenPart = (n: number) => Part;
