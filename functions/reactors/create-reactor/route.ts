import { createReactor } from '../../../src/core/reactors/create-reactor.ts';
import { route, type Route } from '../../../src/http/route.ts';
import { createReactorBody, definitionOf, presentWrittenReactor } from '../../../src/wire/reactor.ts';
import type { ReactorsDeps } from '../dependencies.ts';

export const operation: Route<ReactorsDeps> = route({
  operation: 'createReactor',
  method: 'POST',
  path: '/reactors',
  permission: 'reactor:create',
  success: 201,
  body: createReactorBody,
  handle: async (deps, { caller, body, writes }) => {
    const written = await createReactor(deps, caller, definitionOf(body, deps), writes);
    return { body: presentWrittenReactor(written), state: written.reactor };
  },
});
