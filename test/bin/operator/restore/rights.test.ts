import { readFileSync, writeFileSync } from 'node:fs';
import { restoreBeside } from '../../../../bin/operator/restore/restore-beside.ts';
import { restoreExchange } from '../../../../bin/operator/restore/restore-exchange.ts';
import { createApplicationStore } from '../../../../src/adapters/dynamodb/application-store.ts';
import { createCredentialStore } from '../../../../src/adapters/dynamodb/credential-store.ts';
import { createTenantStore } from '../../../../src/adapters/dynamodb/tenant-store.ts';
import type { Permission } from '../../../../src/core/access/permission.ts';
import { fc } from '../../../../packages/test-kit/src/properties.ts';
import { cases } from '../../../../packages/test-kit/src/thoroughness.ts';
import { aKey, anApplication } from '../../../support/builders/an-application.ts';
import { aTenant } from '../../../support/builders/a-tenant.ts';
import { aDeployment } from './a-deployment.ts';
import { machinePlatform } from '../../../../src/adapters/machine-platform.ts';

const TENANT = '11111111-1111-4111-8111-111111111111';
const PERMISSIONS: readonly (readonly Permission[])[] = [[], ['token:read'], ['token:read', 'token:use']];
const COUNT = 3;

/** An application with its key: `key` changes with each regeneration. */
type Change =
  | { readonly what: 'grant'; readonly n: number; readonly level: number }
  | { readonly what: 'regenerate' | 'delete' | 'create' | 'secret'; readonly n: number };

const change: fc.Arbitrary<Change> = fc.oneof(
  fc.record({ what: fc.constant('grant' as const), n: fc.nat(COUNT - 1), level: fc.nat(2) }),
  fc.record({
    what: fc.constantFrom('regenerate' as const, 'delete' as const, 'create' as const, 'secret' as const),
    n: fc.nat(COUNT - 1),
  }),
);

const uuid = (n: number) => `00000000-0000-7000-8000-00000000000${String(n)}`;

async function aWorld() {
  const deployment = await aDeployment();
  const table = { client: deployment.documents, platform: machinePlatform, name: 'Access' };
  const store = createApplicationStore(table);
  const tenants = createTenantStore(table);
  const keys: Buffer[] = [];
  const newKeys = () => {
    const hash = Buffer.alloc(32, keys.length + 1);
    keys.push(hash);
    return [aKey({ hash })];
  };
  await tenants.create(
    aTenant({ id: TENANT }),
    anApplication({ tenantId: TENANT, id: uuid(9), keys: newKeys() }),
  );

  async function apply(each: Change): Promise<void> {
    const found = await store.find(TENANT, uuid(each.n));
    const next = found && { ...found, version: found.version + 1 };
    if (each.what === 'secret') {
      const tenant = await tenants.find(TENANT);
      if (tenant === undefined) throw new Error('the tenant is missing');
      const webhookSecret = Buffer.from(`secret ${String(tenant.version)}`);
      await tenants.update(tenant, { ...tenant, webhookSecret, version: tenant.version + 1 });
    } else if (each.what === 'create' && found === undefined)
      await store.create(anApplication({ tenantId: TENANT, id: uuid(each.n), keys: newKeys() }));
    else if (found === undefined || next === undefined) return;
    else if (each.what === 'grant')
      await store.update(found, { ...next, permissions: [...(PERMISSIONS[each.level] ?? [])] });
    else if (each.what === 'regenerate') await store.update(found, { ...next, keys: newKeys() });
    else if (each.what === 'delete') await store.delete(found);
  }

  /** Returns what each key that ever existed can do, by application. */
  async function rights() {
    const credentials = createCredentialStore(table);
    const all = await Promise.all(
      keys.map(async (key) => {
        const found = await credentials.findByKeyHash(key);
        if (found === undefined || !('caller' in found)) return undefined;
        return { id: found.caller.applicationId, permissions: found.caller.permissions };
      }),
    );
    const secret = (await tenants.find(TENANT))?.webhookSecret?.toString();
    return { all, secret };
  }
  return { deployment, apply, rights };
}

it('gives no key more rights than before it, except those of listed applications', async () => {
  const changes = fc.array(change, { maxLength: 8 });
  const asked = fc.subarray(Array.from({ length: COUNT }, (_, n) => n));
  await fc.assert(
    fc.asyncProperty(changes, changes, changes, asked, async (earlier, since, later, back) => {
      const { deployment, apply, rights } = await aWorld();
      for (const each of earlier) await apply(each);
      const then = await rights();
      deployment.setFate((operation) => (operation === 'Scan' ? 'before' : undefined));
      const beside = () =>
        restoreBeside(deployment.deps, 'Cloakroom-operator', 'latest', ['Tokens', 'Access', 'Reactors']);
      await expect(beside()).rejects.toThrow('cut off');
      deployment.setFate(() => undefined);
      for (const each of since) await apply(each);
      await beside();
      const listed = new Set<string>();
      for (const kind of ['deleted', 'changed', 'created']) {
        const file = deployment.deps.folder.listPath(`${kind}-Access`);
        const lines = readFileSync(file, 'utf8').split('\n').filter(Boolean);
        const isAsked = (line: string) => back.some((n) => line.includes(uuid(n)));
        for (const n of back) if (lines.some((line) => line.includes(uuid(n)))) listed.add(uuid(n));
        writeFileSync(
          file,
          lines
            .filter((line) => !isAsked(line))
            .map((line) => `${line}\n`)
            .join(''),
        );
      }
      // Requests go on while the lists are read.
      for (const each of later) await apply(each);
      const before = await rights();
      await restoreExchange(deployment.deps);
      const after = await rights();
      expect(after.secret).toBe(before.secret);
      after.all.forEach((right, key) => {
        const now = before.all[key];
        const former = then.all[key];
        const isListed = [now, former].some((each) => each !== undefined && listed.has(each.id));
        expect(right).toEqual(isListed ? former : now);
      });
      await deployment.close();
    }),
    { numRuns: cases(3) },
  );
});
