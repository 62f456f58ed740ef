import { PLAINTEXT, STRANGE, type Client, type KnownSettings } from '../client.ts';
import { command } from './operator.ts';
import type { Step } from './step.ts';

type Setting = keyof KnownSettings;

/** Sets one setting, and leaves the other one. */
async function set(client: Client, setting: Setting): Promise<void> {
  const { draws, shared, target } = client;
  const value = draws.chance(0.5);
  const change = shared.settings[setting].request(value);
  const answer = await client.send('change tenant', [200], {
    method: 'PUT',
    path: '/tenants/self',
    key: target.otherManagementKey,
    body: { name: 'simulation', settings: { [setting]: value } },
  });
  if (answer) change.done();
  else change.failed();
}

/** The only value that a setting can have had since a time; undefined if there are several. */
function sureOf({ shared, world }: Client, setting: Setting, since: number): boolean | undefined {
  const possible = shared.settings[setting].possible(since, world.now());
  return possible.length === 1 ? possible[0] : undefined;
}

async function seesSettings(client: Client): Promise<void> {
  const since = client.world.now();
  const request = { method: 'GET', path: '/tenants/self', key: client.target.otherManagementKey };
  const answer = await client.send('get tenant', [200], request);
  if (!answer) return;
  const { settings } = answer.body as { readonly settings: Readonly<Record<Setting, boolean>> };
  for (const setting of ['deduplicate_tokens', 'ephemeral_proxy'] as const) {
    const sure = sureOf(client, setting, since);
    if (sure !== undefined && settings[setting] !== sure)
      client.problem('tenants', `${setting} is ${String(settings[setting])}, not ${String(sure)}`);
  }
}

/** Equal data is one token where the tenant says so. */
async function createTwice(client: Client): Promise<void> {
  const since = client.world.now();
  const data = `${PLAINTEXT}strange ${client.draws.uuid()}`;
  const ids: unknown[] = [];
  for (let times = 0; times < 2; times += 1) {
    const request = { method: 'POST', path: '/tokens', key: client.target.strangerKey };
    const answer = await client.send('create twice', [201], { ...request, body: { type: 'token', data } });
    if (!answer) return;
    ids.push(answer.body.id);
  }
  const sure = sureOf(client, 'deduplicate_tokens', since);
  if (sure !== undefined && (ids[0] === ids[1]) !== sure)
    client.problem('tenants', `equal data is ${ids.join(' and ')} where deduplication is ${String(sure)}`);
}

/** The ephemeral proxy forwards where the tenant says so. */
async function forwardAsStranger(client: Client): Promise<void> {
  const since = client.world.now();
  const answer = await client.send(
    'proxy as stranger',
    client.areCallsFaulty ? [200, 403, 500, 502] : [200, 403],
    {
      method: 'POST',
      path: '/proxy',
      key: client.target.strangerKey,
      headers: { 'svc-proxy-url': `https://${STRANGE}/` },
      body: {},
    },
  );
  const sure = sureOf(client, 'ephemeral_proxy', since);
  if (answer === undefined || sure === undefined) return;
  if ((answer.status === 403) === sure)
    client.problem('tenants', `proxy gave ${String(answer.status)} where it is ${sure ? 'on' : 'off'}`);
}

/** Changes of a tenant at once lose none, nor one of its keys, and hold from their answers on. */
export const changeTenant: Step = async (client) => {
  const { draws, target } = client;
  const works = [
    () => set(client, 'deduplicate_tokens'),
    () => set(client, 'ephemeral_proxy'),
    () => command(client, 'rotate-keys', { tenant_id: target.otherTenantId }, true),
  ];
  await Promise.all(works.filter(() => draws.chance(0.7)).map((work) => work()));
  await seesSettings(client);
  for (let times = 0; times < 2; times += 1)
    await (draws.chance(0.5) ? createTwice(client) : forwardAsStranger(client));
};
