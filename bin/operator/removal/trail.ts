import { z } from 'zod';
import type { RemovalAccount } from './removal-account.ts';

const statement = z.object({
  from: z.number(),
  to: z.number(),
  expires: z.number().optional(),
  entries: z.array(z.tuple([z.string()], z.unknown())).default([]),
});

type Statement = z.infer<typeof statement>;

/** How many of the newest seals are read. The hourly check leaves a record in each hour. */
const NEWEST_SEALS = 3_000;

/** The members of a seal's body that matter here; `undefined` for anything else. */
export function statementOf(body: string): Statement | undefined {
  try {
    return statement.parse(JSON.parse(body));
  } catch {
    return undefined;
  }
}

/** The seal names the first record of its interval, so the length of the interval is added. */
const expiryOf = ({ expires, from, to }: Statement): Date | undefined =>
  expires === undefined ? undefined : new Date(expires * 1_000 + to - from);

/** The trails of a seal's records that have not expired. */
export function liveTrailsOf(seal: Statement, now: Date): readonly string[] {
  const expiry = expiryOf(seal);
  return expiry !== undefined && expiry > now ? seal.entries.map(([trail]) => trail) : [];
}

/** When the last sealed record expires; `undefined` if none of the newest seals has records. */
export async function lastExpiry(
  account: Pick<RemovalAccount, 'sealBodies'>,
  sealsTable: string,
): Promise<Date | undefined> {
  let read = 0;
  for await (const body of account.sealBodies(sealsTable)) {
    const seal = statementOf(body);
    const expiry = seal && expiryOf(seal);
    if (expiry !== undefined) return expiry;
    if ((read += 1) >= NEWEST_SEALS) return undefined;
  }
  return undefined;
}
