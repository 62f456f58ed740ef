import { existsSync, readFileSync } from 'node:fs';
import type { API_OPERATIONS } from '../../../src/core/audit/api-operations.ts';
import type { Credentials } from '../../../test/support/credentials.ts';
import { strictClient } from '../../../test/support/http-client.ts';
import { plantParkedDelivery } from '../../../test/support/parked-delivery.ts';
import { anEvent } from '../an-event.ts';
import { FOLDERS, type CountedOperation, type Folder } from './counted-operation.ts';

type ApiOperation = (typeof API_OPERATIONS)[number];

/**
 * Rows of operations that are counted in several forms, or with data of their own
 * (operations.ts): one row of each.
 */
export const COUNTED_APART = {
  createToken: 'create a token',
  listTokens: 'list 20 by cursor',
  getToken: 'get a card',
  updateToken: 'PATCH a card',
  deleteToken: 'delete a card',
  searchTokens: 'search a term with one match',
  tokenize: 'tokenize 100',
  detokenize: 'detokenize 100',
  proxy: 'proxy 1 KB',
  invokeReactor: 'react',
  createApplication: 'create an application',
  listApplications: 'list applications',
  getApplication: 'get an application',
  deleteApplication: 'delete an application',
  createSession: 'create a session',
  authorizeSession: 'authorize a session',
} satisfies Partial<Record<ApiOperation, string>>;

/** A request of an operation has this beside its path. */
interface Request {
  /** Is the management key if it has none. */
  readonly apiKey?: string;
  readonly id?: string;
  readonly keyId?: string;
  readonly invocation?: string;
  readonly body?: object;
}

interface Described {
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly folder: Folder;
}

interface OpenApi {
  readonly paths: Readonly<
    Record<string, Readonly<Record<string, { readonly operationId?: string; readonly responses: object }>>>
  >;
}

/** The folder whose function has an operation: `getProxyKey` is in `proxies/get-proxy-key`. */
function folderOf(operation: string): Folder {
  const name = operation.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  const folder = FOLDERS.find((each) => existsSync(`functions/${each}/${name}/route.ts`));
  if (folder === undefined) throw new Error(`no function has the operation ${operation}`);
  return folder;
}

/** Reads the method, path and status of an operation from the description of the interface. */
function described(operation: string): Described {
  const { paths } = JSON.parse(readFileSync('docs/openapi.json', 'utf8')) as OpenApi;
  for (const [path, methods] of Object.entries(paths))
    for (const [method, { operationId, responses }] of Object.entries(methods))
      if (operationId === operation) {
        const status = Number(Object.keys(responses).find((each) => each.startsWith('2')));
        return { method: method.toUpperCase(), path, status, folder: folderOf(operation) };
      }
  throw new Error(`docs/openapi.json has no operation ${operation}`);
}

interface Identified {
  readonly id: string;
}

/** Counts each operation that has no row of its own yet; a type demands that none is left out. */
// oxlint-disable-next-line max-lines-per-function -- a table: one row for each operation
export async function otherOperations(
  account: Credentials,
  destination: string,
): Promise<readonly CountedOperation[]> {
  const manage = strictClient(account.base_url, account.management_key);
  const reactorBody = {
    name: 'counted',
    code: 'module.exports = async () => ({ raw: {} });',
    configuration: {},
  };
  const proxyBody = { name: 'counted', destination_url: destination };
  const applicationBody = { name: 'counted', type: 'private', permissions: ['token:read'] };
  const made = (path: string, body: object) => async (): Promise<Identified> =>
    manage<Identified>('POST', path, body);
  const application = made('/applications', applicationBody);
  const proxy = made('/proxies', proxyBody);
  const aReactor = made('/reactors', reactorBody);
  const { id: reactor } = await aReactor();
  const user = { ...applicationBody, permissions: ['token:use'] };
  const { key: userKey } = await manage<{ readonly key: string }>('POST', '/applications', user);

  const withKey = async (path: string, make: () => Promise<Identified>): Promise<Request> => {
    const { id } = await make();
    const [first] = await manage<readonly Identified[]>('GET', `${path}/${id}/keys`);
    return { id, keyId: first?.id ?? '' };
  };
  const ofKey = () => withKey('/applications', application);
  const ofProxyKey = () => withKey('/proxies', proxy);
  /** An application keeps a key when one of two is deleted. */
  const withTwoKeys = async (path: string, make: () => Promise<Identified>): Promise<Request> => {
    const request = await withKey(path, make);
    await manage('POST', `${path}/${request.id ?? ''}/keys`, { name: 'second' });
    return request;
  };
  const nothing = (): Promise<Request> => Promise.resolve({});
  const renamed = { name: 'renamed' };

  const requests: Readonly<
    Record<Exclude<ApiOperation, keyof typeof COUNTED_APART>, () => Promise<Request>>
  > = {
    getApplicationByKey: nothing,
    updateApplication: async () => ({
      ...(await application()),
      body: { ...renamed, permissions: ['token:use'] },
    }),
    regenerateApplicationKey: application,
    createApplicationKey: async () => ({ ...(await application()), body: renamed }),
    listApplicationKeys: application,
    getApplicationKey: ofKey,
    updateApplicationKey: async () => ({ ...(await ofKey()), body: renamed }),
    deleteApplicationKey: () => withTwoKeys('/applications', application),
    listPermissions: nothing,
    explainAccess: () =>
      Promise.resolve({
        body: { permissions: ['token:read'], permission: 'token:read', container: '/pci/high/' },
      }),
    getTenant: nothing,
    updateTenant: () => Promise.resolve({ body: { name: 'counted', settings: {} } }),
    listLogs: nothing,
    createProxy: () => Promise.resolve({ body: proxyBody }),
    listProxies: nothing,
    getProxy: proxy,
    updateProxy: async () => ({ ...(await proxy()), body: { ...proxyBody, ...renamed } }),
    patchProxy: async () => ({ ...(await proxy()), body: renamed }),
    deleteProxy: proxy,
    listProxyVersions: proxy,
    listProxyFailures: proxy,
    revertProxy: async () => ({ ...(await proxy()), body: { version: 1 } }),
    createProxyKey: async () => ({ ...(await proxy()), body: renamed }),
    listProxyKeys: proxy,
    getProxyKey: ofProxyKey,
    updateProxyKey: async () => ({ ...(await ofProxyKey()), body: renamed }),
    deleteProxyKey: () => withTwoKeys('/proxies', proxy),
    createReactor: () => Promise.resolve({ body: reactorBody }),
    listReactors: nothing,
    getReactor: () => Promise.resolve({ id: reactor }),
    updateReactor: async () => ({ ...(await aReactor()), body: { ...reactorBody, ...renamed } }),
    patchReactor: async () => ({ ...(await aReactor()), body: renamed }),
    deleteReactor: aReactor,
    getReactorResult: async () => {
      const { id } = await strictClient(account.base_url, userKey)<Identified>(
        'POST',
        `/reactors/${reactor}/react`,
        {
          args: {},
          callback_url: destination,
        },
      );
      return { apiKey: userKey, id: reactor, invocation: id };
    },
    getReactorSbom: () => Promise.resolve({ id: reactor }),
    listRuntimes: nothing,
    listReactorDeliveries: () => Promise.resolve({ id: reactor }),
    resendReactorDelivery: async () => ({
      id: reactor,
      invocation: await plantParkedDelivery(account, reactor),
    }),
  };

  return Object.entries(requests).map(([name, make]) => {
    const { method, path, status, folder } = described(name);
    return {
      name,
      folder,
      status,
      async event() {
        const { apiKey = account.management_key, id = '', keyId = '', invocation = '', body } = await make();
        const filled = path
          .replace('{id}', id)
          .replace('{key_id}', keyId)
          .replace('{invocation_id}', invocation);
        return anEvent({ method, path: filled, key: apiKey, id, ...(body !== undefined && { body }) });
      },
    };
  });
}
