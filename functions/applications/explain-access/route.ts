import { explainAccess } from '../../../src/core/applications/explain-access.ts';
import { isUuid } from '../../../src/core/shared/is-uuid.ts';
import { route, type Route } from '../../../src/http/route.ts';
import { explainBody, presentExplanation } from '../../../src/wire/access.ts';
import type { ApplicationsDeps } from '../dependencies.ts';

export const operation: Route<ApplicationsDeps> = route({
  operation: 'explainAccess',
  needsSettings: true,
  method: 'POST',
  path: '/access/explain',
  permission: 'application:read',
  success: 200,
  body: explainBody,
  idempotency: 'read_only',
  handle: async (deps, { caller, body }) => {
    const { subject } = body;
    if ('applicationId' in subject && isUuid(subject.applicationId))
      deps.audit.about(`application:${subject.applicationId}`);
    return { body: presentExplanation(await explainAccess(deps, caller, body)) };
  },
});
