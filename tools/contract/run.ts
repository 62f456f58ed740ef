import { z } from 'zod';
import { isLegalFor, PERMISSION_NAMES } from '../../src/core/access/permission.ts';
import { clean, tenantSchema, type Cleaned } from './clean.ts';
import { createApplication } from './create-application.ts';
import { callDeployment, type CallDeployment } from './deployment.ts';
import { contractOptions, USAGE, type ContractOptions } from './options.ts';
import { runSuites, type SuiteTotals } from './run-suites.ts';

/** Where the program reads its key and prints; tests replace it. */
export interface Surroundings {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Prints the totals. */
  readonly print: (text: string) => void;
  /** Prints the progress and problems. */
  readonly printError: (text: string) => void;
  readonly signal: AbortSignal;
}

const PERMISSIONS = PERMISSION_NAMES.filter((name) => isLegalFor(name, 'management'));
const application = z.object({ type: z.string(), permissions: z.array(z.string()) });

/** The settings that the suites expect: by others they would fail, or find tokens of the tenant. */
const SETTINGS: Readonly<Record<string, unknown>> = { deduplicate_tokens: false, ephemeral_proxy: true };

async function read<T>(call: CallDeployment, path: string, schema: z.ZodType<T>): Promise<T> {
  const { status, body } = await call('GET', path);
  if (status === 401) throw new Error('the deployment rejects the key');
  if (status !== 200) throw new Error(`GET ${path} returned ${String(status)}`);
  return schema.parse(body);
}

/** Checks that the suites can run, and be cleaned up. Returns the tenant as it is before. */
async function tenantBefore(call: CallDeployment): Promise<z.infer<typeof tenantSchema>> {
  const { type, permissions } = await read(call, '/applications/key', application);
  if (type !== 'management') throw new Error(`the key is of a ${type} application`);
  const missing = PERMISSIONS.filter((name) => !permissions.includes(name));
  if (missing.length > 0) throw new Error(`the key lacks ${missing.join(', ')}`);
  const tenant = await read(call, '/tenants/self', tenantSchema);
  for (const [name, value] of Object.entries(SETTINGS))
    if (tenant.settings[name] !== value)
      throw new Error(`the tenant has ${name} ${String(tenant.settings[name])}: use a tenant of its own`);
  return tenant;
}

function reportOf({ passed, failed, skipped }: SuiteTotals, { deleted, left }: Cleaned): string {
  const skips = [...skipped].map(([need, count]) => `skipped ${String(count)}: they need ${need}\n`);
  return [
    ...skips,
    `deleted ${String(deleted)} tokens, applications, reactors and proxies\n`,
    ...left.map((what) => `NOT DELETED ${what}\n`),
    `${String(passed)} passed, ${String(failed)} failed\n`,
  ].join('');
}

/** Runs the command line. Resolves with the exit code: 1 after a failure, 2 if nothing was done. */
export async function runContract(args: readonly string[], around: Surroundings): Promise<number> {
  const { env, print, printError, signal } = around;
  const refuse = (error: unknown) => {
    printError(`contract: ${error instanceof Error ? error.message : String(error)}\n`);
    return 2;
  };
  let options: ContractOptions;
  try {
    options = contractOptions(args, env);
  } catch (error) {
    printError(`${USAGE}\n`);
    return refuse(error);
  }
  const { url, managementKey, suites } = options;
  const management = callDeployment(url, managementKey, { tries: 3 });
  let run: Omit<Parameters<typeof clean>[0], 'wasInterrupted'>;
  try {
    const tenant = await tenantBefore(management);
    const grants = { type: 'management', permissions: PERMISSIONS };
    run = { url, managementKey, tenant, application: await createApplication(management, grants) };
  } catch (error) {
    return refuse(error);
  }
  let totals: SuiteTotals = { passed: 0, failed: 1, skipped: new Map(), hasCrashed: true };
  let cleaned: Cleaned;
  try {
    const { key } = run.application;
    totals = await runSuites({ url, key, suites }, { print: printError, signal });
  } catch (error) {
    refuse(error);
  } finally {
    printError('deleting what the suites have made\n');
    cleaned = await clean({ ...run, wasInterrupted: totals.hasCrashed });
  }
  print(reportOf(totals, cleaned));
  return totals.failed > 0 || cleaned.left.length > 0 || signal.aborted ? 1 : 0;
}
