import type { Credentials } from './credentials.ts';

/**
 * Moves the clock of a local account forward by whole seconds. This affects everything in that
 * account, so a test needs a separate service for it.
 */
export async function advanceClock(
  { aws_endpoint_url: endpoint }: Pick<Credentials, 'aws_endpoint_url'>,
  seconds: number,
): Promise<void> {
  const body = JSON.stringify({ advance_seconds: seconds });
  const response = await fetch(`${endpoint}/_local/clock`, { method: 'PUT', body });
  if (!response.ok) throw new Error(await response.text());
}
