import { later, storeSettings, type LocalAccount, type LocalService } from '../assembly/local-service.ts';
import { definedIn } from '../assembly/resource-type.ts';
import type { ResourcePolicy } from '../aws-service.ts';
import { createKms, type Kms } from './create-kms.ts';
import { createKeyDefinitions } from './key-definitions.ts';
import { kmsResources } from './kms-resources.ts';

export interface LocalKms extends LocalService {
  /** Finds the policy of a key by its ARN. */
  readonly keyPolicy: (keyArn: string) => ResourcePolicy | undefined;
}

export function createLocalKms(account: LocalAccount): LocalKms {
  const keys = createKeyDefinitions();
  const store = later<Kms>('KMS');
  return {
    resources: definedIn(keys, kmsResources),
    open: async () => {
      const kms = store.set(await createKms(storeSettings(account, 'kms')));
      account.onClose(() => kms.close());
    },
    deploy: async () => {
      const kms = store.get();
      for (const key of keys.all()) await kms.createKey(key);
      return kms;
    },
    keyPolicy: (keyArn) => store.get().resourcePolicy(keyArn),
  };
}
