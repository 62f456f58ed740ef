import type { Client, KnownProxy } from '../client.ts';
import {
  addProxyKey,
  aKey,
  callBy,
  createOne,
  definitionOf,
  deleteProxyKey,
  isProxyGone,
  nextMark,
  pathOf,
  secretOf,
  seesProxy,
  someProxy,
} from './known-proxies.ts';
import { management, type Body, type Step } from './step.ts';

/** Two creations at once are both counted. */
export const createProxy: Step = async (client) => {
  await Promise.all(client.draws.chance(0.3) ? [createOne(client), createOne(client)] : [createOne(client)]);
};

async function use(client: Client, proxy: KnownProxy): Promise<void> {
  const key = aKey(proxy);
  if (key !== undefined) await callBy(client, proxy, key);
}

/** Sends a change of the definition, or of the secret, or of both. */
async function sendChange(client: Client, proxy: KnownProxy): Promise<void> {
  const { draws } = client;
  const mark = nextMark(proxy);
  const isOfSecret = draws.chance(0.4);
  const configuration = isOfSecret ? { configuration: { SECRET: secretOf(mark) } } : {};
  const method = draws.pick(['PATCH', 'PUT']);
  const request = management(client, method, pathOf(proxy), { ...definitionOf(mark), ...configuration });
  const changes = [proxy.marks.request(mark), ...(isOfSecret ? [proxy.secrets.request(secretOf(mark))] : [])];
  const answer = await client.send('change proxy', [200, 404], request);
  for (const change of changes)
    if (answer?.status === 200) change.done();
    else if (answer?.status === 404) change.refused();
    else change.failed();
  if (answer?.status === 404) isProxyGone(client, 'change proxy', proxy);
  if (answer?.status !== 200) return;
  seesProxy(client, 'change proxy', proxy, answer.body);
  if ((answer.body.name as string) !== mark)
    client.problem('model', `change of ${proxy.name} to ${mark} gave ${String(answer.body.name)}`);
}

/** A change is in effect from its answer on. */
export const changeProxy: Step = async (client) => {
  const proxy = await someProxy(client);
  if (!proxy) return;
  await sendChange(client, proxy);
  await use(client, proxy);
};

/** The first version of a proxy is deleted by the last of so many changes. */
const MANY = 21;

/** The oldest versions of a proxy are deleted, and the last ones stay. */
export const outliveVersions: Step = async (client) => {
  if (!client.draws.chance(client.areCallsFaulty ? 0.05 : 0.15)) return;
  const proxy = await createOne(client);
  for (let changes = 0; changes < MANY && proxy?.exists === 'yes'; changes += 1)
    await sendChange(client, proxy);
};

/** Changes of one proxy at once lose none, and calls meanwhile run one version whole. */
export const changeProxyAtOnce: Step = async (client) => {
  const proxy = await someProxy(client);
  if (!proxy) return;
  const { draws } = client;
  const works = [
    () => sendChange(client, proxy),
    () => sendChange(client, proxy),
    () => addProxyKey(client, proxy),
    () => use(client, proxy),
  ];
  await Promise.all(works.filter(() => draws.chance(0.7)).map((work) => work()));
  await use(client, proxy);
};

/** The versions that were acknowledged are there, and one of them becomes the newest again. */
export const revertProxy: Step = async (client) => {
  const proxy = await someProxy(client);
  if (!proxy) return;
  const listed = await client.send(
    'list versions',
    [200, 404],
    management(client, 'GET', `${pathOf(proxy)}/versions`),
  );
  if (listed?.status === 404) isProxyGone(client, 'list versions', proxy);
  if (listed?.status !== 200) return;
  const versions = listed.body as readonly Body[];
  const { version, name: mark } = client.draws.pick(versions) as { version: number; name: string };
  const change = proxy.marks.request(mark);
  const request = management(client, 'POST', `${pathOf(proxy)}/revert`, { version });
  const answer = await client.send('revert proxy', [200, 404, 409], request);
  if (answer?.status === 200) change.done();
  else if (answer?.status === 404) change.refused();
  else change.failed();
  if (answer?.status === 404) isProxyGone(client, 'revert proxy', proxy);
  if (answer?.status !== 200) return;
  seesProxy(client, 'revert proxy', proxy, answer.body);
  if ((answer.body.name as string) !== mark)
    client.problem('model', `revert of ${proxy.name} to ${mark} gave ${String(answer.body.name)}`);
  await use(client, proxy);
};

/** A key works from its creation until its deletion is answered. */
export const rotateProxyKey: Step = async (client) => {
  const proxy = await someProxy(client);
  if (!proxy) return;
  const old = proxy.keys.find(({ id, deletedAt }) => id !== undefined && deletedAt === undefined);
  const made = await addProxyKey(client, proxy);
  if (made !== undefined) await callBy(client, proxy, made);
  const leaving = old ?? made;
  if (leaving === undefined) return;
  await deleteProxyKey(client, proxy, leaving);
  if (leaving.deletedAt !== undefined) await callBy(client, proxy, leaving);
};

export const callProxy: Step = async (client) => {
  const proxy = await someProxy(client);
  if (proxy) await use(client, proxy);
};

/** No key of a deleted proxy admits a call, and a change at the same time leaves nothing. */
export const deleteProxy: Step = async (client) => {
  const proxy = await someProxy(client);
  if (!proxy) return;
  const wasThere = proxy.exists === 'yes';
  proxy.exists = 'maybe';
  const request = management(client, 'DELETE', pathOf(proxy));
  const [answer] = await Promise.all([
    client.send('delete proxy', [204, 404], request),
    ...(client.draws.chance(0.5) ? [sendChange(client, proxy)] : []),
  ]);
  if (answer === undefined) return;
  if (answer.status === 404 && wasThere)
    client.problem('lost', `delete: ${proxy.name} is not found, and was there`);
  proxy.exists = 'no';
  proxy.deletedAt = client.world.now();
  const [key] = proxy.keys;
  if (key !== undefined) await callBy(client, proxy, key);
};

/** A transform that fails sends nothing, and who may read the proxy finds it in the list. */
export const failTransform: Step = async (client) => {
  const proxy = await someProxy(client);
  const key = proxy && aKey(proxy);
  if (proxy?.exists !== 'yes' || key === undefined) return;
  const trace = `failure-${client.draws.uuid()}`;
  const failed = await client.send('fail in a transform', [400, 401], {
    method: 'POST',
    path: '/proxy/fails',
    key: client.target.privateKey,
    headers: { 'svc-proxy-key': key.text, 'svc-trace-id': trace },
    // No JSON object, so that `append_json` finds no place.
    body: 'a text',
  });
  if (failed?.status === 401) client.problem('lost', `a key of ${proxy.name} is refused, and is there`);
  const path = `${pathOf(proxy)}/failures`;
  const listed = await client.send('list failures', [200], management(client, 'GET', path));
  if (failed?.status !== 400 || !listed) return;
  const found = (listed.body.data as readonly Body[]).find((each) => each.trace_id === trace);
  // A failure that could not be stored is no other failure of the call.
  if (found === undefined && !client.areCallsFaulty)
    client.problem('proxies', `the failure ${trace} of ${proxy.name} is not listed`);
  if (found !== undefined && (found.side !== 'request' || found.type !== 'append_json'))
    client.problem('proxies', `the failure ${trace} is listed as ${JSON.stringify(found)}`);
};
