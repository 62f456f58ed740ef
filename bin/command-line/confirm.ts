import { UsageError } from './failures.ts';
import type { Surroundings } from './surroundings.ts';

/** Asks before a step that cannot be undone. Rejects with {@link UsageError} unless agreed. */
export async function confirm(
  what: string,
  isConfirmed: boolean,
  { ask }: Pick<Surroundings, 'ask'>,
): Promise<void> {
  if (isConfirmed) return;
  if (ask === undefined) throw new UsageError(`${what} Confirm it with --yes; nothing was done`);
  const answer = await ask(`${what} Continue? Enter yes: `);
  if (answer.trim() !== 'yes') throw new UsageError('nothing was done');
}
