import type { FieldKind } from '../../protocol.ts';

/** The texts of one kind: its name, then what an empty, an incomplete and a wrong field says. */
export type KindTexts = readonly [name: string, empty: string, incomplete: string, invalid: string];

/** Holds all texts of a language. */
export type Language = Readonly<Record<FieldKind, KindTexts>> & {
  /** It shows the form of an expiry date. */
  readonly placeholder: string;
  /** An expiry date that has passed says it. */
  readonly past: string;
};
