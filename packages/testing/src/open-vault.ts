import { createDeploymentKeyStore } from '../../../src/adapters/dynamodb/deployment-key-store.ts';
import { createTenantStore } from '../../../src/adapters/dynamodb/tenant-store.ts';
import { createKmsKeyService } from '../../../src/adapters/kms/kms-key-service.ts';
import { createTenant } from '../../../src/core/operator/create-tenant.ts';
import { createClient } from '../../sdk/src/index.ts';
import type { SentRequest } from './destinations.ts';
import { durationMs } from './duration.ts';
import { ENVIRONMENT } from './functions.ts';
import type { Delivery, Snapshot, Vault, VaultOptions } from './vault.ts';
import { clientFetch, vaultFetch } from './fetches.ts';
import { MemoryService, type ServiceState } from './memory-service.ts';

const BASE_URL = 'https://vault.test';
const DAY_MS = 86_400_000;

function timeOf(now: Date | string | number): number {
  const time = new Date(now).getTime();
  if (Number.isNaN(time)) throw new TypeError('now is a time');
  return time;
}

function baseOf(baseUrl: string): string {
  const { protocol, origin } = new URL(baseUrl);
  if (protocol !== 'https:' || origin !== baseUrl.replace(/\/$/, ''))
    throw new TypeError('baseUrl is an https address without a path');
  return origin;
}

const deliveryOf = ({ url, headers, body }: SentRequest): Delivery => ({
  url,
  headers: Object.fromEntries(headers.map(([name, value]) => [name.toLowerCase(), value])),
  body: Buffer.from(body).toString(),
});

/** Creates a tenant as an operator does. */
async function newTenant({ aws: { dynamodb, kms } }: MemoryService, name: string) {
  const access = { ...dynamodb, name: ENVIRONMENT['ACCESS_TABLE'] ?? '' };
  const { platform } = dynamodb;
  const created = await createTenant(
    {
      ...platform,
      newId: platform.random.uuid,
      tenantStore: createTenantStore(access),
      keyService: createKmsKeyService(kms, ENVIRONMENT['KEY_ID'] ?? ''),
      deploymentKeyStore: createDeploymentKeyStore(access),
      keyRotationMs: Number(ENVIRONMENT['KEY_ROTATION_DAYS']) * DAY_MS,
    },
    { name, wrappedBy: 'deployment' },
  );
  return {
    tenantId: created.tenantId,
    managementKey: created.managementKey.reveal(),
    webhookSecret: created.webhookSecret.reveal(),
  };
}

/** A vault, and what only the tests of this repository need of it. */
interface OpenedVault {
  readonly vault: Vault;
  readonly createTenant: (name: string) => ReturnType<typeof newTenant>;
}

export async function openVault(options: VaultOptions): Promise<OpenedVault> {
  const { headerPrefix = 'SVC', clientCompatibility = 'strict', cvcLifetimeSeconds = 3_600 } = options;
  const { egressAllowList = [], print = () => undefined } = options;
  const baseUrl = baseOf(options.baseUrl ?? BASE_URL);
  let webhooks: readonly Delivery[] = [];
  const service = new MemoryService({
    baseUrl,
    egressAllowList,
    print,
    now: timeOf(options.now ?? Date.now()),
    onDelivery: (sent) => (webhooks = [...webhooks, deliveryOf(sent)]),
    environment: {
      CLIENT_COMPATIBILITY: clientCompatibility,
      HEADER_PREFIXES: headerPrefix,
      CVC_LIFETIME_SECONDS: String(cvcLifetimeSeconds),
      EGRESS_ALLOW_LIST: egressAllowList.join(','),
    },
  });
  const tenant = await newTenant(service, 'Test');
  const beginning = service.state();

  const sendByClient = clientFetch(service);
  const client: Vault['client'] = (clientOptions) =>
    createClient({ headerPrefix, ...clientOptions, baseUrl, fetch: sendByClient });
  const management = client({ apiKey: tenant.managementKey });

  const vault: Vault = {
    ...tenant,
    baseUrl,
    fetch: vaultFetch(service, baseUrl),
    client,
    applications: management.applications,
    reactors: management.reactors,
    proxies: management.proxies,
    tenants: management.tenants,
    logs: management.logs,
    typeOf: (id) => service.typeOf(tenant.tenantId, id),
    clock: {
      now: () => new Date(service.clock.now()),
      advance: (duration) => service.advance(durationMs(duration)),
    },
    destination: (url, handler) => service.destinations.add(url, handler),
    get webhooks() {
      return webhooks;
    },
    fail: (failure) => service.failures.add(failure),
    settled: () => service.settled(),
    snapshot: () => ({ state: service.state(), webhooks }) as unknown as Snapshot,
    restore: (taken) => {
      const stored = taken as unknown as {
        readonly state: ServiceState;
        readonly webhooks: readonly Delivery[];
      };
      service.replaceState(stored.state);
      webhooks = stored.webhooks;
    },
    reset: () => {
      service.replaceState(beginning);
      service.destinations.clear();
      service.failures.clear();
      webhooks = [];
    },
  };
  return { vault, createTenant: (name) => newTenant(service, name) };
}
