import type { FieldKind, FieldPart } from '../protocol.ts';

/** The content of a field when it is sent. */
export interface FieldContent {
  readonly kind: FieldKind;
  /** `undefined` for an empty field that is not required. */
  readonly values: Readonly<Record<FieldPart | 'whole', string | number>> | undefined;
  readonly isReady: boolean;
}
