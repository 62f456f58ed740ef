import type { Route } from '../../src/http/route.ts';
import { operation as createProxy } from './create-proxy/route.ts';
import { operation as listProxies } from './list-proxies/route.ts';
import { operation as getProxy } from './get-proxy/route.ts';
import { operation as updateProxy } from './update-proxy/route.ts';
import { operation as patchProxy } from './patch-proxy/route.ts';
import { operation as deleteProxy } from './delete-proxy/route.ts';
import { operation as listProxyVersions } from './list-proxy-versions/route.ts';
import { operation as listProxyFailures } from './list-proxy-failures/route.ts';
import { operation as revertProxy } from './revert-proxy/route.ts';
import { operation as createProxyKey } from './create-proxy-key/route.ts';
import { operation as listProxyKeys } from './list-proxy-keys/route.ts';
import { operation as getProxyKey } from './get-proxy-key/route.ts';
import { operation as updateProxyKey } from './update-proxy-key/route.ts';
import { operation as deleteProxyKey } from './delete-proxy-key/route.ts';
import type { ProxiesDeps } from './dependencies.ts';

/** The operations of the function, in the order in which the documents have them. */
export const routes: readonly Route<ProxiesDeps>[] = [
  createProxy,
  listProxies,
  getProxy,
  updateProxy,
  patchProxy,
  deleteProxy,
  listProxyVersions,
  listProxyFailures,
  revertProxy,
  createProxyKey,
  listProxyKeys,
  getProxyKey,
  updateProxyKey,
  deleteProxyKey,
];
