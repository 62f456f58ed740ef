import type { Caller } from '../access/caller.ts';
import { narrowGrants } from '../access/delegation.ts';
import type { ApplicationGrantsStore } from '../applications/application-store.ts';
import { applicationExists } from '../applications/get-application.ts';
import type { Clock } from '../shared/clock.ts';
import { ServiceError } from '../shared/service-error.ts';
import type { InvocationPayload } from './invocation-content.ts';

export interface InvokerDeps {
  readonly applicationGrantsStore: ApplicationGrantsStore;
  readonly clock: Clock;
}

export const noInvoker = (): ServiceError =>
  new ServiceError('unauthenticated', 'The application that invoked the reactor no longer exists.');

/**
 * The caller of an asynchronous invocation, with the grants that it has now. Throws
 * `unauthenticated` if the application no longer exists.
 */
export async function invokerOf(
  deps: InvokerDeps,
  tenantId: string,
  { applicationId, session }: Pick<InvocationPayload, 'applicationId' | 'session'>,
): Promise<Caller> {
  const [application] = await deps.applicationGrantsStore.grants(tenantId, [applicationId]);
  if (application === undefined || !applicationExists(application, deps.clock())) throw noInvoker();
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
