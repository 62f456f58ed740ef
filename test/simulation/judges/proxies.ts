import { PROXIED, type Client, type KnownProxy, type ProxyCall } from '../client.ts';
import type { StoredItem } from '../account.ts';
import type { Arrival } from '../models/internet-model.ts';
import type { Cast } from '../run.ts';
import { walk, type Body, type Found } from './found.ts';
import { bytesOf } from './stored.ts';

const callOf = (cast: Cast, { path }: Arrival): ProxyCall | undefined =>
  cast.shared.proxyCalls.get(path.slice(path.lastIndexOf('/') + 1));

/** A request that arrived belongs to a version, a secret and a key of the time of its call. */
function compareArrival({ proxy, key, startedAt, id }: ProxyCall, { headers, body, at }: Arrival): Found {
  const mark = headers['x-mark'] ?? '';
  const secret = (headers['authorization'] ?? '').replace('Bearer ', '');
  const { mark: inBody } = JSON.parse(body) as { readonly mark: string };
  const marks = proxy.marks.possible(startedAt, at);
  const deletedAt = Math.min(key.deletedAt ?? Infinity, proxy.deletedAt ?? Infinity);
  return [
    ...(mark === inBody ? [] : [`${id} arrived with ${mark} and ${inBody}`]),
    ...(marks.includes(mark) ? [] : [`${id} arrived with ${mark}, not ${marks.join(' or ')}`]),
    ...(proxy.secrets.possible(startedAt, at).includes(secret)
      ? []
      : [`${id} arrived with ${secret}, which was replaced before it began`]),
    ...(deletedAt > startedAt ? [] : [`${id} arrived by a key that was deleted before it began`]),
  ];
}

/** Every call that was done arrived once, and whatever arrived was called for. */
export function callsAreOfTheirTime(cast: Cast, arrivals: readonly Arrival[]): Found {
  const ofProxies = arrivals.filter(({ host }) => host === PROXIED);
  const compared = ofProxies.flatMap((arrival) => {
    const call = callOf(cast, arrival);
    return call === undefined ? [`no client called ${arrival.path}`] : compareArrival(call, arrival);
  });
  const byCall = Map.groupBy(ofProxies, (arrival) => callOf(cast, arrival)?.id);
  const counted = [...cast.shared.proxyCalls.values()].flatMap(({ id, isDone }) => {
    const times = byCall.get(id)?.length ?? 0;
    return times > 1 || (isDone && times === 0) ? [`${id} arrived ${String(times)} times`] : [];
  });
  return [...compared, ...counted];
}

/** A proxy has so many versions: older ones are deleted (docs/contract.md). */
const VERSIONS = 20;

/** The versions that were acknowledged are listed, and the newest is the proxy. */
function compareVersions(proxy: KnownProxy, current: Body, listed: readonly Body[]): Found {
  const marks = new Map(listed.map(({ version, name }) => [version as number, name as string]));
  const newest = current.version as number;
  const wanted = [...proxy.versions, [newest, current.name as string] as const];
  const tooMany = listed.length > VERSIONS ? [`${proxy.name} has ${String(listed.length)} versions`] : [];
  const different = wanted
    .filter(([version]) => version > newest - VERSIONS)
    .filter(([version, mark]) => marks.get(version) !== mark)
    .map(
      ([version, mark]) =>
        `version ${String(version)} of ${proxy.name} is listed as ${String(marks.get(version))}, not ${mark}`,
    );
  return [...tooMany, ...different];
}

const lastKey = ({ keys }: KnownProxy) => keys.findLast(({ isDeleting }) => !isDeleting);

/** The keys that were acknowledged are listed, and none that was deleted. */
function compareKeys(proxy: KnownProxy, listed: readonly Body[]): Found {
  const hints = new Set(listed.map(({ hint }) => hint as string));
  return proxy.keys.flatMap(({ text, deletedAt, isDeleting }) => {
    const isThere = hints.has(text.slice(-4));
    if (deletedAt !== undefined && isThere) return [`a deleted key of ${proxy.name} is listed`];
    return isDeleting || isThere ? [] : [`a key of ${proxy.name} is lost`];
  });
}

/** A use that could not be noted is not known. */
function compareUse(proxy: KnownProxy, isSure: boolean, listed: readonly Body[]): Found {
  const used = lastKey(proxy);
  if (!isSure || used === undefined) return [];
  const isNoted = listed.some(
    ({ hint, last_used_on: day }) => hint === used.text.slice(-4) && day !== undefined,
  );
  return isNoted ? [] : [`a key of ${proxy.name} was used, and no use is known`];
}

/** A key of a proxy admits calls, and none that was deleted does. */
async function tryKeys({ service, target }: Cast, proxy: KnownProxy, isThere: boolean): Promise<Found> {
  const problems: string[] = [];
  const deleted = proxy.keys.findLast(({ deletedAt }) => deletedAt !== undefined || !isThere);
  const live = isThere ? lastKey(proxy) : undefined;
  for (const [key, expected] of [
    [deleted, 401],
    [live, 200],
  ] as const) {
    if (key === undefined) continue;
    const request = { method: 'POST', path: '/proxy/judge', key: target.privateKey, body: {} };
    const answer = await service.request('judge', { ...request, headers: { 'svc-proxy-key': key.text } });
    if (answer?.status !== expected)
      problems.push(`a key of ${proxy.name} gives ${String(answer?.status)}, not ${String(expected)}`);
  }
  return problems;
}

async function read({ service, target }: Cast, path: string): Promise<readonly Body[]> {
  const answer = await service.request('judge', { method: 'GET', path, key: target.managementKey });
  return (answer?.body ?? []) as readonly Body[];
}

/** The versions, the keys and what calls by them meet. */
async function compareParts(
  cast: Cast,
  { areCallsFaulty }: Client,
  proxy: KnownProxy,
  found: Body,
): Promise<Found> {
  if (found === undefined) return proxy.exists === 'no' ? tryKeys(cast, proxy, false) : [];
  const path = `/proxies/${proxy.id}`;
  const tried = await tryKeys(cast, proxy, true);
  const keys = await read(cast, `${path}/keys`);
  return [
    ...compareVersions(proxy, found, await read(cast, `${path}/versions`)),
    ...tried,
    ...compareKeys(proxy, keys),
    ...compareUse(proxy, !areCallsFaulty, keys),
  ];
}

function compareProxy({ world }: Cast, { name, id, exists, marks }: KnownProxy, found: Body): Found {
  if (found === undefined) return exists === 'yes' ? [`${name} is lost`] : [];
  if (exists === 'no') return [`${name} is deleted, and is there`];
  const possible = marks.possible(world.now(), world.now());
  return [
    ...(found.id === id ? [] : [`${name} was answered as ${id}, and is ${String(found.id)}`]),
    ...(possible.includes(found.name as string)
      ? []
      : [`${name} is ${String(found.name)}, not ${possible.join(' or ')}`]),
  ];
}

/** How docs/storage.md names the items of proxies in the table Access. */
const textOf = ({ item }: StoredItem, name: string): string => item[name]?.S ?? '';

/** A deleted key is remembered, a deleted proxy leaves only that, and the proxies are counted. */
function compareStored({ target, clients }: Cast, items: readonly StoredItem[], count: number): Found {
  const access = items.filter(({ table }) => table === 'Access');
  const isMemory = (stored: StoredItem) =>
    stored.item['isRetired']?.BOOL === true || textOf(stored, 'sk').startsWith('retired#');
  const proxies = clients.flatMap((client) => client.proxies);
  const memories = access.filter(isMemory);
  const forgotten = proxies.flatMap(({ name, keys }) =>
    keys
      .filter(({ id, deletedAt }) => id !== undefined && deletedAt !== undefined)
      .filter(({ id }) => memories.filter((each) => bytesOf(each.item).includes(String(id))).length !== 2)
      .map(({ id }) => `the deleted key ${String(id)} of ${name} is not remembered`),
  );
  const left = proxies
    .filter(({ exists }) => exists === 'no')
    .flatMap(({ name, id }) =>
      access
        .filter((each) => !isMemory(each) && bytesOf(each.item).includes(id))
        .map((each) => `${name} is deleted and has left ${textOf(each, 'pk')} ${textOf(each, 'sk')}`),
    );
  const stored = access.find(
    (each) => textOf(each, 'pk') === target.tenantId && textOf(each, 'sk') === 'proxy-count',
  );
  const counted = Number(stored?.item['total']?.N ?? 0);
  return [
    ...forgotten,
    ...left,
    ...(counted === count ? [] : [`${String(count)} proxies are counted as ${String(counted)}`]),
  ];
}

/** How many proxies are compared with their versions and keys, in some of all clients. */
const COMPARED = 3;
/** How many proxies are searched by their names. */
const SEARCHED = 1;

/** A list that is filtered by the name has the newest one. */
async function findByName({ service, target }: Cast, listed: readonly Body[]): Promise<Found> {
  const problems: string[] = [];
  for (const { id, name } of listed.slice(-SEARCHED)) {
    const path = `/proxies?name=${encodeURIComponent(String(name))}`;
    const answer = await service.request('judge', { method: 'GET', path, key: target.managementKey });
    const found = ((answer?.body.data ?? []) as readonly Body[]).map((each) => each.id as string);
    if (!found.includes(id as string))
      problems.push(`a list of ${String(name)} has ${found.join() || 'nothing'}`);
  }
  return problems;
}

/** Proxies are there once, as they were changed last, with their versions and keys. */
export async function proxiesAreRight(cast: Cast, items: readonly StoredItem[]): Promise<Found> {
  const { shared, clients, target } = cast;
  const listed = await walk(cast, target.managementKey, '/proxies');
  const byName = Map.groupBy(listed, ({ name }) => String(name).replace(/ r\d+$/, ''));
  const problems = [...byName].flatMap(([name, found]) => [
    ...(shared.proxyNames.has(name) ? [] : [`no client created ${name}`]),
    ...(found.length > 1 ? [`${name} was created ${String(found.length)} times`] : []),
  ]);
  const known = clients.flatMap((client) => client.proxies.map((proxy) => ({ client, proxy })));
  const every = Math.ceil(known.length / COMPARED);
  for (const [index, { client, proxy }] of known.entries()) {
    const found = byName.get(proxy.name)?.[0];
    problems.push(...compareProxy(cast, proxy, found));
    if ((known.length - index) % every === 0)
      problems.push(...(await compareParts(cast, client, proxy, found)));
  }
  return [...problems, ...(await findByName(cast, listed)), ...compareStored(cast, items, listed.length)];
}
