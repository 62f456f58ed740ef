import { globSync } from 'node:fs';
import { join } from 'node:path';
import type { Route } from '../../src/http/route.ts';

const ROOT = join(import.meta.dirname, '../..');

/** A route that any function's table may contain, without its handler. */
export type AnyRoute = Omit<Route<never>, 'handle' | 'prefetch' | 'keep'>;

/** The functions in the order in which the documents have their operations. */
const ORDER = ['applications', 'logs', 'proxies', 'proxy', 'reactors', 'tokens'];

const folders = globSync('functions/*/routes.ts', { cwd: ROOT }).map((file) => file.split('/')[1] ?? '');
const unknown = folders.filter((folder) => !ORDER.includes(folder));
if (unknown.length > 0) throw new Error(`all routes: ${unknown.join(', ')} have no place in the order`);

const tables = await Promise.all(
  ORDER.map(async (folder) => {
    const module = (await import(join(ROOT, 'functions', folder, 'routes.ts'))) as {
      readonly routes: readonly AnyRoute[];
    };
    return module.routes;
  }),
);

/** Returns every route of every function. */
export const allRoutes = (): readonly AnyRoute[] => tables.flat();
