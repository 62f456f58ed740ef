import { routes as applications } from '../../../functions/applications/routes.ts';
import { routes as proxy } from '../../../functions/proxy/routes.ts';
import { routes as proxies } from '../../../functions/proxies/routes.ts';
import { routes as reactors } from '../../../functions/reactors/routes.ts';
import { routes as tokens } from '../../../functions/tokens/routes.ts';
import type { Route } from '../../../src/http/route.ts';

const takesBody = ({ body, method, operation }: Route<never>): boolean =>
  body !== undefined || (operation === 'proxy' && method !== 'GET');

/** The routes with a body that are not among these, each as method and path. */
export function withoutRequests(routes: readonly string[]): readonly string[] {
  const all: readonly Route<never>[] = [...tokens, ...applications, ...proxies, ...reactors, ...proxy];
  const wanted = all.filter(takesBody).map(({ method, path }) => `${method} ${path}`);
  return wanted.filter((route) => !routes.includes(route));
}
