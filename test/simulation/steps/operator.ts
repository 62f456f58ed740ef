import type { Client } from '../client.ts';
import { management, type Body, type Step } from './step.ts';

export const readTrail: Step = async (client) => {
  const request = management(client, 'GET', '/logs?size=10');
  await client.send('read the trail', [200], request);
};

/**
 * A command of an operator, which repeats it until its last step. Resolves to undefined if it is
 * refused or fails: another operator may be at work.
 */
async function operate(client: Client, command: object, isLast: (result: Body) => boolean): Promise<Body> {
  const { world, service } = client;
  for (let steps = 0; steps < 40; steps += 1) {
    const result: Body = await service.invoke('operator', command).catch((error: unknown) => {
      world.happened(client.name, `operator: ${String(error)}`);
      return undefined;
    });
    if (result === undefined || isLast(result)) return result;
    const next = result.next_step as string | undefined;
    if (next !== undefined)
      await world.pause(Math.max(0, Date.parse(next) - world.now()) + 2 * client.skewMs);
  }
  return undefined;
}

/** Data that is encrypted under a former key is read and changed as before. */
export const rotateKeys: Step = async (client) => {
  const tenant = { tenant_id: client.target.tenantId };
  await operate(client, { command: 'rotate-keys', ...tenant }, () => true);
  await operate(client, { command: 'reencrypt', ...tenant }, ({ done }) => done === true);
};

/** Each step waits until no instance has the former keys in its memory. */
export const replaceRoot: Step = async (client) => {
  if (!client.draws.chance(0.1)) return;
  const command = { command: 'replace-root', tenant_id: client.target.tenantId };
  const begun = await operate(client, { ...command, start: true }, () => true);
  if (begun === undefined) return;
  await client.world.pause(Math.max(0, Date.parse(begun.next_step as string) - client.world.now()));
  await operate(client, command, ({ state }) => state === 'ended');
  await operate(client, { ...command, command: 'reencrypt' }, ({ done }) => done === true);
};

export const rewrapRoots: Step = async (client) => {
  await operate(client, { command: 'rotate-deployment-key' }, () => true);
  const by = client.draws.pick(['kms', 'deployment']);
  await operate(client, { command: 'rewrap-roots', wrapped_by: by }, ({ done }) => done === true);
};
