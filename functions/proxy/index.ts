import { machineEgressInstance } from '../../src/adapters/egress/egress-instance.ts';
import { admitCall } from '../../src/core/proxies/admit-call.ts';
import { createApiHandler } from '../../src/http/create-api-handler.ts';
import { dependencies } from './dependencies.ts';
import { routes } from './routes.ts';

export const handler = createApiHandler(dependencies(process.env, machineEgressInstance()), routes, {
  present: (problem) => ({ proxy_error: problem }),
  admit: admitCall,
});
