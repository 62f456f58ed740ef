import { createDeploymentKeyStore } from '../../../src/adapters/dynamodb/deployment-key-store.ts';
import { createTenantStore } from '../../../src/adapters/dynamodb/tenant-store.ts';
import { createKmsKeyService } from '../../../src/adapters/kms/kms-key-service.ts';
import { createTenant } from '../../../src/core/operator/create-tenant.ts';
import { createClient } from '../../sdk/src/index.ts';
import type { SentRequest } from './destinations.ts';
import { durationMs } from './duration.ts';
import { ENVIRONMENT } from './functions.ts';
import { MemoryKms } from './aws/memory-kms.ts';
import { checkOptions, wrongOption } from './options.ts';
import type { Delivery, Snapshot, Vault, VaultOptions } from './vault.ts';
import { clientFetch, vaultFetch } from './fetches.ts';
import { MemoryService, type ServiceState } from './memory-service.ts';

const BASE_URL = 'https://vault.test';
const DAY_MS = 86_400_000;

function timeOf(now: Date | string | number): number {
  const time = new Date(now).getTime();
  if (Number.isNaN(time)) throw wrongOption('now');
  return time;
}

function baseOf(baseUrl: string): string {
  const { protocol, origin } = URL.canParse(baseUrl) ? new URL(baseUrl) : {};
  if (origin === undefined || protocol !== 'https:' || origin !== baseUrl.replace(/\/$/, ''))
    throw wrongOption('baseUrl');
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

/** Where a test does not run that has its own classes of bytes, such as jsdom. */
function checkPlatform(): void {
  if (!(Buffer.alloc(0) instanceof Uint8Array))
    throw new Error('a vault needs the node environment of the runner: @jest-environment node');
}

/** An error that the author of the test has to mend is shown although nothing else is. */
const showError = (error: unknown): void => console.error('vault:', error);

export async function openVault(options: VaultOptions): Promise<OpenedVault> {
  checkPlatform();
  checkOptions(options);
  const { headerPrefix = 'SVC', clientCompatibility = 'strict', cvcLifetimeSeconds = 3_600 } = options;
  const { egressAllowList = [], print = () => undefined } = options;
  const baseUrl = baseOf(options.baseUrl ?? BASE_URL);
  const settings = {
    baseUrl,
    egressAllowList,
    print,
    warn: showError,
    kms: new MemoryKms(),
    now: timeOf(options.now ?? Date.now()),
    environment: {
      CLIENT_COMPATIBILITY: clientCompatibility,
      HEADER_PREFIXES: headerPrefix,
      CVC_LIFETIME_SECONDS: String(cvcLifetimeSeconds),
      EGRESS_ALLOW_LIST: egressAllowList.join(','),
    },
  };
  let service = new MemoryService(settings);
  const tenant = await newTenant(service, 'Test');
  const beginning = service.state();
  const states = new WeakMap<object, ServiceState>();
  const goTo = (state: ServiceState) => {
    service.end();
    service = new MemoryService(settings, state);
  };

  const current = () => service;
  const sendByClient = clientFetch(current);
  const client: Vault['client'] = (clientOptions) =>
    createClient({ headerPrefix, ...clientOptions, baseUrl, fetch: sendByClient });
  const { applications, reactors, proxies, tenants, logs } = client({ apiKey: tenant.managementKey });

  const vault: Vault = {
    ...tenant,
    baseUrl,
    fetch: vaultFetch(current, baseUrl),
    client,
    applications,
    reactors,
    proxies,
    tenants,
    logs,
    typeOf: (id) => service.typeOf(tenant.tenantId, id),
    hasApplication: (id) => service.hasApplication(tenant.tenantId, id),
    clock: {
      now: () => new Date(service.clock.now()),
      // The argument is checked before anything waits.
      advance: (duration) => service.advance(durationMs(duration)),
    },
    destination: (url, handler) => service.destinations.add(url, handler),
    get webhooks() {
      return service.deliveries.map(deliveryOf);
    },
    fail: (failure) => service.failures.add(failure),
    settled: () => service.settled(),
    snapshot: () => {
      const taken = Object.freeze({}) as Snapshot;
      states.set(taken, service.state());
      return taken;
    },
    restore: (taken) => {
      const state = states.get(taken);
      if (state === undefined) throw new TypeError('it is no snapshot of this vault');
      goTo(state);
    },
    reset: () => goTo(beginning),
  };
  return { vault, createTenant: (name) => newTenant(service, name) };
}
