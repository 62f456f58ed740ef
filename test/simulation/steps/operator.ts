import type { Client } from '../client.ts';
import { management, type Body, type Step } from './step.ts';

export const readTrail: Step = async (client) => {
  const request = management(client, 'GET', '/logs?size=10');
  await client.send('read the trail', [200], request);
};

/**
 * A command of an operator. Resolves to undefined if it fails, which nothing explains without
 * faults, unless another operator may be at work.
 */
export async function command(
  client: Client,
  name: string,
  more: object,
  isRefusable = false,
): Promise<Body> {
  const { world, service, areCallsFaulty } = client;
  try {
    return await service.invoke('operator', { command: name, ...more });
  } catch (error) {
    world.happened(client.name, `operator: ${name} failed: ${String(error)}`);
    if (!areCallsFaulty && !isRefusable) client.problem('operator', `${name} failed: ${String(error)}`);
    return undefined;
  }
}

/** Repeats a command until its last step. */
async function repeat(client: Client, name: string, more: object): Promise<void> {
  for (let steps = 0; steps < 40; steps += 1) {
    const result = await command(client, name, more);
    if (result === undefined || result.done === true) return;
  }
  if (!client.areCallsFaulty) client.problem('operator', `${name} does not end`);
}

const tenantOf = ({ target }: Client) => ({ tenant_id: target.tenantId });

/** Data that is encrypted under a former key is read and changed as before. */
export const rotateKeys: Step = async (client) => {
  // A root that waits must be in use first.
  await command(client, 'rotate-keys', tenantOf(client), client.shared.isRootReplaced);
  await repeat(client, 'reencrypt', tenantOf(client));
};

/**
 * Each step waits until no instance has the former keys in its memory. The last one removes the
 * former root weeks later, when nothing is left that needs it.
 */
export const replaceRoot: Step = async (client) => {
  const { world, draws, shared, skewMs, areCallsFaulty } = client;
  if (areCallsFaulty && !draws.chance(0.1)) return;
  shared.isRootReplaced = true;
  const tenant = tenantOf(client);
  let reached = await command(client, 'replace-root', { ...tenant, start: true });
  for (let steps = 0; steps < 4 && reached !== undefined && reached.state !== 'ending'; steps += 1) {
    await world.pause(Math.max(0, Date.parse(reached.next_step as string) - world.now()) + 2 * skewMs);
    if (reached.state !== 'waiting') await repeat(client, 'reencrypt', tenant);
    reached = await command(client, 'replace-root', tenant);
  }
  if (!areCallsFaulty && reached?.state !== 'ending')
    client.problem('operator', `replace-root reached ${JSON.stringify(reached)}`);
};

export const rewrapRoots: Step = async (client) => {
  await command(client, 'rotate-deployment-key', {});
  await repeat(client, 'rewrap-roots', { wrapped_by: client.draws.pick(['kms', 'deployment']) });
};

/** Commands that change nothing. */
export const inspect: Step = async (client) => {
  const tenant = tenantOf(client);
  const name = client.draws.pick(['list-tenants', 'check-tenant', 'health', 'list-deliveries', 'audit-key']);
  await command(client, name, name === 'check-tenant' ? tenant : {});
};
