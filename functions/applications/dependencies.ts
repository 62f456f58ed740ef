import { createEdgeStores } from '../../src/adapters/edge-stores.ts';
import type { CreateApplicationDeps } from '../../src/core/applications/create-application.ts';
import type { ListApplicationsDeps } from '../../src/core/applications/list-applications.ts';
import type { SessionDeps } from '../../src/core/access/session.ts';
import type { TenantDeps } from '../../src/core/tenants/change-tenant.ts';
import type { EdgeDeps } from '../../src/http/create-api-handler.ts';
import { consoleLog } from '../../src/lambda/request-log.ts';
import { environment } from './config.ts';

export type ApplicationsDeps = EdgeDeps &
  CreateApplicationDeps &
  ListApplicationsDeps &
  SessionDeps &
  TenantDeps & { readonly ownReadIsFree: boolean };

/** Wires the function from its environment. Throws at the start of an instance if a variable is missing. */
export function dependencies(env: NodeJS.ProcessEnv): ApplicationsDeps {
  const config = environment.parse(env);
  const { dynamodb: _, ...stores } = createEdgeStores(
    { accessTable: config.ACCESS_TABLE, ephemeralTable: config.EPHEMERAL_TABLE, keyId: config.KEY_ID },
    Date.now,
  );
  return {
    ...stores,
    sessions: stores.sessionStore,
    clock: Date.now,
    headerPrefixes: config.HEADER_PREFIXES,
    edgeSecret: config.EDGE_SECRET,
    log: consoleLog,
    ownReadIsFree: config.CLIENT_COMPATIBILITY === 'lenient',
  };
}
