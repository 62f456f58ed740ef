import type { Cast } from '../run.ts';
import type { Body, Found } from './found.ts';
import { bytesOf } from './stored.ts';

/** How many runs end with the destruction of their tenant. */
const DESTROYED = 0.2;
/** The trail of a tenant outlives it. */
const OF_THE_TRAIL = /^Audit/;
const MOST_STEPS = 60;

/** A tenant that is destroyed leaves nothing that lasts, and its keys open nothing. */
export async function destructionIsWhole({ world, service, account, target }: Cast): Promise<Found> {
  if (!world.draws('destruction').chance(DESTROYED)) return [];
  const { tenantId, managementKey, privateKey } = target;
  const command = { command: 'destroy-tenant', tenant_id: tenantId, confirm: tenantId };
  let isDone = false;
  for (let steps = 0; steps < MOST_STEPS && !isDone; steps += 1) {
    isDone = ((await service.invoke('operator-access', command)) as Body).done === true;
  }
  const problems = isDone ? [] : ['the destruction of the tenant does not end'];
  for (const key of [managementKey, privateKey]) {
    const answer = await service.request('judge', { method: 'GET', path: '/permissions', key });
    if (answer?.status !== 401) problems.push(`a key of the tenant gives ${String(answer?.status)}`);
  }
  const left = (await account.items())
    .filter(({ table, item }) => !OF_THE_TRAIL.test(table) && bytesOf(item).includes(tenantId))
    .filter(({ item }) => item['ttl'] === undefined);
  return [...problems, ...left.map(({ table, item }) => `${table} has ${bytesOf(item).slice(0, 200)}`)];
}
