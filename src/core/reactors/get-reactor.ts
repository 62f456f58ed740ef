import type { Application } from '../applications/application.ts';
import type { Caller } from '../access/caller.ts';
import type { ApplicationStore } from '../applications/application-store.ts';
import { applicationExists } from '../applications/get-application.ts';
import { holdsSomewhere } from '../access/access-decision.ts';
import { requirePermission } from '../access/require-permission.ts';
import type { Vault } from '../crypto/vault.ts';
import type { Clock } from '../shared/clock.ts';
import { defined } from '../shared/defined.ts';
import { invalid, ServiceError } from '../shared/service-error.ts';
import { runtimeView, type RuntimeDeps, type RuntimeView } from './images.ts';
import { textHash } from './code-hash.ts';
import { openReactor } from './open-reactor.ts';
import type { Reactor, ReactorContent, StoredReactor } from './reactor.ts';
import type { ReactorStore } from './reactor-store.ts';

export interface GetReactorDeps {
  readonly reactorStore: ReactorStore;
  readonly applicationStore: Pick<ApplicationStore, 'find' | 'findMany'>;
  readonly vault: Vault;
  readonly clock: Clock;
}

/** A reactor without code and values, for a caller who may review it and not read it. */
export interface ReviewedReactor extends Omit<Reactor, keyof ReactorContent> {
  /** It is SHA-256 of the code as UTF-8, in lower-case hexadecimal. */
  readonly codeDigest: string;
  readonly configurationNames: readonly string[];
}

function reviewed({ code, configuration, ...reactor }: Reactor): ReviewedReactor {
  return {
    ...reactor,
    codeDigest: textHash(code.reveal()),
    configurationNames: Object.keys(configuration.reveal()),
  };
}

/** Opens a reactor as far as the caller may see it. */
async function openFor(
  vault: Vault,
  caller: Caller,
  stored: StoredReactor,
): Promise<Reactor | ReviewedReactor> {
  const reactor = await openReactor(vault, stored);
  return holdsSomewhere(caller, 'reactor:read') ? reactor : reviewed(reactor);
}

/** A reactor, and the application that its code acts as, unless that was deleted meanwhile. */
export interface ReactorView {
  readonly reactor: Reactor | ReviewedReactor;
  readonly application?: Application;
  readonly runtime: RuntimeView;
}

/**
 * Finds a reactor of a tenant. Throws `not_found` also for one that is being created or deleted.
 */
export async function existingReactor(
  { reactorStore }: Pick<GetReactorDeps, 'reactorStore'>,
  tenantId: string,
  id: string,
): Promise<StoredReactor> {
  const reactor = await reactorStore.find(tenantId, id);
  if (reactor?.state !== 'ready') throw new ServiceError('not_found', 'The reactor does not exist.');
  return reactor;
}

/** Says whether there is a reactor that is not being made or deleted, for `requireFree`. */
export const isShownReactor =
  ({ reactorStore }: Pick<GetReactorDeps, 'reactorStore'>, tenantId: string) =>
  async (id: string): Promise<boolean> =>
    (await reactorStore.find(tenantId, id))?.state === 'ready';

/** The application of a reactor, if it still exists. */
export async function applicationOf(
  { applicationStore, clock }: Pick<GetReactorDeps, 'applicationStore' | 'clock'>,
  { tenantId, applicationId }: Pick<Reactor, 'tenantId' | 'applicationId'>,
): Promise<Application | undefined> {
  if (applicationId === undefined) return undefined;
  const application = await applicationStore.find(tenantId, applicationId);
  return application !== undefined && applicationExists(application, clock()) ? application : undefined;
}

/**
 * The application that a request names for a reactor. Throws `validation_failed` if it does not
 * exist or is a management application.
 */
export async function checkedApplication(
  deps: Pick<GetReactorDeps, 'applicationStore' | 'clock'>,
  tenantId: string,
  applicationId: string | undefined,
): Promise<Application | undefined> {
  if (applicationId === undefined) return undefined;
  const application = await applicationOf(deps, { tenantId, applicationId });
  if (application === undefined) throw invalid('application.id', 'is not an application of this tenant');
  if (application.type === 'management')
    throw invalid('application.id', 'must be a public or private application');
  return application;
}

/** Reactors in the form that callers see; one read fetches their applications. */
export async function viewReactors(
  deps: GetReactorDeps & RuntimeDeps,
  caller: Caller,
  stored: readonly StoredReactor[],
): Promise<readonly ReactorView[]> {
  const { applicationStore, vault, clock } = deps;
  const ids = [...new Set(stored.flatMap(({ applicationId }) => applicationId ?? []))];
  const found = ids.length === 0 ? [] : await applicationStore.findMany(caller.tenantId, ids);
  const now = clock();
  const applications = new Map(
    found.filter((application) => applicationExists(application, now)).map((each) => [each.id, each]),
  );
  return Promise.all(
    stored.map(async (record) => {
      const application = applications.get(record.applicationId ?? '');
      return defined({
        reactor: await openFor(vault, caller, record),
        application,
        runtime: runtimeView(deps, record),
      });
    }),
  );
}

export async function getReactor(
  deps: GetReactorDeps & RuntimeDeps,
  caller: Caller,
  id: string,
): Promise<ReactorView> {
  requirePermission(caller, 'reactor:review');
  const stored = await existingReactor(deps, caller.tenantId, id);
  const application = await applicationOf(deps, stored);
  const reactor = await openFor(deps.vault, caller, stored);
  return defined({ reactor, application, runtime: runtimeView(deps, stored) });
}
