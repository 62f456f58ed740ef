import { UsageError } from '../../command-line/failures.ts';
import type { JsonObject } from '../../../src/core/shared/json.ts';
import type { Desired } from '../model.ts';
import { CallFailed, type ConfigService, type Tagged } from '../service.ts';

const LEASE_MS = 600_000;
/** A write that began so long before the end of the lease is over when another apply begins. */
const MARGIN_MS = 120_000;
/** The clocks of two machines differ by no more. */
const CLOCK_SKEW_MS = 300_000;

/** Names what applies. Two applies of one digest write the same. */
export type Holder = Pick<Desired, 'namespace' | 'digest'>;

/** Says that an apply must not write any more: another one may have begun. */
export class LeaseLost extends Error {
  override readonly name = 'LeaseLost';
}

const FORM = /^applying ([a-z0-9-]+) ([0-9a-f]{64}) until (\d{4}-\d\d-\d\dT[\d:.]+Z)$/;

/** The lease in `configuration_revision`, if it has one. */
function leaseIn({ configuration_revision: revision = null }: JsonObject) {
  const [, namespace = '', digest = '', end = ''] =
    FORM.exec(typeof revision === 'string' ? revision : '') ?? [];
  return namespace === '' ? undefined : { namespace, digest, end };
}

const isOf = (lease: Holder, { namespace, digest }: Holder): boolean =>
  lease.namespace === namespace && lease.digest === digest;

/** Whether an apply of the same file began and did not end. */
export function hasBegun(tenant: JsonObject, holder: Holder): boolean {
  const lease = leaseIn(tenant);
  return lease !== undefined && isOf(lease, holder);
}

/** The reason why nothing may be planned or applied now, if another file is being applied. */
export function leaseProblem(tenant: JsonObject, holder: Holder, now: number): string | undefined {
  const lease = leaseIn(tenant);
  if (lease === undefined || isOf(lease, holder)) return undefined;
  const leftMs = Date.parse(lease.end) - now;
  // No apply takes longer ones: the text was written by hand, or a clock is wrong.
  const isPossible = leftMs > 0 && leftMs <= LEASE_MS + CLOCK_SKEW_MS;
  if (!isPossible) return undefined;
  return `another apply, of ${lease.namespace}, is under way until ${lease.end} at the latest`;
}

/**
 * Excludes other applies of the tenant. Its time is written under the tag of the tenant that the
 * plan has read, so that of two applies one fails before its first write.
 */
export class Lease {
  readonly #service: ConfigService;

  readonly #holder: Holder;

  readonly #clock: () => number;

  #tenant: Tagged;

  #end = 0;

  private constructor(
    service: ConfigService,
    holder: Holder,
    { clock, tenant }: { readonly clock: () => number; readonly tenant: Tagged },
  ) {
    this.#service = service;
    this.#holder = holder;
    this.#clock = clock;
    this.#tenant = tenant;
  }

  /** Begins the lease. Rejects with {@link UsageError} if nothing may be written. */
  static async take(
    service: ConfigService,
    holder: Holder,
    { clock, plannedTag }: { readonly clock: () => number; readonly plannedTag: string },
  ): Promise<Lease> {
    const tenant = await service.tenant();
    const problem = leaseProblem(tenant.body, holder, clock());
    if (problem !== undefined) throw new UsageError(`${problem}; nothing was done`);
    if (tenant.etag !== plannedTag && !hasBegun(tenant.body, holder))
      throw new UsageError('the tenant was changed since the plan; nothing was done: make a new plan');
    const lease = new Lease(service, holder, { clock, tenant });
    try {
      await lease.#write();
    } catch (error) {
      throw error instanceof LeaseLost ? new UsageError(`${error.message}; nothing was done`) : error;
    }
    return lease;
  }

  async #put(change: JsonObject): Promise<void> {
    const { body, etag } = this.#tenant;
    try {
      this.#tenant = await this.#service.writeTenant({ name: body['name'] ?? '', ...change }, etag);
    } catch (error) {
      if (error instanceof CallFailed && error.status === 412)
        throw new LeaseLost('the tenant was changed, maybe by another apply: make a new plan');
      throw error;
    }
  }

  async #write(): Promise<void> {
    const { namespace, digest } = this.#holder;
    const end = this.#clock() + LEASE_MS;
    const until = new Date(end).toISOString();
    await this.#put({ configuration_revision: `applying ${namespace} ${digest} until ${until}` });
    this.#end = end;
  }

  /** Call it before each write. Rejects with {@link LeaseLost} if there is too little time left. */
  async ready(): Promise<void> {
    const left = this.#end - this.#clock();
    if (left >= MARGIN_MS && left < LEASE_MS / 2) await this.#write();
    if (this.#end - this.#clock() < MARGIN_MS)
      throw new LeaseLost('the time of this apply is over, and another one may begin: run it again');
  }

  /** Call it before a write that no tag protects. */
  async verify(): Promise<void> {
    await this.ready();
    const { etag } = await this.#service.tenant();
    if (etag !== this.#tenant.etag)
      throw new LeaseLost('the tenant was changed, maybe by another apply: make a new plan');
  }

  /** Ends the lease, and writes members of the tenant with the same call. */
  async release(word: 'applied' | 'stopped', members: JsonObject): Promise<void> {
    await this.ready();
    const { namespace, digest } = this.#holder;
    const at = new Date(this.#clock()).toISOString();
    await this.#put({ ...members, configuration_revision: `${word} ${namespace} ${digest} ${at}` });
  }
}
