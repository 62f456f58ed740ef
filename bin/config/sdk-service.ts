import type {
  ApiPromise,
  Client,
  NewApplication,
  NewReactor,
  NewStoredProxy,
  TenantChange,
} from '../../packages/sdk/src/index.ts';
import { codeDigest } from '../../src/core/reactors/code-hash.ts';
import { isJsonObject, type JsonObject } from '../../src/core/shared/json.ts';
import { Secret } from '../../src/core/shared/secret.ts';
import { UsageError } from '../command-line/failures.ts';
import { lineOf } from '../command-line/service-call.ts';
import type { Kind } from './model.ts';
import { CallFailed, type ConfigService, type Owner, type Tagged } from './service.ts';

const asJson = (body: object): JsonObject => body as JsonObject;

/** Explains a failed call without anything of its request. */
async function explained(error: unknown): Promise<unknown> {
  const { ApiError, ConnectionError } = await import('../../packages/sdk/src/index.ts');
  if (error instanceof ApiError) {
    if (error.status === 401) return new UsageError(`the service rejects the key: ${error.message}`);
    return new CallFailed(error.status, error.code ?? '', lineOf(error));
  }
  if (error instanceof ConnectionError) return new CallFailed(0, 'unreachable', error.message);
  return error;
}

/** Leaves out code and values, which neither a plan nor a message may have. */
function reviewed(body: JsonObject): JsonObject {
  const { code, configuration, ...rest } = body;
  return {
    ...rest,
    ...(typeof code === 'string' && { code_digest: codeDigest(code) }),
    ...(isJsonObject(configuration) && { configuration_names: Object.keys(configuration) }),
  };
}

/** A new key is in a body only here. */
function separated(body: JsonObject): { readonly shown: JsonObject; readonly key?: Secret<string> } {
  const { key, ...shown } = body;
  return { shown: reviewed(shown), ...(typeof key === 'string' && { key: new Secret(key) }) };
}

async function tagged(call: ApiPromise<object>): Promise<Tagged & { readonly key?: Secret<string> }> {
  const { data, response } = await call.withResponse();
  const { shown, ...key } = separated(asJson(data));
  const { id } = shown;
  const { etag = '' } = response.headers;
  if (typeof id !== 'string' || etag === '')
    throw new CallFailed(
      response.status,
      '',
      'the service sent no tag of its resource: it is older than this command',
    );
  return { id, etag, body: shown, ...key };
}

/** A change has the same form for each kind. */
function changesOf(client: Client) {
  const { applications, proxies, reactors } = client;
  return {
    create: (kind: Kind, body: JsonObject): ApiPromise<object> => {
      const sent: unknown = body;
      if (kind === 'applications') return applications.create(sent as NewApplication);
      if (kind === 'proxies') return proxies.create(sent as NewStoredProxy);
      return reactors.create(sent as NewReactor);
    },
    update: (
      kind: Kind,
      id: string,
      body: JsonObject,
      { force, ifMatch }: { readonly force: boolean; readonly ifMatch: string },
    ): ApiPromise<object> => {
      const sent: unknown = body;
      if (kind === 'applications') return applications.update(id, sent as NewApplication, { force, ifMatch });
      if (kind === 'proxies') return proxies.update(id, sent as NewStoredProxy, { ifMatch });
      return reactors.update(id, sent as NewReactor, { ifMatch });
    },
    remove: (
      kind: Kind,
      id: string,
      { force, ifMatch }: { readonly force: boolean; readonly ifMatch: string },
    ): ApiPromise<void> =>
      kind === 'applications'
        ? applications.delete(id, { force, ifMatch })
        : client[kind].delete(id, { ifMatch }),
  };
}

const BY_KIND = (client: Client, kind: Kind) => ({
  retrieve: (id: string): ApiPromise<object> => client[kind].retrieve(id),
  list: (): AsyncIterable<object> => client[kind].list(),
});

function keyCalls(
  client: Client,
): Pick<ConfigService, 'keys' | 'retrieveKey' | 'createKey' | 'changeKey' | 'removeKey'> {
  const of = (owner: Owner) => client[owner].keys;
  return {
    keys: async (owner, id) => (await of(owner).list(id)).map(asJson),
    retrieveKey: async (owner, id, keyId) => {
      const { etag, body } = await tagged(of(owner).retrieve(id, keyId));
      return { etag, body };
    },
    createKey: async (owner, id, body, idempotencyKey) => {
      const made = await of(owner).create(id, body, { idempotencyKey });
      return { id: made.id, key: new Secret(made.key) };
    },
    changeKey: async (owner, id, keyId, body, ifMatch) =>
      void (await of(owner).update(id, keyId, body, { ifMatch })),
    removeKey: async (owner, id, keyId, { force, ifMatch }) => {
      if (owner === 'applications') await client.applications.keys.delete(id, keyId, { force, ifMatch });
      else await client.proxies.keys.delete(id, keyId, { ifMatch });
    },
  };
}

/** Makes every call of the port throw what {@link explained} says. */
function explaining(service: ConfigService): ConfigService {
  return Object.fromEntries(
    Object.entries(service).map(
      ([name, call]: [string, (...args: readonly unknown[]) => Promise<unknown>]) => [
        name,
        async (...args: readonly unknown[]) => {
          try {
            return await call(...args);
          } catch (error) {
            throw await explained(error);
          }
        },
      ],
    ),
  ) as unknown as ConfigService;
}

/** Reaches the service by a client of the SDK. */
export function sdkService(client: Client): ConfigService {
  const changes = changesOf(client);
  return explaining({
    tenant: () => tagged(client.tenants.retrieve()),
    writeTenant: (body, ifMatch) => {
      const sent: unknown = body;
      return tagged(client.tenants.update(sent as TenantChange, { ifMatch }));
    },
    self: async () => (await client.applications.retrieveByKey()).id,
    defaultImage: async () =>
      (await client.reactors.runtimes()).data.find((image) => image.default)?.image ?? '',
    list: async (kind) => {
      const found: JsonObject[] = [];
      for await (const body of BY_KIND(client, kind).list()) found.push(reviewed(asJson(body)));
      return found;
    },
    retrieve: (kind, id) => tagged(BY_KIND(client, kind).retrieve(id)),
    retrieveCode: async (id) => {
      const { code } = asJson(await client.reactors.retrieve(id));
      // Who may only review gets a digest in its place.
      if (typeof code !== 'string') throw new CallFailed(403, 'forbidden', 'the key may not read code');
      return { code };
    },
    create: (kind, body) => tagged(changes.create(kind, body)),
    update: (kind, id, body, options) => tagged(changes.update(kind, id, body, options)),
    remove: (kind, id, options) => changes.remove(kind, id, options),
    ...keyCalls(client),
  });
}
