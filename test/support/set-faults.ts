import type { Credentials } from './credentials.ts';

/** Sets the faults of a local account; without any, removes all. */
export async function setFaults(
  { aws_endpoint_url: endpoint }: Pick<Credentials, 'aws_endpoint_url'>,
  faults: readonly string[],
): Promise<void> {
  const response = await fetch(`${endpoint}/_local/faults`, { method: 'PUT', body: JSON.stringify(faults) });
  if (!response.ok) throw new Error(await response.text());
}
