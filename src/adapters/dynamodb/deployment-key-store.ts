import * as z from 'zod/mini';
import type { DeploymentKeyStore } from '../../core/operator/wrap-roots.ts';
import { getItem } from './batch-get.ts';
import { conditionalPut } from './conditional-write.ts';
import { DEPLOYMENT_KEY } from './keys.ts';
import type { Table } from './table-client.ts';
import { deploymentKeyShape } from './tenant-item.ts';

const keyItem = z.lazy(deploymentKeyShape);

/** The key is in the Access table, where only the operator function may write this item. */
export function createDeploymentKeyStore(table: Table): DeploymentKeyStore {
  return {
    async current() {
      const item = await getItem(table, DEPLOYMENT_KEY);
      return item && keyItem.parse(item);
    },

    async replace(previous, next) {
      const condition =
        previous === undefined
          ? { expression: 'attribute_not_exists(pk)' }
          : { expression: 'id = :id', values: { ':id': previous.id } };
      const outcome = await conditionalPut(table, { ...DEPLOYMENT_KEY, ...next }, condition, {
        read: (item) => keyItem.parse(item),
        isSame: ({ id }) => id === next.id,
      });
      return outcome === 'written';
    },
  };
}
