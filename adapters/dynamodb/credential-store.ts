import { GetItemCommand } from '@aws-sdk/client-dynamodb';
import type { Credential, CredentialStore } from '../../core/applications/application-store.ts';
import { readApplicationItem } from './application-item.ts';
import { getAll } from './get-all.ts';
import { credentialKey, tenantKey } from './keys.ts';
import { send, toItem, type Item, type Table } from './table-client.ts';
import { tenantSettingsIn } from './tenant-store.ts';

function credentialOf(item: Item, tenant: Item | undefined): Credential {
  const { application, keyHash } = readApplicationItem(item);
  const { id, tenantId, type, permissions, rules, expiresAt } = application;
  const settings = tenant === undefined ? {} : { tenantSettings: tenantSettingsIn(tenant) };
  return {
    keyHash,
    caller: {
      tenantId,
      credentialId: id,
      applicationId: id,
      type,
      actsBy: 'own_key',
      permissions,
      rules,
      ...settings,
    },
    ...(expiresAt === undefined ? {} : { expiresAt }),
  };
}

/** API keys in the Access table: one call for the credential, with the tenant's settings along if they are wanted. */
export function createCredentialStore(table: Table): CredentialStore {
  const { client, name } = table;

  async function getOne(key: Item): Promise<Item | undefined> {
    const command = new GetItemCommand({ TableName: name, Key: key, ConsistentRead: true });
    return (await send(() => client.send(command))).Item;
  }

  return {
    async findByKeyHash(keyHash, settingsOf) {
      const key = toItem({ ...credentialKey(keyHash) });
      if (settingsOf === undefined) {
        const item = await getOne(key);
        return item === undefined ? undefined : credentialOf(item, undefined);
      }
      const found = await getAll(table, [credentialKey(keyHash), tenantKey(settingsOf)]);
      const item = found.find(({ pk }) => pk?.S === key['pk']?.S);
      if (item === undefined) return undefined;
      const tenant = found.find((each) => each !== item);
      const credential = credentialOf(item, tenant);
      // A guess that was wrong about the tenant must not lend it another one's settings.
      return credential.caller.tenantId === settingsOf ? credential : credentialOf(item, undefined);
    },

    async settings(tenantId) {
      const item = await getOne(toItem({ ...tenantKey(tenantId) }));
      if (item === undefined)
        throw new Error('credential store: a credential of a tenant that does not exist');
      return tenantSettingsIn(item);
    },
  };
}
