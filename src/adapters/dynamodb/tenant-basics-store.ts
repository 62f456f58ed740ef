import type { KeyRingStore } from '../../core/crypto/tenant-keys.ts';
import type { TenantBasicsStore } from '../../core/access/tenant-basics.ts';
import { getItem } from './batch-get.ts';
import { someCopy, tenantCopyKey } from './keys.ts';
import type { Table } from './table-client.ts';
import { readBasicsItem } from './tenant-item.ts';

/**
 * Reads what requests need to know about a tenant, including its key ring, from the Access table.
 * There are several equal copies.
 */
export function createTenantBasicsStore(table: Table): TenantBasicsStore & KeyRingStore {
  async function basics(tenantId: string) {
    const item = await getItem(table, tenantCopyKey(tenantId, someCopy(table.platform.random)));
    return item && readBasicsItem(item);
  }
  return { basics, keyRing: basics };
}
