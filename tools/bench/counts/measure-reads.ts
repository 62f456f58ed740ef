import { manyInstances } from '../../../test/support/many-instances.ts';
import { BUDGETS } from '../budgets.ts';
import { effort } from '../effort.ts';

/** The reads of many requests of one API key from the table of credentials and tenants. */
export interface Reads {
  readonly name: string;
  readonly requests: number;
  readonly all: number;
  /** Number of items that differ. */
  readonly items: number;
  /** Reads of the most frequently read item. */
  readonly most: number;
}

const REQUESTS = [
  { name: 'get', method: 'GET', path: '/tokens/nothing', body: undefined },
  { name: 'create', method: 'POST', path: '/tokens', body: { type: 'token', data: 'x' } },
] as const;

/** Several cold instances process the requests of one key, each kind separately. */
export async function measureReads(): Promise<readonly Reads[]> {
  const { instances: count, requests: total } = BUDGETS.hotItem;
  const requests = effort(total / REQUESTS.length, count);
  const world = await manyInstances();
  try {
    const tenantId = await world.aTenant();
    const found: Reads[] = [];
    for (const { name, method, path, body } of REQUESTS) {
      const { key } = await world.anApplication(tenantId);
      const instances = Array.from({ length: count }, () => world.anInstance());
      world.database.takeReads();
      // An instance has one request at a time.
      for (let asked = 0; asked < requests; asked += count)
        await Promise.all(instances.map((ask) => ask(method, path, key, body)));
      const reads = world.database.takeReads().filter((read) => read.startsWith('Access '));
      const times = [...Map.groupBy(reads, (read) => read).values()].map(({ length }) => length);
      found.push({ name, requests, all: reads.length, items: times.length, most: Math.max(...times) });
    }
    return found;
  } finally {
    await world.database.close();
  }
}
