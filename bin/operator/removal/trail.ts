import { z } from 'zod';
import type { RemovalAccount } from './removal-account.ts';

const statement = z.object({ from: z.number(), to: z.number(), expires: z.number().optional() });

/** How many of the newest seals are read. The hourly check leaves a record in each hour. */
const NEWEST_SEALS = 3_000;

/** The members of a seal's body that matter here; `undefined` for anything else. */
function statementOf(body: string): z.infer<typeof statement> | undefined {
  try {
    return statement.parse(JSON.parse(body));
  } catch {
    return undefined;
  }
}

/**
 * When the last sealed record expires: the seal names the first record of its interval, so the
 * length of the interval is added. `undefined` if none of the newest seals has records.
 */
export async function lastExpiry(
  account: Pick<RemovalAccount, 'sealBodies'>,
  sealsTable: string,
): Promise<Date | undefined> {
  let read = 0;
  for await (const body of account.sealBodies(sealsTable)) {
    const seal = statementOf(body);
    if (seal?.expires !== undefined) return new Date(seal.expires * 1_000 + seal.to - seal.from);
    if ((read += 1) >= NEWEST_SEALS) return undefined;
  }
  return undefined;
}
