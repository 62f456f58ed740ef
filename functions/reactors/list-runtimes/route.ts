import { listImages } from '../../../src/core/reactors/list-images.ts';
import { route, type Route } from '../../../src/http/route.ts';
import { presentImages } from '../../../src/wire/runtime.ts';
import type { ReactorsDeps } from '../dependencies.ts';

export const operation: Route<ReactorsDeps> = route({
  operation: 'listRuntimes',
  method: 'GET',
  path: '/runtimes',
  permission: 'reactor:review',
  success: 200,
  handle: (deps, { caller }) => Promise.resolve({ body: presentImages(listImages(deps, caller)) }),
});
