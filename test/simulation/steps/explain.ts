import { presence, type Client, type KnownProxy, type KnownProxyKey } from '../client.ts';
import { aKey, beginCall, someProxy } from './known-proxies.ts';
import { untilDone } from './known-tokens.ts';
import { management, post, type Step } from './step.ts';

/** The destinations that a rule permits; absent for any. */
interface Through {
  readonly proxies?: readonly string[];
  readonly reactors?: readonly string[];
  readonly callbacks?: readonly string[];
}

/** A way that plaintext takes, as the body of explain has it; absent for the ephemeral proxy. */
type Way =
  | { readonly proxies: readonly [string] }
  | { readonly reactors: readonly [string]; readonly callback_url?: string };

/** A rule decides a use by its `through` alone (docs/contract.md#where-plaintext-may-go). */
function isPermitted(through: Through | undefined, way: Way | undefined): boolean {
  if (through === undefined) return true;
  if (way === undefined) return false;
  if ('proxies' in way) return through.proxies?.includes(way.proxies[0]) === true;
  const { callback_url: callback } = way;
  return (
    through.reactors?.includes(way.reactors[0]) === true &&
    (callback === undefined || through.callbacks?.includes(callback) === true)
  );
}

const HOOK = 'https://hooks.example/hook';

const bodyOf = (name: string, through: Through | undefined) => ({
  name,
  type: 'private',
  rules: [
    {
      priority: 1,
      container: '/',
      transform: 'reveal',
      permissions: ['token:use'],
      ...(through !== undefined && { through }),
    },
  ],
});

interface Explained {
  readonly id: string;
  readonly key: string;
}

/** The proxy that a way leads through, and a key of it. */
interface Called {
  readonly proxy: KnownProxy;
  readonly key: KnownProxyKey;
}

/** Sends the request that a question is about, with a token that is there. */
async function ask(client: Client, key: string, way: Way | undefined, called: Called) {
  const { draws, shared, target, areCallsFaulty } = client;
  const token = client.aToken();
  if (!token || presence(client, token) !== 'yes') return undefined;
  const value = `{{ ${token.id} }}`;
  const more = areCallsFaulty ? [400, 500, 502] : [400];
  if (way !== undefined && 'reactors' in way) {
    const name = `job-${draws.uuid()}`;
    const isUnsent = way.callback_url === undefined;
    shared.jobs.set(name, { name, token, isSure: false, isUnsent });
    const to = isUnsent ? { async: true } : { callback_url: way.callback_url };
    const path = `/reactors/${target.reactorId}/react`;
    const request = { ...post(client, path, { args: { job: name, value }, ...to }), key };
    return client.send('react through', [202, 403, ...more], request);
  }
  if (way === undefined) {
    const headers = { 'svc-proxy-url': 'https://echo.example/' };
    const request = { ...post(client, '/proxy', { value }), key, headers };
    return client.send('proxy without a way', [200, 403, ...more], request);
  }
  const call = beginCall(client, called.proxy, called.key);
  const headers = { 'svc-proxy-key': called.key.text };
  const request = { ...post(client, `/proxy/${call.id}`, { value }), key, headers };
  const answer = await client.send('proxy through', [200, 403, ...more], request);
  call.isDone = answer?.status === 200;
  return answer;
}

/** Explain says of a rule how it decides, and a request meets that. */
async function compare(
  client: Client,
  application: Explained,
  through: Through | undefined,
  way: Way | undefined,
  called: Called,
): Promise<void> {
  const expected = isPermitted(through, way);
  const named = JSON.stringify([through ?? 'any', way ?? 'named by the caller']);
  const question = {
    application_id: application.id,
    permission: 'token:use',
    container: '/',
    ...(way !== undefined && { through: way }),
  };
  const explained = await client.send(
    'explain',
    [200],
    management(client, 'POST', '/access/explain', question),
  );
  if (explained && explained.body.allowed !== expected)
    client.problem('explain', `${named} is explained as ${String(explained.body.allowed)}`);
  const answer = await ask(client, application.key, way, called);
  if (answer && [200, 202, 403].includes(answer.status) && (answer.status !== 403) !== expected)
    client.problem('explain', `${named} gave ${String(answer.status)}`);
}

/** Plaintext goes where a rule says, from the answer to a change on, and explain says where. */
export const explain: Step = async (client) => {
  const { draws, target } = client;
  const proxy = await someProxy(client);
  const key = proxy && aKey(proxy);
  if (proxy?.exists !== 'yes' || key === undefined) return;
  const throughs: readonly (Through | undefined)[] = [
    undefined,
    { proxies: [proxy.id] },
    { proxies: [draws.uuid()] },
    { reactors: [target.reactorId] },
    { reactors: [target.reactorId], callbacks: [HOOK] },
  ];
  const ways: readonly (Way | undefined)[] = [
    undefined,
    { proxies: [proxy.id] },
    { proxies: [proxy.id] },
    { reactors: [target.reactorId] },
    { reactors: [target.reactorId], callback_url: HOOK },
    { reactors: [target.reactorId], callback_url: `${HOOK}s` },
  ];
  const called = { proxy, key };
  const name = `explained ${draws.uuid()}`;
  let through = draws.pick(throughs);
  const creation = management(client, 'POST', '/applications', bodyOf(name, through));
  const headers = { 'svc-idempotency-key': name };
  const created = await untilDone(client, 'create explained', 201, { ...creation, headers });
  if (created === undefined) return;
  const application = created as Explained;
  target.applicationIds.set(application.key, application.id);
  await compare(client, application, through, draws.pick(ways), called);
  if (draws.chance(0.5)) return;
  through = draws.pick(throughs);
  const { type: _, ...body } = bodyOf(name, through);
  const change = management(client, 'PUT', `/applications/${application.id}`, body);
  if (await client.send('change explained', [200], change))
    await compare(client, application, through, draws.pick(ways), called);
};
