import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib';
import { createDeploymentKeyStore } from '../../../src/adapters/dynamodb/deployment-key-store.ts';
import { createTenantStore } from '../../../src/adapters/dynamodb/tenant-store.ts';
import { createKmsKeyService } from '../../../src/adapters/kms/kms-key-service.ts';
import { createTenant } from '../../../src/core/operator/create-tenant.ts';
import { createClient, type Fetch } from '../../sdk/src/index.ts';
import type { SentRequest } from './destinations.ts';
import { durationMs } from './duration.ts';
import { ENVIRONMENT } from './functions.ts';
import type { Delivery, Snapshot, Vault, VaultOptions } from './vault.ts';
import { MemoryService, type GatewayAnswer, type ServiceState } from './memory-service.ts';

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

const DECODERS: ReadonlyMap<string, (body: Buffer) => Buffer> = new Map([
  ['gzip', gunzipSync],
  ['deflate', inflateSync],
  ['br', brotliDecompressSync],
]);

/** The body as `fetch` gives it, which decodes what a destination has encoded. */
function decodedBody({ headers, body }: GatewayAnswer): Uint8Array<ArrayBuffer> {
  const [, coding = ''] = headers.find(([name]) => name === 'content-encoding') ?? [];
  return new Uint8Array(DECODERS.get(coding)?.(body) ?? body);
}

function responseOf(answer: GatewayAnswer): Response {
  const { status, headers } = answer;
  const hasBody = status !== 204 && status !== 304;
  const response = new Response(hasBody ? decodedBody(answer) : null, { status });
  for (const [name, value] of headers) response.headers.append(name, value);
  return response;
}

/** As the platform's `fetch`, a call that is aborted goes on in the service. */
async function untilAborted<T>(signal: AbortSignal, call: Promise<T>): Promise<T> {
  signal.throwIfAborted();
  let stop = () => undefined as void;
  const aborted = new Promise<never>((_, reject) => {
    const onAbort = () => reject(signal.reason as Error);
    signal.addEventListener('abort', onAbort);
    stop = () => signal.removeEventListener('abort', onAbort);
  });
  try {
    return await Promise.race([call, aborted]);
  } finally {
    stop();
  }
}

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

  const vaultFetch: Vault['fetch'] = async (input, init) => {
    const request =
      input instanceof Request ? new Request(input, init) : new Request(new URL(input, baseUrl), init);
    const url = new URL(request.url);
    if (url.origin !== baseUrl)
      throw new TypeError(`fetch failed: ${url.origin} is not the vault, ${baseUrl}`);
    request.signal.throwIfAborted();
    const { method, headers } = request;
    const body = Buffer.from(await request.arrayBuffer());
    const call = service.request({ method, url, headers: [...headers], body });
    return responseOf(await untilAborted(request.signal, call));
  };
  /** Makes no Request and no Response, which take longer than the rest of a call. */
  const clientFetch: Fetch = async (address, { method, headers, body = '', signal }) => {
    const call = service.request({
      method,
      url: new URL(address),
      headers: Object.entries(headers),
      body: Buffer.from(body as Uint8Array),
    });
    const answer = await untilAborted(signal, call);
    return {
      status: answer.status,
      headers: answer.headers,
      arrayBuffer: () => Promise.resolve(decodedBody(answer).buffer),
    };
  };
  const client: Vault['client'] = (clientOptions) =>
    createClient({ headerPrefix, ...clientOptions, baseUrl, fetch: clientFetch });
  const management = client({ apiKey: tenant.managementKey });

  const vault: Vault = {
    ...tenant,
    baseUrl,
    fetch: vaultFetch,
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
      const kept = taken as unknown as {
        readonly state: ServiceState;
        readonly webhooks: readonly Delivery[];
      };
      service.replaceState(kept.state);
      webhooks = kept.webhooks;
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
