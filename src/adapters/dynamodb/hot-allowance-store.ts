import * as z from 'zod/mini';
import type { HotAllowanceStore } from '../../core/reactors/hot-allowances.ts';
import { getItem } from './batch-get.ts';
import { conditionalPut, replaces } from './conditional-write.ts';
import { HOT_ALLOWANCES_KEY } from './keys.ts';
import type { Table } from './table-client.ts';

const allowancesItem = z.lazy(() =>
  z.object({
    allowances: z.array(z.object({ tenantId: z.string(), instances: z.number() })),
    version: z.number(),
  }),
);

/** The Reactors table has one item with what all tenants are allowed. */
export const createHotAllowanceStore = (table: Table): HotAllowanceStore => ({
  async find() {
    const item = await getItem(table, HOT_ALLOWANCES_KEY);
    const { allowances, version } =
      item === undefined ? { allowances: [], version: 0 } : allowancesItem.parse(item);
    return { byTenant: new Map(allowances.map(({ tenantId, instances }) => [tenantId, instances])), version };
  },

  async write({ byTenant, version }) {
    const allowances = [...byTenant].map(([tenantId, instances]) => ({ tenantId, instances }));
    const outcome = await conditionalPut(
      table,
      { ...HOT_ALLOWANCES_KEY, allowances, version },
      replaces(version),
      // A repeated write of the same is read again by its caller, and changes nothing.
      { read: (item) => allowancesItem.parse(item), isSame: () => false },
    );
    return outcome === 'written';
  },
});
