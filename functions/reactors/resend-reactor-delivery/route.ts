import { resendParked } from '../../../src/core/webhooks/parked-deliveries.ts';
import { route, type Route } from '../../../src/http/route.ts';
import type { ReactorsDeps } from '../dependencies.ts';

export const operation: Route<ReactorsDeps> = route({
  operation: 'resendReactorDelivery',
  method: 'POST',
  path: '/reactors/{id}/deliveries/{invocation_id}/resend',
  subject: 'reactor',
  permission: 'reactor:update',
  success: 204,
  handle: async (deps, { caller, params, writes }) => {
    const { id, invocation_id: invocationId } = params;
    await resendParked(deps, caller, { reactorId: id, invocationId }, writes);
    return {};
  },
});
