import { globSync } from 'node:fs';
import { join } from 'node:path';
import { routes as applications } from '../../functions/applications/routes.ts';
import { routes as logs } from '../../functions/logs/routes.ts';
import { routes as proxy } from '../../functions/proxy/routes.ts';
import { routes as proxies } from '../../functions/proxies/routes.ts';
import { routes as reactors } from '../../functions/reactors/routes.ts';
import { routes as tokens } from '../../functions/tokens/routes.ts';
import type { Route } from '../../src/http/route.ts';

const TABLES = { applications, logs, proxies, proxy, reactors, tokens };

/** A route that any function's table may contain, without its handler. */
export type AnyRoute = Omit<Route<never>, 'handle' | 'prefetch' | 'keep'>;

/** Every route of every function. Throws if a function's table is missing here. */
export function allRoutes(): readonly AnyRoute[] {
  const root = join(import.meta.dirname, '../..');
  const folders = globSync('functions/*/routes.ts', { cwd: root }).map((file) => file.split('/')[1] ?? '');
  const missing = folders.filter((folder) => !(folder in TABLES));
  if (missing.length > 0) throw new Error(`all routes: ${missing.join(', ')} are missing`);
  return Object.values(TABLES).flatMap((table): readonly AnyRoute[] => table);
}
