import { z } from 'zod';
import type { CallDeployment } from './deployment.ts';

/**
 * Everything that an application, and the applications made by it, have made according to the
 * trail.
 */
export interface Made {
  /** The oldest first, the first application included. */
  readonly applications: readonly string[];
  /** Paths of proxies and reactors. */
  readonly others: readonly string[];
  /**
   * Ids of tokens. Some were not made: a record comes before its effect, so it also names the token
   * of another application whose id a creation asked for in vain.
   */
  readonly tokens: readonly string[];
  readonly hasChangedTenant: boolean;
}

const page = z.object({
  data: z.array(
    z.object({
      operation: z.string(),
      application_id: z.string().optional(),
      resource: z.string().optional(),
      tokens: z.array(z.object({ id: z.string(), form: z.string() })).optional(),
    }),
  ),
  pagination: z.object({ after: z.string().nullable() }),
});

type TrailRecord = z.infer<typeof page>['data'][number];

/** Reads the records of the tenant from an instant on, the oldest first. */
async function recordsFrom(call: CallDeployment, from: string): Promise<readonly TrailRecord[]> {
  const records: TrailRecord[] = [];
  for (let after: string | null = ''; after !== null;) {
    const query = new URLSearchParams({ from, size: '100', ...(after !== '' && { after }) });
    const { status, body } = await call('GET', `/logs?${query.toString()}`);
    if (status !== 200) throw new Error(`GET /logs returned ${String(status)}`);
    const { data, pagination } = page.parse(body);
    records.push(...data);
    after = pagination.after;
  }
  return records.toReversed();
}

const createdIn = ({ tokens = [] }: TrailRecord): readonly string[] =>
  tokens.filter(({ form }) => form === 'create').map(({ id }) => id);

const MAKES = new Map([
  ['createReactor', 'reactors'],
  ['createProxy', 'proxies'],
]);

/** Reads from the trail what an application has made. It also has what no response has shown. */
export async function madeBy(call: CallDeployment, application: string, since: string): Promise<Made> {
  const applications = new Set([application]);
  const others: string[] = [];
  const tokens: string[] = [];
  let hasChangedTenant = false;
  for (const record of await recordsFrom(call, since)) {
    if (!applications.has(record.application_id ?? '')) continue;
    const { operation, resource } = record;
    // A request that was rejected early has no resource.
    const id = resource?.split(':')[1];
    const kind = MAKES.get(operation);
    if (id !== undefined && operation === 'createApplication') applications.add(id);
    if (id !== undefined && kind !== undefined) others.push(`/${kind}/${id}`);
    hasChangedTenant ||= operation === 'updateTenant';
    tokens.push(...createdIn(record));
  }
  return { applications: [...applications], others, tokens, hasChangedTenant };
}
