import type { Item } from '../../packages/local-aws/src/dynamodb/item.ts';
import type { StoredItem } from './account.ts';
import { PLAINTEXT, presence, type Client, type KnownToken } from './client.ts';
import type { Answered } from './findings.ts';
import { isSigned } from './models/internet-model.ts';
import type { Cast } from './run.ts';
import type { Answer } from './service.ts';

/*
 * The judges know the contract (docs/contract.md) and what callers observed. None reads the code of
 * the service.
 */

type Body = Answer['body'];
/** Sentences on what is wrong. */
type Found = readonly string[];

/** Reads a list from its first page to its last. */
async function walk({ service }: Cast, key: string, path: string): Promise<readonly Body[]> {
  const all: Body[] = [];
  let after = '';
  do {
    const cursor = after === '' ? '' : `&after=${encodeURIComponent(after)}`;
    const answer = await service.request('judge', { method: 'GET', path: `${path}?size=100${cursor}`, key });
    if (answer?.status !== 200) throw new Error(`${path}: ${JSON.stringify(answer)}`);
    all.push(...(answer.body.data as readonly Body[]));
    after = (answer.body.pagination.after as string | undefined) ?? '';
  } while (after !== '');
  return all;
}

/** No acknowledged write is lost, and nothing was created twice. */
function compareToken(client: Client, token: KnownToken, found: readonly Body[]): Found {
  const { mark, id, exists } = token;
  if (found.length > 1) return [`${mark} was created ${String(found.length)} times`];
  const [only] = found;
  const expected = presence(client, token);
  if (only === undefined) return expected === 'yes' ? [`${mark} (${String(id)}) is lost`] : [];
  if (expected === 'no') return [`${mark} is ${exists === 'no' ? 'deleted' : 'expired'}, and is there`];
  if (id !== undefined && only.id !== id) return [`${mark} was answered as ${id}, and is ${String(only.id)}`];
  return token.data.sees(only.data as string)
    ? []
    : [`${mark} is ${String(only.data)}, not ${token.data.possible().join(' or ')}`];
}

function tokensAreThere({ clients }: Cast, listed: readonly Body[]): Found {
  const byMark = Map.groupBy(
    listed.filter(({ data }) => typeof data === 'string'),
    ({ data }) => (data as string).split('#')[0] ?? '',
  );
  const known = clients.flatMap((client) => client.tokens.map((token) => ({ client, token })));
  const marks = new Set(known.map(({ token }) => token.mark));
  const strange = [...byMark.keys()].filter((mark) => !marks.has(mark) && !mark.includes('duplicate'));
  return [
    ...strange.map((mark) => `no client created ${mark}`),
    ...known.flatMap(({ client, token }) => compareToken(client, token, byMark.get(token.mark) ?? [])),
  ];
}

/** A request that makes several tokens makes all of them or none. */
function groupsAreWhole({ clients }: Cast, listed: readonly Body[]): Found {
  const there = new Set(listed.map(({ data }) => String(data).split('#')[0]));
  const grouped = clients
    .flatMap(({ tokens }) => tokens)
    .filter(({ group, settledAt }) => group !== undefined && settledAt === Infinity);
  return [...Map.groupBy(grouped, ({ group }) => group).values()]
    .filter((group) => !group.some(({ exists }) => exists === 'no'))
    .filter((group) => new Set(group.map(({ mark }) => there.has(mark))).size > 1)
    .map((group) => `of one request exist only some of ${group.map(({ mark }) => mark).join()}`);
}

function duplicatesAreOne({ target, shared }: Cast, listed: readonly Body[]): Found {
  const answered = [...shared.duplicateIds].filter(([, ids]) => ids.size > 1);
  const stored = target.duplicates.filter((data) => listed.filter((token) => token.data === data).length > 1);
  return [
    ...answered.map(([data, ids]) => `${data} was answered as ${[...ids].join(' and ')}`),
    ...stored.map((data) => `${data} is there more than once`),
  ];
}

/** An id names one token for ever. */
const namesAreOfOne = ({ shared }: Cast): Found =>
  [...shared.named]
    .filter(([, times]) => times > 1)
    .map(([id, times]) => `${id} was created ${String(times)} times`);

function membersAreRight({ target, shared }: Cast, listed: readonly Body[]): Found {
  const data = (listed.find(({ id }) => id === target.sharedId)?.data ?? {}) as Record<string, number>;
  return [...shared.members]
    .filter(([name, member]) => !member.sees(data[name] ?? 0))
    .map(
      ([name, member]) =>
        `the member of ${name} is ${String(data[name])}, not ${member.possible().join(' or ')}`,
    );
}

/** When nothing changes any more, indexes have what exists, and nothing else. */
async function indexesAreRight({ service, target, clients }: Cast, listed: readonly Body[]): Promise<Found> {
  const problems: string[] = [];
  const marks = clients.flatMap(({ tokens }) => tokens).filter(({ isIndexed }) => isIndexed);
  for (const { mark } of marks.slice(0, 8)) {
    const expected = listed
      .filter(({ data }) => String(data).split('#')[0] === mark)
      .map(({ id }) => id as string);
    const answer = await service.request('judge', {
      method: 'POST',
      path: '/tokens/search',
      key: target.privateKey,
      body: { query: `metadata.mark:"${mark}"` },
    });
    const found = ((answer?.body.data ?? []) as readonly Body[]).map(({ id }) => id as string);
    if (found.join() !== expected.join())
      problems.push(
        `a search for ${mark} finds ${found.join() || 'nothing'}, not ${expected.join() || 'nothing'}`,
      );
  }
  return problems;
}

/** Applications are there once, and their keys do what they may. */
async function applicationsAreRight(cast: Cast): Promise<Found> {
  const { service, target, clients } = cast;
  const listed = await walk(cast, target.managementKey, '/applications');
  const problems: string[] = [];
  for (const { name, id, key, exists, permissions } of clients.flatMap(({ applications }) => applications)) {
    const found = listed.filter((each) => each.name === name);
    if (found.length > 1) problems.push(`${name} was created ${String(found.length)} times`);
    if (exists === 'yes' && found[0]?.id !== id) problems.push(`${name} is lost`);
    if (exists === 'no' && found.length > 0) problems.push(`${name} is deleted, and is there`);
    const stored = found[0]?.permissions?.[0] as string | undefined;
    if (exists === 'yes' && stored !== undefined && !permissions.sees(stored))
      problems.push(`${name} may ${stored}, not ${permissions.possible().join(' or ')}`);
    if (key === undefined || exists === 'maybe') continue;
    // Each request reads one of several copies of a credential.
    for (let uses = 0; uses < 6; uses += 1) {
      const request = { method: 'DELETE', path: '/tokens/no-such-token', key };
      const expected = exists === 'no' ? 401 : stored === 'token:delete' ? 404 : 403;
      const answer = await service.request('judge', request);
      if (answer?.status !== expected)
        problems.push(
          `the key of ${name} (${String(stored)}) gives ${String(answer?.status)}, not ${String(expected)}`,
        );
    }
  }
  return problems;
}

/**
 * Every answer has a record, which names every token in it; every token has one of its creation.
 */
function recordsAreComplete(
  answered: readonly Answered[],
  records: readonly Body[],
  listed: readonly Body[],
): Found {
  const byTrace = Map.groupBy(records, (record) => record.trace_id as string);
  const namedIn = (of: readonly Body[]) =>
    of.flatMap(
      (record) => (record.tokens ?? []) as readonly { readonly id: string; readonly form: string }[],
    );
  const missing = answered.flatMap(({ label, trace, status, ids, isForeign }) => {
    // A request that failed has shown nothing, and one without a known caller is not of this trail.
    if (isForeign || status >= 500 || status === 401) return [];
    const found = byTrace.get(trace);
    if (found === undefined) return [`${label} (${trace}) answered ${String(status)} without a record`];
    const named = new Set(namedIn(found).map(({ id }) => id));
    return ids.filter((id) => !named.has(id)).map((id) => `${label} (${trace}): no record names ${id}`);
  });
  const created = new Set(
    namedIn(records)
      .filter(({ form }) => form === 'create')
      .map(({ id }) => id),
  );
  const uncreated = listed.filter(({ id }) => !created.has(id as string));
  return [...missing, ...uncreated.map(({ id }) => `no record says that ${String(id)} was created`)];
}

/** All is sealed, and the trail and its indexes verify. */
async function trailIsIntact({ service, isVerified }: Cast): Promise<Found> {
  if (!isVerified) return [];
  const problems: string[] = [];
  let next: object | null = {};
  while (next !== null) {
    const found = (await service.invoke('operator', {
      command: 'verify-audit',
      index: true,
      ...next,
    })) as Body;
    if (found.intact !== true) problems.push(`the trail does not verify: ${JSON.stringify(found)}`);
    next = found.next as object | null;
  }
  return problems;
}

/** The bytes of an item, as text in which an ASCII text of an attribute is found. */
function bytesOf(value: unknown): string {
  if (typeof value !== 'object' || value === null) return String(value);
  return Object.entries(value)
    .map(([name, part]) =>
      name === 'B' && typeof part === 'string'
        ? Buffer.from(part, 'base64').toString('latin1')
        : `${name} ${bytesOf(part)}`,
    )
    .join('\n');
}

function nothingIsReadable({ service, findings }: Cast, items: readonly StoredItem[]): Found {
  const secrets = [PLAINTEXT, ...findings.credentials];
  const stored = items.map(({ table, item }) => ({ where: table, text: bytesOf(item) }));
  const logged = service.lines.map((text) => ({ where: 'the log', text }));
  return [...stored, ...logged].flatMap(({ where, text }) =>
    secrets
      .filter((secret) => text.includes(secret))
      .map((secret) => `${where} has ${secret}: ${text.slice(0, 300)}`),
  );
}

const textOf = (item: Item, name: string): string => item[name]?.S ?? '';

/** What is due was done: the index of due work is empty of what is past. */
function nothingIsDue({ world }: Cast, items: readonly StoredItem[]): Found {
  // A sweep has begun since.
  const before = Math.floor(world.now() - 60_000)
    .toString(36)
    .padStart(9, '0');
  return items
    .filter(({ item }) => textOf(item, 'dueSk') !== '' && textOf(item, 'dueSk').slice(0, 9) < before)
    .map(({ table, item }) => `${table} ${textOf(item, 'pk')} ${textOf(item, 'sk')} is still due`);
}

/**
 * A deleted or expired token leaves nothing but, at most, one item that remembers its id. What
 * belongs to a token is found by its id in the bytes of an item.
 */
function goneLeavesNothing({ clients }: Cast, items: readonly StoredItem[], listed: readonly Body[]): Found {
  const there = new Set(listed.map(({ id }) => id as string));
  const gone = clients
    .flatMap(({ tokens }) => tokens)
    .flatMap(({ id, mark }) => (id !== undefined && !there.has(id) ? [{ id, mark }] : []));
  const stored = items
    .filter(({ table }) => table === 'Tokens' || table === 'Ephemeral')
    .map(({ table, item }) => ({ table, item, text: bytesOf(item) }));
  return gone.flatMap(({ id, mark }) => {
    const left = stored.filter(({ text }) => text.includes(id));
    const isMemory =
      left.length === 1 && left[0]?.table === 'Tokens' && textOf(left[0].item, 'pk').endsWith(`#${id}`);
    return left.length === 0 || isMemory
      ? []
      : [
          `${mark} is gone and has left ${left.map(({ table, item }) => `${table} ${textOf(item, 'pk')} ${textOf(item, 'sk')}`).join(', ')}`,
        ];
  });
}

type Job = Cast['shared']['jobs'] extends Map<string, infer T> ? T : never;

const deliveriesOf = ({ internet }: Cast, { id }: Job) =>
  internet.arrivals.filter(({ headers }) => id !== undefined && headers['webhook-id'] === id);

/** Whether an invocation that was accepted has ended in a delivery. */
export const isDelivered = (cast: Cast, job: Job): boolean =>
  job.id === undefined || deliveriesOf(cast, job).some(({ isAccepted }) => isAccepted);

/** How long a receiver accepts a signature, in ms (Standard Webhooks). */
const SIGNED_WITHIN_MS = 300_000;

/** No code runs twice, and what was accepted ends in one result, which is delivered and signed. */
async function jobsEnd(cast: Cast): Promise<Found> {
  const { shared, target, service } = cast;
  const problems: string[] = [];
  for (const [name, values] of shared.runs) {
    const job = shared.jobs.get(name);
    if (job === undefined) problems.push(`no client invoked ${name}, which ran`);
    else if (values.length > 1) problems.push(`${name} ran ${String(values.length)} times`);
    else if (!String(values[0]).startsWith(`${job.token.mark}#`))
      problems.push(`${name} ran with ${String(values[0])}`);
  }
  for (const job of shared.jobs.values()) {
    if (job.id === undefined) continue;
    const arrivals = deliveriesOf(cast, job);
    if (!isDelivered(cast, job)) problems.push(`${job.name} was accepted, and not delivered`);
    const unsigned = arrivals.filter((arrival) => !isSigned(arrival, target.webhookSecret, SIGNED_WITHIN_MS));
    if (unsigned.length > 0) problems.push(`${job.name} was delivered without a signature`);
    // A result ends with its token. A later attempt says so instead.
    const isOver = ({ body }: { readonly body: string }) =>
      job.token.expiresAt !== Infinity && (JSON.parse(body) as { readonly status?: number }).status === 409;
    const current = arrivals.filter((arrival) => !isOver(arrival));
    if (current.length === 0) continue;
    const bodies = new Set(current.map(({ body }) => body));
    if (bodies.size !== 1) problems.push(`${job.name} was delivered with ${String(bodies.size)} results`);
    const [body = '{}'] = bodies;
    const { raw, status } = JSON.parse(body) as {
      readonly raw?: { readonly job: string };
      readonly status?: number;
    };
    if (raw !== undefined && raw.job !== job.name) problems.push(`${job.name} was delivered as ${body}`);
    if (raw !== undefined && shared.runs.get(job.name)?.length !== 1)
      problems.push(`${job.name} did not run, and has a result`);
    if (raw === undefined && status === undefined) problems.push(`${job.name} was delivered as ${body}`);
    const path = `/reactors/${target.reactorId}/results/${job.id}`;
    const answer = await service.request('judge', { method: 'GET', path, key: target.privateKey });
    const state = answer?.body.status as string | undefined;
    if (state !== 'succeeded' && state !== 'failed')
      problems.push(`${job.name} has not ended: ${String(answer?.status)} ${String(state)}`);
  }
  return problems;
}

/** What left the service was recorded before it left. */
function departuresAreRecorded({ internet }: Cast, records: readonly Body[]): Found {
  const sent = new Set(
    records
      .filter((record) => record.destination_host !== undefined)
      .map((record) => record.trace_id as string),
  );
  return internet.arrivals
    .filter(({ host }) => host === 'echo.example')
    .filter(({ headers }) => !sent.has(headers['svc-trace-id'] ?? ''))
    .map(({ headers }) => `a request left without a record: ${String(headers['svc-trace-id'])}`);
}

/** Adds what is wrong at the end of a run to its findings. */
export async function judge(cast: Cast): Promise<void> {
  const { account, target, findings } = cast;
  const listed = await walk(cast, target.privateKey, '/tokens');
  const records = await walk(cast, target.managementKey, '/logs');
  const items = await account.items();
  const found: Readonly<Record<string, Found>> = {
    tokens: tokensAreThere(cast, listed),
    groups: groupsAreWhole(cast, listed),
    duplicates: duplicatesAreOne(cast, listed),
    names: namesAreOfOne(cast),
    members: membersAreRight(cast, listed),
    indexes: await indexesAreRight(cast, listed),
    applications: await applicationsAreRight(cast),
    records: recordsAreComplete(findings.answered, records, listed),
    trail: await trailIsIntact(cast),
    departures: departuresAreRecorded(cast, records),
    jobs: await jobsEnd(cast),
    plaintext: nothingIsReadable(cast, items),
    due: nothingIsDue(cast, items),
    gone: goneLeavesNothing(cast, items, listed),
  };
  for (const [name, texts] of Object.entries(found))
    for (const text of texts) {
      findings.problems.push({ judge: name, text });
      cast.world.happened('judge', `BROKEN (${name}): ${text}`);
    }
}
