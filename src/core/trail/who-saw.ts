import type { Form } from '../audit/audit-record.ts';
import { walkRecords, type AuditView, type WalkDeps } from './list-records.ts';

/** A question about the records that name a token. Times are in ms since the epoch. */
export interface WhoSaw {
  readonly tokenId: string;
  /** Only records that saw it in this form. */
  readonly form?: Form;
  readonly from?: number;
  readonly to?: number;
  /** Whether to read every record of the time, in case the index was tampered with. */
  readonly withoutIndex: boolean;
}

/** Most records that one step returns. */
const STEP_RECORDS = 100;

/**
 * Makes one step through the records that name a token, newest first. `before` is where the
 * previous step ended.
 */
export function whoSawStep(
  deps: WalkDeps,
  trail: string,
  { withoutIndex, ...filters }: WhoSaw,
  before: string | undefined,
): Promise<{ readonly views: readonly AuditView[]; readonly next: string | undefined }> {
  return walkRecords(deps, trail, filters, { size: STEP_RECORDS, before, withoutIndex });
}
