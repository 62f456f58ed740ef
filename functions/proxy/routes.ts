import type { Method, Route } from '../../src/http/route.ts';
import type { ProxyDeps } from './dependencies.ts';
import { operation as proxy } from './proxy/route.ts';

const METHODS: readonly Method[] = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];

/** The same operation serves every method and every path below `/proxy`. */
export const routes: readonly Route<ProxyDeps>[] = (['/proxy', '/proxy/{suffix+}'] as const).flatMap((path) =>
  METHODS.map((method) => proxy(method, path)),
);
