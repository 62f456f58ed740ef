import type { Client } from '../src/index.ts';
import { allRoutes, type AnyRoute } from '../../../tools/openapi/all-routes.ts';
import { OPERATIONS as DESCRIBED } from '../../../tools/openapi/operations.ts';

const url = 'https://api.example.com';

/** A method takes the parameters of the path, here their names, and a body, here an example. */
function argumentsOf({ operation, method, path, body }: AnyRoute): readonly unknown[] {
  const params = [...path.matchAll(/\{[^}]+\}/g)].map(([param]) => param);
  if (operation === 'proxy') return [{ url, method, ...(params.length > 0 && { path: params[0] }) }];
  const [example] = Object.values(DESCRIBED[operation]?.requests ?? {});
  return body === undefined ? params : [...params, example?.value ?? {}];
}

/** Every operation, by its route, and the call of the method that its description names. */
export const OPERATIONS: readonly (readonly [string, (client: Client) => PromiseLike<unknown>])[] =
  allRoutes().map((route) => [
    `${route.method} ${route.path}`,
    (client) => {
      const names = DESCRIBED[route.operation]?.sdk.split('.') ?? [];
      const method = names.pop() ?? '';
      const owner = names.reduce<any>((inside, name) => inside[name], client);
      return owner[method](...argumentsOf(route));
    },
  ]);
