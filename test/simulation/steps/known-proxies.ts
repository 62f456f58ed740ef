import {
  PLAINTEXT,
  PROXIED,
  type Client,
  type KnownProxy,
  type KnownProxyKey,
  type ProxyCall,
} from '../client.ts';
import type { Answer } from '../service.ts';
import { createRegister } from '../register.ts';
import { untilDone } from './known-tokens.ts';
import { management, type Body } from './step.ts';

/** A definition has its mark in each place, so that a call shows which version it ran. */
export const definitionOf = (mark: string) => ({
  name: mark,
  destination_url: `https://${PROXIED}/base`,
  request_transforms: [
    { type: 'append_header', name: 'X-Mark', value: mark },
    { type: 'append_header', name: 'Authorization', value: 'Bearer {{ configuration.SECRET }}' },
    { type: 'append_json', location: '$.mark', value: mark },
  ],
  response_transforms: [{ type: 'append_header', name: 'X-Answered', value: mark }],
});

/** The mark of the next definition. All marks of a proxy begin with its name. */
export function nextMark(proxy: KnownProxy): string {
  proxy.revision += 1;
  return `${proxy.name} r${String(proxy.revision)}`;
}

export const secretOf = (mark: string) => `${PLAINTEXT}secret of ${mark}`;

export const pathOf = ({ id }: Pick<KnownProxy, 'id'>) => `/proxies/${id}`;

/** A new proxy has one key, which only its creation shows. */
export async function createOne(client: Client): Promise<KnownProxy | undefined> {
  const { draws, world, shared } = client;
  const name = `${PLAINTEXT}proxy ${draws.uuid()}`;
  const mark = `${name} r0`;
  const body = { ...definitionOf(mark), configuration: { SECRET: secretOf(mark) } };
  const headers = { 'svc-idempotency-key': draws.uuid() };
  const request = { ...management(client, 'POST', '/proxies', body), headers };
  shared.proxyNames.add(name);
  const created = await untilDone(client, 'create proxy', 201, request);
  if (created === undefined) return undefined;
  const { id, key: text } = created as { readonly id: string; readonly key: string };
  const proxy: KnownProxy = {
    name,
    id,
    exists: 'yes',
    revision: 0,
    marks: createRegister(mark, world.now),
    secrets: createRegister(secretOf(mark), world.now),
    keys: [{ id: undefined, text, deletedAt: undefined, isDeleting: false }],
    versions: new Map(),
  };
  client.proxies.push(proxy);
  seesProxy(client, 'create proxy', proxy, created);
  return proxy;
}

/** A proxy of the client, which makes one if it has none. */
export async function someProxy(client: Client): Promise<KnownProxy | undefined> {
  const there = client.proxies.filter(({ exists }) => exists !== 'no');
  return there.length === 0 ? createOne(client) : client.draws.pick(there);
}

/** A key that was not deleted, nor asked to be. */
export const aKey = ({ keys }: KnownProxy): KnownProxyKey | undefined =>
  keys.find(({ deletedAt, isDeleting }) => deletedAt === undefined && !isDeleting);

/** A proxy that is not found must not be certainly there. */
export function isProxyGone(client: Client, label: string, proxy: KnownProxy): void {
  if (proxy.exists === 'yes') client.problem('lost', `${label}: ${proxy.name} is not found, and is there`);
  proxy.exists = 'no';
}

/** An answer shows a proxy: the version has a number of its own, and the mark of its change. */
export function seesProxy(client: Client, label: string, proxy: KnownProxy, body: Body): void {
  const { name, version } = body as { readonly name: string; readonly version: number };
  const known = proxy.versions.get(version);
  if (known !== undefined && known !== name)
    client.problem('model', `${label}: version ${String(version)} of ${proxy.name} is ${known} and ${name}`);
  proxy.versions.set(version, name);
}

/** The answer to a call is whole: one version made it, and no secret is in it. */
function isWhole(client: Client, proxy: KnownProxy, call: ProxyCall, answer: Answer): void {
  const { mark, authorization } = answer.body as { readonly mark: string; readonly authorization: string };
  const answered = answer.headers['x-answered'];
  if (answered !== mark)
    client.problem('proxies', `a call of ${proxy.name} ran ${mark} and ${String(answered)}`);
  if (authorization !== 'Bearer [removed]')
    client.problem('proxies', `${call.id} of ${proxy.name} shows ${authorization}`);
  const shown = proxy.secrets.acknowledged().filter((secret) => JSON.stringify(answer.body).includes(secret));
  if (shown.length > 0) client.problem('proxies', `${call.id} of ${proxy.name} shows ${shown.join()}`);
}

/** A call that begins now. */
export function beginCall(
  { world, draws, shared }: Client,
  proxy: KnownProxy,
  key: KnownProxyKey,
): ProxyCall {
  const id = `call-${draws.uuid()}`;
  const call = { id, proxy, key, startedAt: world.now(), isDone: false };
  shared.proxyCalls.set(id, call);
  return call;
}

/**
 * Calls a proxy by one of its keys. What arrived is judged at the end
 * (`judges/proxies.ts`), what is answered here.
 */
export async function callBy(client: Client, proxy: KnownProxy, key: KnownProxyKey): Promise<void> {
  const { draws, target, areCallsFaulty } = client;
  const call = beginCall(client, proxy, key);
  // A destination that returns a former secret shows that it is still removed.
  const former = draws.chance(0.3) ? draws.pick(proxy.secrets.acknowledged()) : 'none';
  const isDeleted = key.deletedAt !== undefined || proxy.exists === 'no';
  const good = isDeleted ? [401] : areCallsFaulty ? [200, 401, 500, 502] : [200, 401];
  const answer = await client.send(isDeleted ? 'call by a deleted key' : 'call proxy', good, {
    method: 'POST',
    path: `/proxy/${call.id}`,
    key: target.privateKey,
    headers: { 'svc-proxy-key': key.text },
    body: { former },
  });
  if (answer?.status === 401 && proxy.exists === 'yes' && !isDeleted && !key.isDeleting)
    client.problem('lost', `a key of ${proxy.name} is refused, and is there`);
  const isDestination = answer?.headers['svc-proxy-destination-status'] !== undefined;
  if (answer?.status === 500 && !isDestination && !client.mayDie)
    client.problem('answers', `proxy gave 500 ${JSON.stringify(answer.body)}`);
  if (answer?.status !== 200) return;
  call.isDone = true;
  isWhole(client, proxy, call, answer);
}

/** Adds a key, which works from now on. */
export async function addProxyKey(client: Client, proxy: KnownProxy): Promise<KnownProxyKey | undefined> {
  const request = management(client, 'POST', `${pathOf(proxy)}/keys`, { name: 'next' });
  const answer = await client.send('create key of proxy', [201, 404, 409], request);
  if (answer?.status === 404) isProxyGone(client, 'create key', proxy);
  if (answer?.status !== 201) return undefined;
  const { id, key: text } = answer.body as { readonly id: string; readonly key: string };
  const key: KnownProxyKey = { id, text, deletedAt: undefined, isDeleting: false };
  proxy.keys.push(key);
  return key;
}

/** Deletes a key, which works until the answer arrives. */
export async function deleteProxyKey(client: Client, proxy: KnownProxy, key: KnownProxyKey): Promise<void> {
  const wasSure = proxy.exists === 'yes' && !key.isDeleting;
  key.isDeleting = true;
  const request = management(client, 'DELETE', `${pathOf(proxy)}/keys/${key.id}`);
  const answer = await client.send('delete key of proxy', [204, 404], request);
  if (answer === undefined) return;
  if (answer.status === 404 && wasSure)
    client.problem('lost', `delete key: one of ${proxy.name} is not found, and was there`);
  key.deletedAt = client.world.now();
}
