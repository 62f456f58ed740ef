import { formsOf, walkRecords, type AuditView, type ListRecordsDeps } from './list-records.ts';

/** A question about a token; times in ms since the epoch. */
export interface WhoSaw {
  readonly tokenId: string;
  readonly from?: number;
  readonly to?: number;
  /**
   * Include records in which it was shown masked or redacted together with other tokens. These have
   * no index row, so every record of the time is read.
   */
  readonly masked: boolean;
}

/** Most records that one step returns. */
const STEP_RECORDS = 100;

/**
 * One step of the records that name a token, newest first; `before`: where the previous step ended.
 */
export function whoSawStep(
  deps: Pick<ListRecordsDeps, 'trailPages' | 'clock'>,
  trail: string,
  { tokenId, masked, ...times }: WhoSaw,
  before: string | undefined,
): Promise<{ readonly views: readonly AuditView[]; readonly next: string | undefined }> {
  return walkRecords(
    deps,
    trail,
    masked ? times : { ...times, tokenId },
    { size: STEP_RECORDS, before },
    masked ? (entry) => formsOf(entry, tokenId).length > 0 : undefined,
  );
}
