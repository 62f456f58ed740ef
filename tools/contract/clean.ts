import { setTimeout as sleep } from 'node:timers/promises';
import pLimit from 'p-limit';
import { z } from 'zod';
import { createApplication, type MadeApplication } from './create-application.ts';
import { callDeployment, type CallDeployment, type Send } from './deployment.ts';
import { madeBy, type Made } from './made.ts';

export const tenantSchema = z.object({
  id: z.string(),
  name: z.string(),
  settings: z.record(z.string(), z.unknown()),
});

/** A run of the suites: under which application they ran, and what the tenant was before. */
export interface SuiteRun {
  readonly url: string;
  readonly managementKey: string;
  readonly application: MadeApplication;
  readonly tenant: z.infer<typeof tenantSchema>;
  /** Requests may still have been in flight at the end. */
  readonly wasInterrupted: boolean;
  readonly send?: Send;
  readonly pause?: (ms: number) => Promise<unknown>;
}

export interface Cleaned {
  readonly deleted: number;
  /** Everything that is still there, each with the reason. */
  readonly left: readonly string[];
}

/** A record of the trail may appear so long after its response (docs/contract.md#list-records). */
const TRAIL_LAG_MS = 2_500;
/** How long a request that was in flight may take. */
const IN_FLIGHT_MS = 15_000;
const AT_ONCE = 8;
const ROUNDS = 10;

const withCreator = z.object({ created_by: z.string().optional() });

/** `foreign` is something that existed before, or that another application has made. */
type Removal = 'deleted' | 'gone' | 'foreign';

/** Deletes what one of the applications has created. Rejects with the reason if that fails. */
async function remove(call: CallDeployment, path: string, makers: ReadonlySet<string>): Promise<Removal> {
  const { status, body } = await call('GET', path);
  if (status === 404) return 'gone';
  if (status !== 200) throw new Error(`GET returned ${String(status)}`);
  if (!makers.has(withCreator.parse(body).created_by ?? '')) return 'foreign';
  const deleted = await call('DELETE', path);
  if (deleted.status === 404) return 'gone';
  if (deleted.status !== 204) throw new Error(`DELETE returned ${String(deleted.status)}`);
  return 'deleted';
}

/** Orders the paths for deletion: an application comes after everything that it has made. */
const pathsOf = ({ tokens, others, applications }: Made): readonly string[] => [
  ...tokens.map((id) => `/tokens/${encodeURIComponent(id)}`),
  ...others,
  ...applications
    .slice(1)
    .toReversed()
    .map((id) => `/applications/${id}`),
];

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** Deletes until the trail names nothing more. */
async function removeAll(run: SuiteRun, management: CallDeployment, tokens: CallDeployment) {
  const { application, wasInterrupted, pause = sleep } = run;
  const ended = new Map<string, Removal>();
  const failed = new Map<string, string>();
  let hasChangedTenant = false;
  for (let round = 1; round <= ROUNDS; round += 1) {
    const made = await madeBy(management, application.id, application.createdAt);
    const makers = new Set(made.applications);
    const before = ended.size;
    let deleted = 0;
    const limit = pLimit(AT_ONCE);
    const removeOne = async (path: string) => {
      try {
        const removal = await remove(path.startsWith('/tokens/') ? tokens : management, path, makers);
        if (removal === 'deleted') deleted += 1;
        if (ended.get(path) !== 'deleted') ended.set(path, removal);
        failed.delete(path);
      } catch (error) {
        failed.set(path, reasonOf(error));
      }
    };
    // A path that is gone may still come into being: its record is written before.
    const left = pathsOf(made).filter((path) => !['deleted', 'foreign'].includes(ended.get(path) ?? ''));
    for (const kind of ['/tokens/', '/'])
      await Promise.all(
        left
          .filter((path) => path.startsWith('/tokens/') === (kind === '/tokens/'))
          .map((path) => limit(() => removeOne(path))),
      );
    hasChangedTenant ||= made.hasChangedTenant;
    if (round > 1 && deleted === 0 && ended.size === before) break;
    await pause(wasInterrupted && round === 1 ? IN_FLIGHT_MS : TRAIL_LAG_MS);
  }
  return { ended, failed, hasChangedTenant };
}

async function putBack(management: CallDeployment, { name, settings }: SuiteRun['tenant']): Promise<void> {
  const { status } = await management('PUT', '/tenants/self', { name, settings });
  if (status !== 200) throw new Error(`PUT returned ${String(status)}`);
}

/**
 * Deletes what the suites have made, and nothing else: what the trail says that their applications
 * have made, and what names one of them as its creator.
 */
export async function clean(run: SuiteRun): Promise<Cleaned> {
  const management = callDeployment(run.url, run.managementKey, { send: run.send });
  const left: string[] = [];
  const attempt = async (what: string, act: () => Promise<void>) => {
    try {
      await act();
    } catch (error) {
      left.push(`${what}: ${reasonOf(error)}`);
    }
  };
  let deleted = 0;
  const end = (id: string) =>
    attempt(`/applications/${id}`, async () => {
      const { status } = await management('DELETE', `/applications/${id}`);
      if (status !== 204 && status !== 404) throw new Error(`DELETE returned ${String(status)}`);
    });
  await attempt('what the suites have made', async () => {
    const rules = [
      { priority: 1, container: '/', transform: 'redact', permissions: ['token:read', 'token:delete'] },
    ];
    const cleaner = await createApplication(management, { type: 'private', rules });
    try {
      const found = await removeAll(
        run,
        management,
        callDeployment(run.url, cleaner.key, { send: run.send }),
      );
      deleted = [...found.ended.values()].filter((removal) => removal === 'deleted').length;
      left.push(...[...found.failed].map(([path, reason]) => `${path}: ${reason}`));
      if (found.hasChangedTenant)
        await attempt('the settings of the tenant', () => putBack(management, run.tenant));
    } finally {
      await end(cleaner.id);
    }
  });
  await end(run.application.id);
  return { deleted, left };
}
