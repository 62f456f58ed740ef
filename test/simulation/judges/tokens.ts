import { presence, type Client, type KnownToken } from '../client.ts';
import type { Cast } from '../run.ts';
import type { Body, Found } from './found.ts';

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

export function tokensAreThere({ clients }: Cast, listed: readonly Body[]): Found {
  const byMark = Map.groupBy(
    listed.filter(({ data }) => typeof data === 'string'),
    ({ data }) => (data as string).split('#')[0] ?? '',
  );
  const known = clients.flatMap((client) =>
    client.tokens.filter(({ isApart }) => !isApart).map((token) => ({ client, token })),
  );
  const marks = new Set(known.map(({ token }) => token.mark));
  const strange = [...byMark.keys()].filter((mark) => !marks.has(mark) && !mark.includes('duplicate'));
  return [
    ...strange.map((mark) => `no client created ${mark}`),
    ...known.flatMap(({ client, token }) => compareToken(client, token, byMark.get(token.mark) ?? [])),
  ];
}

/** A request that makes several tokens makes all of them or none. */
export function groupsAreWhole({ clients }: Cast, listed: readonly Body[]): Found {
  const there = new Set(listed.map(({ data }) => String(data).split('#')[0]));
  const grouped = clients
    .flatMap(({ tokens }) => tokens)
    .filter(({ group, settledAt }) => group !== undefined && settledAt === Infinity);
  return [...Map.groupBy(grouped, ({ group }) => group).values()]
    .filter((group) => !group.some(({ exists }) => exists === 'no'))
    .filter((group) => new Set(group.map(({ mark }) => there.has(mark))).size > 1)
    .map((group) => `of one request exist only some of ${group.map(({ mark }) => mark).join()}`);
}

export function duplicatesAreOne({ target, shared }: Cast, listed: readonly Body[]): Found {
  const answered = [...shared.duplicateIds].filter(([, ids]) => ids.size > 1);
  const stored = target.duplicates.filter((data) => listed.filter((token) => token.data === data).length > 1);
  return [
    ...answered.map(([data, ids]) => `${data} was answered as ${[...ids].join(' and ')}`),
    ...stored.map((data) => `${data} is there more than once`),
  ];
}

/** An id names one token for ever. */
export const namesAreOfOne = ({ shared }: Cast): Found =>
  [...shared.named]
    .filter(([, times]) => times > 1)
    .map(([id, times]) => `${id} was created ${String(times)} times`);

export function membersAreRight({ target, shared }: Cast, listed: readonly Body[]): Found {
  const data = (listed.find(({ id }) => id === target.sharedId)?.data ?? {}) as Record<string, number>;
  return [...shared.members]
    .filter(([name, member]) => !member.sees(data[name] ?? 0))
    .map(
      ([name, member]) =>
        `the member of ${name} is ${String(data[name])}, not ${member.possible().join(' or ')}`,
    );
}

/** How many marks are searched for. */
const SEARCHED = 8;

/** When nothing changes any more, indexes have what exists, and nothing else. */
export async function indexesAreRight(
  { service, target, clients }: Cast,
  listed: readonly Body[],
): Promise<Found> {
  const problems: string[] = [];
  const marks = clients.flatMap(({ tokens }) => tokens).filter(({ isIndexed }) => isIndexed);
  // Some of all clients, and of all kinds of requests, which come one after the other.
  const every = Math.ceil(marks.length / SEARCHED);
  for (const { mark } of marks.filter((_, index) => index % every === every - 1)) {
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
