import type { Shown } from '../shown.ts';
import type { ExportedToken } from '../service.ts';

export const FORMAT_NAMES = ['csv', 'ndjson', 'cloakroom'] as const;
export type FormatName = (typeof FORMAT_NAMES)[number];

/** Writes tokens as text. Nothing of a token can end its row. */
export interface Format {
  /** Each part begins with it. */
  readonly header: string;
  readonly row: (token: ExportedToken, shown: Shown) => string;
  /** Whether a row would be wrong if it had anything but the data itself. */
  readonly needsPlaintext: boolean;
}
