import { createPublicKey } from 'node:crypto';
import { createReadStream, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { z } from 'zod';
import { tableNameOf } from '../../../lib/deployment-names.ts';
import { publicKeyOf, verifyFile } from '../audit-files.ts';
import { CommandFailure, UsageError } from '../../command-line/failures.ts';
import type { RemovalAccount } from './removal-account.ts';
import type { RemovalPlan } from './removal-plan.ts';
import { liveTrailsOf, statementOf } from './trail.ts';

/** A trail that ends with its export: requests after it would be recorded nowhere else. */
const LONGEST_AGE_MS = 86_400_000;

const header = z.object({
  export: z.literal(1),
  tenant: z.string(),
  from: z.string().optional(),
  to: z.string().optional(),
  at: z.string(),
});
const seal = z.object({ body: z.string() });
const sealLine = z.union([
  z.object({ seal }).transform((line) => line.seal.body),
  z.object({ newest: seal }).transform((line) => line.newest.body),
]);

interface ReadExport {
  readonly file: string;
  readonly trail: string;
  readonly isWhole: boolean;
  readonly at: Date;
  /** The body of the last seal that it contains. */
  readonly newest?: string;
  /** The trails with records that have not expired, by the seals of the export. */
  readonly sealed: ReadonlySet<string>;
}

function parsed(file: string, line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    throw new CommandFailure(`${file} is no export of the audit trail`);
  }
}

async function readExport(file: string, now: Date): Promise<ReadExport> {
  const sealed = new Set<string>();
  let first: z.infer<typeof header> | undefined;
  let newest: string | undefined;
  for await (const line of createInterface({ input: createReadStream(file), crlfDelay: Infinity })) {
    const value = parsed(file, line);
    first ??= header.safeParse(value).data;
    newest = sealLine.safeParse(value).data ?? newest;
    const statement = newest === undefined ? undefined : statementOf(newest);
    if (statement !== undefined) for (const trail of liveTrailsOf(statement, now)) sealed.add(trail);
  }
  if (first === undefined) throw new CommandFailure(`${file} is no export of the audit trail`);
  const { tenant: trail, from, to, at } = first;
  const isWhole = from === undefined && to === undefined;
  return { file, trail, isWhole, at: new Date(at), sealed, ...(newest !== undefined && { newest }) };
}

function filesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder).map((name) => join(folder, name));
  } catch {
    throw new UsageError(`--exports ${folder}: is no folder that can be read`);
  }
}

/** The key of another deployment verifies the exports of that one. */
async function requireSealKey(
  account: RemovalAccount,
  { service, sealKeys }: RemovalPlan,
  file: string,
): Promise<void> {
  const derOf = (pem: string) => createPublicKey(pem).export({ format: 'der', type: 'spki' });
  const wanted = derOf(publicKeyOf(file));
  const keys = await Promise.all(sealKeys.map((id) => account.publicKey(id)));
  if (!keys.some((pem) => derOf(pem).equals(wanted)))
    throw new CommandFailure(`${file} is not the key that signs the seals of ${service}`);
}

interface Seals {
  /** The end of the newest interval, in ms; `undefined` without a seal. */
  readonly end: number | undefined;
  /** The trails with records that have not expired. */
  readonly trails: ReadonlySet<string>;
  /** The bodies that are in the table, among those that the caller asked for. */
  readonly found: ReadonlySet<string>;
}

/** Reads all seals of the deployment. */
async function readSeals(
  account: RemovalAccount,
  { service, now }: RemovalPlan,
  bodies: ReadonlySet<string | undefined>,
): Promise<Seals> {
  const trails = new Set<string>();
  const found = new Set<string>();
  let end: number | undefined;
  for await (const body of account.sealBodies(tableNameOf(service, 'AuditSeals'))) {
    const statement = statementOf(body);
    if (bodies.has(body)) found.add(body);
    if (statement === undefined) continue;
    end ??= statement.to;
    for (const trail of liveTrailsOf(statement, now)) trails.add(trail);
  }
  return { end, trails, found };
}

/**
 * Throws unless an export is of the deployment and of the last day of its trail. The service seals
 * each minute while it runs, also the record of an export, so no export has its newest seal. The
 * day ends now, or with the newest seal once no stack seals.
 */
function requireRecent(
  { file, at, isWhole, newest = '' }: ReadExport,
  { now, steps }: RemovalPlan,
  { end, found }: Seals,
): void {
  if (!isWhole)
    throw new CommandFailure(`${file} has only a part of its trail: export it without --from and --to`);
  // A run that was interrupted has deleted the seals after the records.
  if (end === undefined) return;
  if (!found.has(newest))
    throw new CommandFailure(`${file} ends with a seal that is not one of the deployment`);
  const isRunning = steps.some(({ kind }) => kind === 'stack');
  const sealed = statementOf(newest)?.to ?? 0;
  if (end - sealed > LONGEST_AGE_MS || (isRunning ? now.getTime() : end) - at.getTime() > LONGEST_AGE_MS)
    throw new CommandFailure(`${file} is older than a day: export the trail again`);
}

/**
 * Verifies all files of a folder as exports of whole trails. Throws {@link CommandFailure} unless
 * they are intact, of this deployment, of the last day, and contain every trail that a seal names,
 * in the table or in a file: that of each tenant, destroyed ones included, and that of the
 * deployment.
 */
export async function requireExports(
  account: RemovalAccount,
  plan: RemovalPlan,
  { folder, key }: { readonly folder: string; readonly key: string },
): Promise<void> {
  await requireSealKey(account, plan, key);
  const exports: ReadExport[] = [];
  for (const file of filesIn(folder)) {
    const report = await verifyFile(file, key);
    if (report['intact'] !== true)
      throw new CommandFailure(`${file} is not intact: verify-audit --file shows why`);
    exports.push(await readExport(file, plan.now));
  }
  const seals = await readSeals(account, plan, new Set(exports.map(({ newest }) => newest)));
  if (seals.end === undefined && plan.steps.some(({ id }) => id === tableNameOf(plan.service, 'Audit')))
    throw new CommandFailure('no seal proves what the exports lack: the table AuditSeals has none');
  for (const each of exports) requireRecent(each, plan, seals);
  const wanted = new Set(['deployment', ...seals.trails, ...exports.flatMap(({ sealed }) => [...sealed])]);
  for (const { trail } of exports) wanted.delete(trail);
  if (wanted.size > 0)
    throw new CommandFailure(
      `${folder} lacks the export of ${[...wanted].join(', ')}: run export-audit for each`,
    );
}
