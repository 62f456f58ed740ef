import type { Caller } from '../access/caller.ts';
import { narrowGrants } from '../access/delegation.ts';
import { applicationExists } from '../applications/get-application.ts';
import { revokedAmong, type RevokedKeysDeps } from '../applications/revoked-keys.ts';
import type { Clock } from '../shared/clock.ts';
import { ServiceError } from '../shared/service-error.ts';
import type { Invocation } from './invocation.ts';
import type { InvocationPayload } from './invocation-content.ts';

export interface InvokerDeps extends RevokedKeysDeps {
  readonly clock: Clock;
}

export const noInvoker = (): ServiceError =>
  new ServiceError('unauthenticated', 'The application that invoked the reactor no longer exists.');

/**
 * The caller of an asynchronous invocation, with the grants that it has now; `undefined` if its
 * application no longer exists, and `revoked` if one of its keys was.
 */
export async function invokerOf(
  deps: InvokerDeps,
  { tenantId, keys = [] }: Pick<Invocation, 'tenantId' | 'keys'>,
  { applicationId, session }: Pick<InvocationPayload, 'applicationId' | 'session'>,
): Promise<Caller | 'revoked' | undefined> {
  const ids = [applicationId, ...keys.map((key) => key.applicationId)];
  const applications = await deps.applicationGrantsStore.grants(tenantId, ids);
  if ((await revokedAmong(deps, tenantId, keys, applications)).size > 0) return 'revoked';
  const application = applications.find(({ id }) => id === applicationId);
  if (application === undefined || !applicationExists(application, deps.clock())) return undefined;
  const { type, permissions, rules } = application;
  const granted =
    session === undefined
      ? ({ type, permissions, rules, credentialId: applicationId, actsBy: 'own_key' } as const)
      : ({
          ...narrowGrants(application, session),
          type: 'session',
          credentialId: session.id,
          actsBy: 'session',
        } as const);
  return { tenantId, applicationId, ...granted };
}
