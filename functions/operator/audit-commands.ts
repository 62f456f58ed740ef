import { createHash } from 'node:crypto';
import { DAY_LATE_MS } from '../../src/core/trail/index-levels.ts';
import { auditKeysOf } from '../../src/core/trail/audit-keys.ts';
import { DEPLOYMENT, type Form } from '../../src/core/audit/audit-record.ts';
import { exportStart, exportStep } from '../../src/core/trail/export-trail.ts';
import { END_OF_TIME, hashOfSeal } from '../../src/core/trail/seal.ts';
import { checkLatest } from '../../src/core/trail/check-latest.ts';
import type { Broken } from '../../src/core/trail/seal-link.ts';
import { MAX_FAILURES, type VerifyDeps } from '../../src/core/trail/verification.ts';
import { verifyStep, type OpenChunk, type VerifyCursor } from '../../src/core/trail/verify-trail.ts';
import { whoSawStep } from '../../src/core/trail/who-saw.ts';
import { formsOf, type AuditView } from '../../src/core/trail/list-records.ts';
import { nameOfToken } from '../../src/core/audit/token-reference.ts';
import { defined } from '../../src/core/shared/defined.ts';
import { ServiceError } from '../../src/core/shared/service-error.ts';
import { formatTimestamp } from '../../src/core/shared/timestamp.ts';
import type { Tenant } from '../../src/core/tenants/tenant.ts';
import { presentRecord } from '../../src/wire/log-record.ts';
import type { OperatorDeps } from './dependencies.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
/** The default range of a check, in ms. */
const CHECKED_MS = DAY_MS;
/** Duration of one step of a check, in ms. The command line shows progress after each step. */
const STEP_MS = 20_000;

/** One step of a long command; `next` is `null` after the last. */
interface Step {
  readonly next: Readonly<Record<string, unknown>> | null;
}

interface Times {
  /** In ms since the epoch. */
  readonly from?: number | undefined;
  readonly to?: number | undefined;
}

async function allTenants({ tenantStore }: Pick<OperatorDeps, 'tenantStore'>): Promise<readonly Tenant[]> {
  const tenants: Tenant[] = [];
  for await (const batch of tenantStore.list()) tenants.push(...batch);
  return tenants.toSorted((a, b) => (a.id < b.id ? -1 : 1));
}

/**
 * Sorted, because a check continues in this order. `deployment` has the tokens of destroyed
 * tenants.
 */
async function allTrails(deps: Pick<OperatorDeps, 'tenantStore'>): Promise<readonly string[]> {
  return [DEPLOYMENT, ...(await allTenants(deps)).map(({ id }) => id)].toSorted();
}

interface WhoSawInput extends Times {
  readonly token_id: string;
  readonly tenant_id?: string | undefined;
  readonly form?: Form | undefined;
  readonly without_index: boolean;
  /** Where the previous step ended. */
  readonly at?: { readonly tenant_id: string; readonly before?: string | undefined } | undefined;
}

/** The names of the applications of records, by their ids; one that was deleted has none. */
async function applicationNames(
  { applicationStore }: OperatorDeps,
  tenantId: string,
  views: readonly AuditView[],
): Promise<ReadonlyMap<string, string>> {
  const ids = new Set(views.flatMap(({ entry }) => entry.app ?? []));
  // The trail of the deployment is of no tenant.
  if (ids.size === 0 || tenantId === DEPLOYMENT) return new Map();
  const applications = await applicationStore.findMany(tenantId, [...ids]);
  return new Map(applications.map(({ id, name }) => [id, name]));
}

/** Records that name a token, in one trail or all, a page per step. */
export async function whoSaw(
  deps: OperatorDeps,
  input: WhoSawInput,
): Promise<Step & { readonly records: unknown }> {
  const { token_id: tokenId, tenant_id: raw, without_index: withoutIndex, form, from, to, at } = input;
  const ids = raw === undefined ? await allTrails(deps) : [raw];
  const tenantId = at?.tenant_id ?? ids[0] ?? DEPLOYMENT;
  const asked = defined({ tokenId, form, withoutIndex, from, to });
  const { views, next } = await whoSawStep(deps, tenantId, asked, at?.before);
  const following = ids.find((id) => id > tenantId);
  const nameOf = await applicationNames(deps, tenantId, views);
  // The name in the record remains where the id of a reference is gone.
  const names = [tokenId, nameOfToken(tokenId)];
  return {
    records: views.map((view) => {
      const { tokens: _tokens, containers: _containers, ...record } = presentRecord(view);
      const named = { tenant_id: tenantId, form: formsOf(view.entry, names).join(', ') };
      const application = nameOf.get(view.entry.app ?? '');
      return { ...named, ...record, ...(application !== undefined && { application_name: application }) };
    }),
    next:
      next !== undefined
        ? { at: { tenant_id: tenantId, before: next } }
        : following === undefined
          ? null
          : { at: { tenant_id: following } },
  };
}

interface VerifyInput extends Times {
  readonly tenant_id?: string | undefined;
  readonly public_key?: string | undefined;
  readonly index: boolean;
  /** The hash of a seal that the administrator noted, base64url. */
  readonly seal?: string | undefined;
  /** Where the previous step ended, together with `from`. */
  readonly chunk?: OpenChunk | null | undefined;
  /** Used by the schedule instead of a range: checks what was sealed since the last such check. */
  readonly latest?: boolean | undefined;
}

/** A place that was changed, in words. */
function presentBroken({ interval, trail, place, what }: Broken) {
  const when =
    typeof interval === 'string'
      ? interval
      : `${formatTimestamp(interval.from)} to ${interval.to === undefined ? '?' : formatTimestamp(interval.to)}`;
  return defined({ interval: when, trail, record: place?.slice(3), what });
}

/**
 * Whether a seal has the noted hash of what was the newest seal. A chain that was cut off behind
 * its head and sealed again has no such seal.
 */
async function hasSeal({ sealReader }: OperatorDeps, hash: string): Promise<boolean> {
  for await (const seals of sealReader.seals(0, END_OF_TIME))
    if (seals.some((seal) => hashOfSeal(seal).toString('base64url') === hash)) return true;
  return false;
}

const verifyDeps = async (deps: OperatorDeps, pinned: string | undefined): Promise<VerifyDeps> => ({
  trail: deps.trailReader,
  seals: deps.sealReader,
  head: deps.sealHead,
  index: deps.indexReader,
  referred: deps.referredIds,
  publicKey: await deps.sealPublicKey(pinned),
  clock: deps.clock,
  keysOf: (trail: string) => auditKeysOf(deps, trail),
});

const presentNext = ({ from, chunk }: VerifyCursor) => ({
  from: formatTimestamp(from),
  chunk: chunk ?? null,
});

/** Does one step of a check, either of one tenant's trail or of all trails. */
async function verifyOnce(deps: OperatorDeps, input: VerifyInput) {
  const now = deps.clock();
  const { tenant_id: tenantId, public_key: pinned, from = now - CHECKED_MS, to = Infinity } = input;
  const verified = await verifyStep(await verifyDeps(deps, pinned), {
    coverage: 'complete',
    ...(tenantId === undefined
      ? { tenants: (await allTenants(deps)).map(({ id }) => id) }
      : { trails: [tenantId] }),
    indexContents: input.index,
    from,
    chunk: input.chunk ?? undefined,
    to,
    deadline: now + STEP_MS,
  });
  const { checked, next } = verified;
  const { seal } = input;
  // It needs all seals, so only the last step reads them.
  const isNotedGone = seal !== undefined && next === undefined && !(await hasSeal(deps, seal));
  const gone = isNotedGone ? [{ what: `no seal has the hash ${seal}` }] : [];
  const broken = [...gone, ...verified.broken.map(presentBroken)].slice(0, MAX_FAILURES);
  const failures = verified.failures + gone.length;
  return {
    seals: checked.seals,
    records: checked.records,
    not_sealed_yet: checked.afterSeals,
    before_the_first_seal: checked.beforeSeals,
    mac_not_checked: checked.unchecked,
    expired_intervals: checked.expired,
    indexes: checked.indexes,
    key: pinned === undefined ? 'the current key of KMS: pass --key to verify with a stored one' : 'pinned',
    failures,
    intact: failures === 0,
    ...(failures > 0 && { broken }),
    next: next === undefined ? null : presentNext(next),
  };
}

const problemsOf = (name: string, read: PromiseSettledResult<readonly string[]>) =>
  read.status === 'fulfilled' && read.value.length > 0 ? { [name]: read.value } : {};

/** The time limit of the scheduled check, in ms: the function ends after 300 s. */
const LATEST_MS = 240_000;

/**
 * The check of the schedule, with the metrics of its alarms. What cannot be read is reported by no
 * metric, so that the alarms for missing data fire.
 */
async function verifyLatest(deps: OperatorDeps) {
  const deadline = deps.clock() + LATEST_MS;
  const [unprotected, data] = await Promise.allSettled([deps.trailProtection(), deps.dataProtection()]);
  if (unprotected.status === 'fulfilled') deps.onTrailProtection(unprotected.value);
  if (data.status === 'fulfilled') deps.onDataProtection(data.value);
  const checking = { ...(await verifyDeps(deps, undefined)), cursor: deps.checkCursor };
  const { failed, ...check } = await checkLatest(checking, deadline);
  const broken = check.broken.map(presentBroken);
  deps.onAuditChecked({ ...check, broken });
  if (failed !== undefined) throw failed.error;
  for (const read of [unprotected, data]) if (read.status === 'rejected') throw read.reason;
  const { seals, records, isFinished, failures } = check;
  return {
    seals,
    records,
    late: !isFinished,
    failures,
    intact: failures === 0,
    ...(failures > 0 && { broken }),
    ...problemsOf('unprotected', unprotected),
    ...problemsOf('unprotected_data', data),
    next: null,
  };
}

/** Does one step of a check, or with `latest` the check that the schedule runs. */
export function verifyAudit(deps: OperatorDeps, { latest = false, ...input }: VerifyInput) {
  return latest ? verifyLatest(deps) : verifyOnce(deps, input);
}

interface ExportInput extends Times {
  readonly tenant_id: string;
  /** Where the previous step ended, in ms since the epoch. */
  readonly at?: number | undefined;
}

/** One step of an export: lines of a file that can be verified without AWS. */
export async function exportAudit(
  deps: OperatorDeps,
  { tenant_id: trail, from = 0, to = deps.clock(), at }: ExportInput,
) {
  if (from >= to) throw new ServiceError('validation_failed', '--to must be after --from.');
  const { referredIds } = deps;
  const reading = { trail: deps.trailReader, seals: deps.sealReader, referredIds };
  const start = at ?? (await exportStart(reading, from));
  const { lines, next } = await exportStep(reading, { trail, from: start, to });
  return { lines, next: next === undefined ? null : { at: next.from, to: formatTimestamp(next.to) } };
}

/** The public key that verifies seals. Store it outside of AWS. */
export async function auditKey(deps: OperatorDeps) {
  const key = await deps.sealPublicKey(undefined);
  return {
    public_key: key.export({ type: 'spki', format: 'pem' }).toString(),
    sha256: createHash('sha256')
      .update(key.export({ type: 'spki', format: 'der' }))
      .digest('hex'),
  };
}

/** Most days of one request: an index of each is made from its records. */
const REBUILT_DAYS_MAX = 400;

/** Asks the sealer to make the indexes of whole days from their records. */
export async function rebuildIndex(
  deps: OperatorDeps,
  { tenant_id: trail, from = 0, to = 0 }: Times & { readonly tenant_id: string },
) {
  const first = from - (from % DAY_MS);
  // The sealer makes the index of a later day itself, and may not have done so yet.
  const end = Math.min(to, deps.clock() - DAY_MS - DAY_LATE_MS);
  const count = Math.max(0, Math.ceil((end - first) / DAY_MS));
  if (count === 0)
    throw new ServiceError('validation_failed', 'The range has no day that ended two hours ago or earlier.');
  if (count > REBUILT_DAYS_MAX)
    throw new ServiceError('validation_failed', `At most ${String(REBUILT_DAYS_MAX)} days at once.`);
  const days = Array.from({ length: count }, (_, at) => first + at * DAY_MS);
  await deps.indexRequests.ask(trail, days, deps.clock());
  return { tenant_id: trail, days: count };
}
