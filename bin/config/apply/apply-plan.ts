import { defined } from '../../../src/core/shared/defined.ts';
import { isUuid } from '../../../src/core/shared/is-uuid.ts';
import type { JsonObject } from '../../../src/core/shared/json.ts';
import { isOwner, partsOfAddress } from '../file/names.ts';
import { SOME_ID } from '../file/references.ts';
import { TargetError, type KeyTargets } from '../keys/key-targets.ts';
import {
  UNFINISHED,
  type Address,
  type Desired,
  type DesiredKey,
  type Kind,
  type Plan,
  type PlannedKey,
  type PlannedResource,
} from '../model.ts';
import { hasDifferences } from '../plan/outcome.ts';
import { CallFailed, type ConfigService, type Owner, type Tagged } from '../service.ts';
import {
  applyKey,
  isGone,
  removePlannedKey,
  settleFirstKey,
  type KeyDeps,
  type KeyOwner,
} from './apply-keys.ts';
import { bodyOf, ownAddress, referencesOf, replacementOf } from './bodies.ts';
import { hasBegun, Lease } from './lease.ts';
import { isWritten, makesKey, type Prepared } from './prepare-apply.ts';

export interface ApplyDeps {
  readonly service: ConfigService;
  readonly targets: KeyTargets;
  readonly clock: () => number;
  /** Prints what was done, or why not, in one line. */
  readonly tell: (line: string) => void;
  /** Whether the tenant may end without a manager. */
  readonly force: boolean;
}

/** Counts the steps of an apply. */
export interface Applied {
  readonly created: number;
  readonly changed: number;
  readonly deleted: number;
  /** Keys that were made and stored. */
  readonly keys: number;
  readonly failed: number;
  readonly skipped: number;
}

const WORDS = {
  create: 'created',
  update: 'changed',
  adopt: 'adopted',
  rename: 'renamed',
} as const;

/** The reason of a failure that one address may have while the others go on. */
function reasonOf(error: unknown): string | undefined {
  if (error instanceof TargetError) return error.message;
  if (!(error instanceof CallFailed)) return undefined;
  if (error.status === 412) return 'was changed since the plan: make a new one';
  if (error.code === 'external_id_taken') return 'exists since the plan: make a new one';
  return error.message;
}

/** A stopped apply left it: the first key of a new resource is in no target. */
interface Remainder {
  readonly address: Address;
  readonly owner: Owner;
  readonly id: string;
  readonly etag: string;
}

const isLeft = ({ address }: PlannedResource): boolean => address.endsWith(UNFINISHED);

/** Lists the remainders that the plan names. */
const plannedRemainders = ({ resources }: Plan): readonly Remainder[] =>
  resources.filter(isLeft).flatMap(({ address, id = '', etag = '*' }) => {
    const { kind } = partsOfAddress(address);
    return isOwner(kind) ? [{ address, owner: kind, id, etag }] : [];
  });

/**
 * Finds what has the place of something that the plan creates. A stopped apply of this plan has
 * left it, so the plan does not name it.
 */
async function remaindersOf(
  service: ConfigService,
  namespace: string,
  { resources }: Plan,
): Promise<readonly Remainder[]> {
  const created = resources.flatMap(({ action, address }) => (action === 'create' ? [address] : []));
  const found: Remainder[] = [];
  for (const owner of ['applications', 'proxies'] as const) {
    const wanted = new Map(
      created.map((address) => [`${namespace}/${partsOfAddress(address).name}${UNFINISHED}`, address]),
    );
    if (!created.some((address) => partsOfAddress(address).kind === owner)) continue;
    for (const { id, external_id: name } of await service.list(owner)) {
      const address = typeof name === 'string' ? wanted.get(name) : undefined;
      if (address === undefined || partsOfAddress(address).kind !== owner || typeof id !== 'string') continue;
      const { etag } = await service.retrieve(owner, id);
      found.push({ address: `${address}${UNFINISHED}`, owner, id, etag });
    }
  }
  return found;
}

/** Carries out one plan. */
class Run {
  readonly #deps: ApplyDeps;

  readonly #desired: Desired;

  readonly #plan: Plan;

  readonly #prepared: Prepared;

  readonly #lease: Lease;

  /** The ids of what exists, and the tags by which it is written. */
  readonly #existing = new Map<Address, { readonly id: string; readonly etag: string }>();

  /** The addresses whose members are not yet as the file says. */
  readonly #pending: Set<Address>;

  readonly #failed = new Set<Address>();

  readonly #counts = { created: 0, changed: 0, deleted: 0, keys: 0, failed: 0, skipped: 0 };

  constructor(
    deps: ApplyDeps,
    { desired, plan, prepared }: { desired: Desired; plan: Plan; prepared: Prepared },
    lease: Lease,
  ) {
    this.#deps = deps;
    this.#desired = desired;
    this.#plan = plan;
    this.#prepared = prepared;
    this.#lease = lease;
    for (const { address, id, etag } of plan.resources)
      if (id !== undefined) this.#existing.set(address, { id, etag: etag ?? '*' });
    this.#pending = new Set(plan.resources.filter(isWritten).map(({ address }) => address));
  }

  async all(remainders: readonly Remainder[]): Promise<Applied> {
    for (const { address, owner, id, etag } of remainders)
      await this.#attempt(address, async () => {
        await this.#remove(owner, id, etag);
        return `deleted  ${address}, which an apply left that was stopped`;
      });
    const written = this.#plan.resources.filter(isWritten);
    const of = (kind: Kind) => written.filter(({ address }) => partsOfAddress(address).kind === kind);
    // A proxy and a reactor name the application that they act as, so new ones come first.
    for (const resource of of('applications'))
      if (resource.action === 'create') await this.#attempt(resource.address, () => this.#create(resource));
    for (const resource of [...of('reactors'), ...of('proxies')]) await this.#write(resource);
    // Rights through a proxy or a reactor come only when these are as the file says.
    for (const resource of of('applications')) await this.#write(resource);
    for (const resource of this.#plan.resources) await this.#keys(resource);
    await this.#removals();
    await this.#end();
    return this.#counts;
  }

  /** Notes the failure of one address; the others go on. */
  async #attempt(address: Address, work: () => Promise<string | undefined>): Promise<boolean> {
    try {
      await this.#lease.ready();
      const line = await work();
      if (line !== undefined) this.#deps.tell(line);
      return true;
    } catch (error) {
      const reason = reasonOf(error);
      if (reason === undefined) throw error;
      this.#failed.add(address);
      this.#counts.failed += 1;
      this.#deps.tell(`failed   ${address}: ${reason}`);
      return false;
    }
  }

  /** Whether an address waits in vain for another one. */
  #isBlocked(address: Address): boolean {
    const others = referencesOf(address, this.#desired).flatMap(
      ({ kind, reference }) => ownAddress(this.#desired.namespace, kind, reference) ?? [],
    );
    const blocking = others.find((each) => each !== address && this.#failed.has(each));
    if (blocking === undefined) return false;
    this.#failed.add(address);
    this.#counts.skipped += 1;
    this.#deps.tell(`skipped  ${address}: it needs ${blocking}`);
    return true;
  }

  /** The request of an address. While others are pending, `SOME_ID` takes their places in rules. */
  #body(address: Address): JsonObject {
    const { namespace } = this.#desired;
    return bodyOf(address, this.#desired, {
      values: this.#prepared.values,
      idOf: (kind, reference) => {
        if (isUuid(reference)) return reference;
        const own = ownAddress(namespace, kind, reference);
        if (own === undefined) return this.#plan.references[`${kind}/${reference}`] ?? SOME_ID;
        const isRule = partsOfAddress(address).kind === 'applications';
        return isRule && this.#pending.has(own) ? SOME_ID : (this.#existing.get(own)?.id ?? SOME_ID);
      },
    });
  }

  /** Whether rules of an application name what is not yet as the file says. */
  #isIncomplete(address: Address): boolean {
    return referencesOf(address, this.#desired).some(({ kind, reference }) => {
      const own = ownAddress(this.#desired.namespace, kind, reference);
      return own !== undefined && this.#pending.has(own);
    });
  }

  #externalId(address: Address): string {
    return `${this.#desired.namespace}/${partsOfAddress(address).name}`;
  }

  #entryKeys(address: Address): readonly DesiredKey[] {
    const { kind, name } = partsOfAddress(address);
    return kind === 'reactors' ? [] : (this.#desired[kind].get(name)?.keys ?? []);
  }

  #keyDeps(): KeyDeps {
    const { service, targets, force } = this.#deps;
    return { service, targets, force, plan: this.#plan, lease: this.#lease };
  }

  async #create(resource: PlannedResource): Promise<string | undefined> {
    const { address } = resource;
    const { kind } = partsOfAddress(address);
    const isIncomplete = kind === 'applications' && this.#isIncomplete(address);
    const body = this.#body(address);
    const externalId = this.#externalId(address);
    const { service } = this.#deps;
    const made = isOwner(kind)
      ? await this.#createOwner(resource, { ...body, external_id: `${externalId}${UNFINISHED}` })
      : await service.create(kind, { ...body, external_id: externalId });
    this.#existing.set(address, made);
    if (!isIncomplete) this.#pending.delete(address);
    this.#counts.created += 1;
    return `created  ${address}`;
  }

  /**
   * Makes an application or a proxy. It gets its name when a target has its first key, or that is
   * deleted. By the other name the next apply finds it, if this one stops before.
   */
  async #createOwner({ address, keys }: PlannedResource, body: JsonObject): Promise<Tagged> {
    const { service, force } = this.#deps;
    const { kind } = partsOfAddress(address);
    if (!isOwner(kind)) throw new Error(`${address} has no keys`);
    const made = await service.create(kind, body);
    if (made.key === undefined) throw new Error(`the service made ${address} without a key`);
    const first = keys.find(({ step, to }) => step === 'create' && to !== undefined);
    const desired = first && this.#entryKeys(address).find(({ name }) => name === first.name);
    const at: KeyOwner = { address, owner: kind, id: made.id };
    await settleFirstKey(this.#keyDeps(), at, made.key, desired);
    if (desired !== undefined) this.#counts.keys += 1;
    await this.#lease.ready();
    const named = { ...replacementOf(address, body), external_id: this.#externalId(address) };
    return await service.update(kind, made.id, named, { ifMatch: made.etag, force });
  }

  /** Writes an address if it is pending. */
  async #write(resource: PlannedResource): Promise<void> {
    const { address, action } = resource;
    if (!this.#pending.has(address) || this.#failed.has(address) || this.#isBlocked(address)) return;
    await this.#attempt(address, async () => {
      const existing = this.#existing.get(address);
      if (existing === undefined) return await this.#create(resource);
      const { kind } = partsOfAddress(address);
      const body = {
        ...replacementOf(address, this.#body(address)),
        external_id: this.#externalId(address),
      };
      const { service, force } = this.#deps;
      const options = { ifMatch: existing.etag, force };
      this.#existing.set(address, await service.update(kind, existing.id, body, options));
      this.#pending.delete(address);
      // The rules of an application that was created now have all of their destinations.
      if (action === 'create') return undefined;
      this.#counts.changed += 1;
      return `${WORDS[action as keyof typeof WORDS].padEnd(8)} ${address}`;
    });
  }

  async #keys(resource: PlannedResource): Promise<void> {
    const { address } = resource;
    const { kind } = partsOfAddress(address);
    const existing = this.#existing.get(address);
    if (!isOwner(kind) || existing === undefined || this.#failed.has(address)) return;
    const at: KeyOwner = { address, owner: kind, id: existing.id };
    // The first key of a new owner is stored.
    const [settled] = resource.action === 'create' ? makesKey(resource) : [];
    for (const planned of resource.keys) {
      const isWork = ['create', 'replace', 'change'].includes(planned.step) || planned.replaces.length > 0;
      if (!isWork || planned === settled) continue;
      await this.#attempt(address, () => this.#key(at, planned));
    }
  }

  async #key(at: KeyOwner, planned: PlannedKey): Promise<string> {
    const desired = this.#entryKeys(at.address).find(({ name, id }) =>
      id === undefined ? name === planned.name : id === planned.id,
    );
    if (desired === undefined) throw new Error(`the file has no key ${planned.name ?? ''} of ${at.address}`);
    await applyKey(this.#keyDeps(), at, planned, desired);
    const isNew = planned.step === 'create' || planned.step === 'replace';
    if (isNew) this.#counts.keys += 1;
    return `${isNew ? 'stored  ' : 'changed '} keys/${at.address}/${planned.name ?? planned.id ?? ''}`;
  }

  /** Deletes a resource. A repetition whose first response was lost finds it gone. */
  async #remove(kind: Kind, id: string, ifMatch: string): Promise<void> {
    const { service, force } = this.#deps;
    try {
      await service.remove(kind, id, { ifMatch, force });
    } catch (error) {
      if (!isGone(error)) throw error;
    }
  }

  /** Deletes what `removed` names: keys, then those that name others, then the named. */
  async #removals(): Promise<void> {
    const keys = this.#plan.resources.flatMap(({ address, keys: all }) =>
      all.filter(({ step }) => step === 'delete').map((planned) => ({ address, planned })),
    );
    const deleted = (['proxies', 'reactors', 'applications'] as const).flatMap((kind) =>
      this.#plan.resources.filter(
        (each) => each.action === 'delete' && !isLeft(each) && partsOfAddress(each.address).kind === kind,
      ),
    );
    if (this.#failed.size > 0) {
      // Something that failed may still need them.
      for (const line of [
        ...keys.map(({ address, planned }) => `keys/${address}/${planned.name ?? ''}`),
        ...deleted.map(({ address }) => address),
      ]) {
        this.#counts.skipped += 1;
        this.#deps.tell(`skipped  ${line}: deletions wait until everything else is done`);
      }
      return;
    }
    for (const { address, planned } of keys) {
      const { kind } = partsOfAddress(address);
      const existing = this.#existing.get(address);
      if (!isOwner(kind) || existing === undefined) continue;
      await this.#attempt(address, async () => {
        await removePlannedKey(this.#keyDeps(), { address, owner: kind, id: existing.id }, planned);
        this.#counts.deleted += 1;
        return `deleted  keys/${address}/${planned.name ?? planned.id ?? ''}`;
      });
    }
    for (const { address, id = '', etag = '*' } of deleted)
      await this.#attempt(address, async () => {
        await this.#remove(partsOfAddress(address).kind, id, etag);
        this.#counts.deleted += 1;
        return `deleted  ${address}`;
      });
  }

  /** Writes the members of the tenant, and ends the lease with the same call. */
  async #end(): Promise<void> {
    const { tenant = {} } = this.#desired;
    const isDone = this.#failed.size === 0;
    const isChanged = this.#plan.tenant.action === 'update';
    const members = isChanged ? defined({ name: tenant.name, settings: tenant.settings }) : {};
    await this.#lease.release(isDone ? 'applied' : 'stopped', members);
    if (!isChanged) return;
    this.#counts.changed += 1;
    this.#deps.tell('changed  tenant');
  }
}

/**
 * Carries out a plan under the lease of the tenant. It never decides what differs, and never goes
 * on where something is not as the plan has read it. Running it again with a new plan repairs what
 * a stop leaves. Rejects with `UsageError` if nothing was done, otherwise with `LeaseLost` and
 * {@link CallFailed}.
 */
export async function applyPlan(
  deps: ApplyDeps,
  work: { readonly desired: Desired; readonly plan: Plan; readonly prepared: Prepared },
): Promise<Applied> {
  const { desired, plan } = work;
  if (plan.problems.length > 0 || plan.digest !== desired.digest)
    throw new Error('this plan is not to be applied');
  const idle = { created: 0, changed: 0, deleted: 0, keys: 0, failed: 0, skipped: 0 };
  const planned = plannedRemainders(plan);
  const inTheWay = await remaindersOf(deps.service, desired.namespace, plan);
  const others = inTheWay.filter(({ id }) => !planned.some((each) => each.id === id));
  if (!hasDifferences(plan) && !hasBegun((await deps.service.tenant()).body, desired)) return idle;
  const lease = await Lease.take(deps.service, desired, { clock: deps.clock, plannedTag: plan.tenant.etag });
  return await new Run(deps, work, lease).all([...planned, ...others]);
}
