import { formsOf, walkRecords, type AuditView, type ListRecordsDeps } from './list-records.ts';

/** What is asked about a token; times in ms since the epoch. */
export interface WhoSaw {
  readonly tokenId: string;
  readonly from?: number;
  readonly to?: number;
  /**
   * Also where it was shown masked or redacted beside other tokens, which nothing leads to: every
   * record of the time is looked at.
   */
  readonly masked: boolean;
}

/** Records that one step answers with at most. */
const STEP_RECORDS = 100;

/**
 * One step of the records that name a token, newest first; `before`: where the step before ended.
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
