import type { Credentials } from './credentials.ts';

/**
 * Moves the clock of a local cloud forward by whole seconds. It hits everything on that cloud, so a
 * test does this to a service of its own.
 */
export async function advanceClock(
  { aws_endpoint_url: endpoint }: Pick<Credentials, 'aws_endpoint_url'>,
  seconds: number,
): Promise<void> {
  const body = JSON.stringify({ advance_seconds: seconds });
  const response = await fetch(`${endpoint}/_local/clock`, { method: 'PUT', body });
  if (!response.ok) throw new Error(await response.text());
}
