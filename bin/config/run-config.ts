import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { errorCode } from '../../packages/local-aws/src/error-code.ts';
import { confirm } from '../command-line/confirm.ts';
import type { ConnectionFlags } from '../command-line/connection.ts';
import { CommandFailure, UsageError } from '../command-line/failures.ts';
import { callService } from '../command-line/service-call.ts';
import { printable } from '../command-line/show.ts';
import { applyPlan, type Applied } from './apply/apply-plan.ts';
import { LeaseLost, leaseProblem } from './apply/lease.ts';
import { prepareApply } from './apply/prepare-apply.ts';
import type { ConfigSurroundings } from './config-surroundings.ts';
import { FileProblemsError } from './file/problems.ts';
import { readConfigFile, type ConfigFile } from './file/read-config-file.ts';
import { createKeyTargets, type KeyTargets } from './keys/key-targets.ts';
import type { Desired, Plan } from './model.ts';
import { describePlan, planAsJson } from './plan/describe-plan.ts';
import { exitCodeOf, hasDifferences, isRefused } from './plan/outcome.ts';
import { PACKAGE } from './package-folder.ts';
import { planFileText, readPlanFile } from './plan/plan-file.ts';
import { planOf } from './plan/plan-of.ts';
import { readLive } from './read-live.ts';
import { sdkService } from './sdk-service.ts';
import { awsSecrets, type Secrets } from './secrets.ts';
import { CallFailed, type ConfigService } from './service.ts';
import { withLabels } from './sources/labels.ts';

interface LockoutFlags {
  readonly yesLockout?: true;
}

export interface PlanFlags extends ConnectionFlags, LockoutFlags {
  readonly file: string;
  readonly out?: string;
  readonly json?: true;
  readonly exitCode?: true;
}

export interface ApplyFlags extends ConnectionFlags, LockoutFlags {
  readonly file: string;
  readonly yes?: true;
  readonly allowFile?: true;
}

/** Everything that reaches beyond the process. */
interface Places {
  readonly service: ConfigService;
  readonly targets: KeyTargets;
  readonly secrets: Secrets;
  readonly clock: () => number;
  readonly baseUrl: string;
}

const REFUSED = 'the plan is not to be applied; nothing was done';

/** Prints the problems of a file one in a line; the message of the error only counts them. */
async function readFileOf(file: string, { printError }: ConfigSurroundings): Promise<ConfigFile> {
  return await withLines(printError, () => readConfigFile(file));
}

async function withLines<T>(printError: (text: string) => void, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof FileProblemsError) for (const line of error.lines) printError(`${line}\n`);
    throw error;
  }
}

/** Calls the service, and explains why a call failed. */
async function withPlaces<T>(
  flags: ConnectionFlags,
  surroundings: ConfigSurroundings,
  folder: string,
  work: (places: Places) => Promise<T>,
): Promise<T> {
  const { secretValues: secrets = awsSecrets(), clock = Date.now } = surroundings;
  return await callService(flags, surroundings, async (client, { baseUrl }) => {
    const targets = createKeyTargets(folder, secrets);
    try {
      return await work({ service: sdkService(client), targets, secrets, clock, baseUrl });
    } catch (error) {
      if (error instanceof CallFailed || error instanceof LeaseLost) throw new CommandFailure(error.message);
      throw error;
    }
  });
}

function versionOf(): string {
  const text = readFileSync(join(PACKAGE, 'package.json'), 'utf8');
  return (JSON.parse(text) as { readonly version: string }).version;
}

/** Plans under the present state. Rejects with {@link UsageError} while another file is applied. */
async function planNow(places: Places, read: Desired): Promise<{ desired: Desired; plan: Plan }> {
  const desired = await withLabels(read, places.secrets);
  const live = await readLive(places, desired);
  const problem = leaseProblem(live.tenant.body, desired, places.clock());
  if (problem !== undefined) throw new UsageError(`${problem}; nothing was done`);
  return { desired, plan: planOf(desired, live, { version: versionOf() }) };
}

function writePlan(file: string, text: string): void {
  try {
    // An earlier plan is not to be applied by mistake in the place of a failed one.
    writeFileSync(file, text, { flag: 'wx' });
  } catch (error) {
    const code = errorCode(error);
    throw new UsageError(
      `--out ${file}: ${code === 'EEXIST' ? 'the file exists' : `cannot be written (${String(code)})`}`,
    );
  }
}

/** `config plan`. Resolves with the exit code. */
export async function runPlan(flags: PlanFlags, surroundings: ConfigSurroundings): Promise<number> {
  const { desired: read, folder } = await readFileOf(flags.file, surroundings);
  return await withPlaces(flags, surroundings, folder, async (places) => {
    const { plan } = await planNow(places, read);
    surroundings.print(flags.json === true ? planAsJson(plan) : describePlan(plan));
    if (flags.out !== undefined && !isRefused(plan, flags))
      writePlan(flags.out, planFileText({ url: places.baseUrl, plan }));
    return exitCodeOf(plan, flags);
  });
}

const hasFileTargets = ({ applications, proxies }: Desired): boolean =>
  [...applications.values(), ...proxies.values()].some(({ keys }) =>
    keys.some(({ to }) => to?.kind === 'file'),
  );

/** A pipeline applies only what was reviewed, and stores no key on its disk. */
function checkPipeline(
  plan: string | undefined,
  desired: Desired,
  flags: ApplyFlags,
  { environment }: ConfigSurroundings,
): void {
  if (['', 'false', '0'].includes(environment['CI'] ?? '')) return;
  if (plan === undefined)
    throw new UsageError(
      'where CI is set, apply needs a plan: run config plan --out PLAN before; nothing was done',
    );
  if (hasFileTargets(desired) && flags.allowFile !== true)
    throw new UsageError('keys go to files, and CI is set: allow it by --allow-file; nothing was done');
}

/** The plan of a file, which must be for this service, this tenant and these files. */
async function storedPlan(file: string, desired: Desired, { baseUrl, service }: Places): Promise<Plan> {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw new UsageError(`${file} cannot be read (${String(errorCode(error))})`);
  }
  const { url, plan } = readPlanFile(text);
  if (new URL(url).href !== new URL(baseUrl).href)
    throw new UsageError(`${file} is a plan for another service; nothing was done`);
  if (plan.digest !== desired.digest || plan.namespace !== desired.namespace)
    throw new UsageError(`${file} is a plan of other files: make a new one; nothing was done`);
  if ((await service.tenant()).id !== plan.tenant.id)
    throw new UsageError(`${file} is a plan for another tenant; nothing was done`);
  return plan;
}

function summaryOf({ created, changed, deleted, keys, failed, skipped }: Applied): string {
  const done = [
    `${String(created)} created`,
    `${String(changed)} changed`,
    `${String(deleted)} deleted`,
    `${String(keys)} ${keys === 1 ? 'key' : 'keys'} stored`,
  ].join(', ');
  return failed + skipped === 0 ? done : `${done}; ${String(failed)} failed, ${String(skipped)} skipped`;
}

/** `config apply`. Resolves with whether everything was done. */
export async function runApply(
  file: string | undefined,
  flags: ApplyFlags,
  surroundings: ConfigSurroundings,
): Promise<boolean> {
  const { desired: read, folder } = await readFileOf(flags.file, surroundings);
  checkPipeline(file, read, flags, surroundings);
  const { print, printError, environment } = surroundings;
  const tell = (line: string) => print(`${printable(line)}\n`);
  return await withPlaces(flags, surroundings, folder, async (places) => {
    const now = await planNow(places, read);
    const { desired, plan } =
      file === undefined ? now : { desired: read, plan: await storedPlan(file, read, places) };
    print(describePlan(plan));
    // Another key may have planned, whose lockout is not that of the key that applies.
    const { lockout } = now.plan;
    if (lockout !== undefined && plan.lockout === undefined) print(`${printable(`lockout: ${lockout}`)}\n`);
    if (isRefused({ ...plan, ...(lockout !== undefined && { lockout }) }, flags))
      throw new UsageError(REFUSED);
    if (hasDifferences(plan)) await confirm('The tenant is changed.', flags.yes === true, surroundings);
    const { service, targets, secrets, clock } = places;
    const prepared = await withLines(printError, () =>
      prepareApply({ targets, secrets, environment, folder, file: flags.file }, desired, plan),
    );
    const deps = { service, targets, clock, tell, force: flags.yesLockout === true };
    const applied = await applyPlan(deps, { desired, plan, prepared });
    tell(summaryOf(applied));
    return applied.failed + applied.skipped === 0;
  });
}
