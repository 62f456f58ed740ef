import type { Client, KnownApplication } from '../client.ts';
import { management, type Body, type Step } from './step.ts';

/** A key that expires is as long as that, in ms: its end is a part of a run. */
const LIFETIME_MS = 20_000;
/** Where no request of a simulation comes from. */
const ELSEWHERE = ['198.51.100.0/24'];

/** Whether a key works shows in a request that needs no permission. */
const listing = (key: string) => ({ method: 'GET', path: '/permissions', key });

const hintOf = (key: string) => key.slice(-4);

function someApplication({ applications, draws }: Client): (KnownApplication & { key: string }) | undefined {
  const usable = applications.filter((each) => each.exists === 'yes' && each.key !== undefined);
  return usable.length === 0 ? undefined : (draws.pick(usable) as KnownApplication & { key: string });
}

/** Adds a key. Without an answer it may be there, and no client has it. */
export async function addKey(client: Client, { id }: Pick<KnownApplication, 'id'>, choice: object) {
  const request = management(client, 'POST', `/applications/${id}/keys`, choice);
  const answer = await client.send('create key', [201, 409], request);
  if (answer?.status !== 201) return undefined;
  client.target.applicationIds.set(answer.body.key as string, id);
  return answer.body;
}

/** Deletes every key but one, as who rotates does in the end. */
async function deleteOthers(
  client: Client,
  application: KnownApplication,
  current: string,
): Promise<boolean> {
  const path = `/applications/${application.id}/keys`;
  const listed = await client.send('list keys', [200], management(client, 'GET', path));
  if (!listed) return false;
  const others = (listed.body as unknown as readonly Body[]).filter(({ hint }) => hint !== hintOf(current));
  let deleted = 0;
  for (const { id } of others) {
    const request = management(client, 'DELETE', `${path}/${id as string}`);
    // A deletion whose answer was lost may be repeated by the client.
    if (await client.send('delete key', [204, 404], request)) deleted += 1;
  }
  return deleted === others.length;
}

/** The old key works until its deletion is answered, and the new one from its creation on. */
export const rotateKey: Step = async (client) => {
  const application = someApplication(client);
  if (!application) return;
  const { key: old } = application;
  const made = await addKey(client, application, { name: 'next' });
  if (made === undefined) {
    await deleteOthers(client, application, old);
    return;
  }
  const key = made.key as string;
  for (const each of [old, key, old]) await client.send('use both keys', [200], listing(each));
  application.key = key;
  if (!(await deleteOthers(client, application, key))) return;
  application.formerKeys.push(old);
  for (const copy of [1, 2, 3]) await client.send(`use a deleted key, ${String(copy)}`, [401], listing(old));
  await client.send('use the new key', [200], listing(key));
};

/** A key works until its end, and not after it. */
export const endKey: Step = async (client) => {
  const { world, skewMs } = client;
  const application = someApplication(client);
  if (!application) return;
  const endsAt = Math.ceil((world.now() + LIFETIME_MS) / 1_000) * 1_000;
  const made = await addKey(client, application, { expires_at: new Date(endsAt).toISOString() });
  if (made === undefined) return;
  const key = made.key as string;
  const answer = await client.send('use a key before its end', [200, 401], listing(key));
  if (answer?.status === 401 && world.now() < endsAt - skewMs)
    client.problem('credentials', 'a key ended too early');
  await world.pause(endsAt + skewMs + 1 - world.now());
  const ended = await client.send('use a key after its end', [401], listing(key));
  if (ended && ended.body.code !== 'key_expired')
    client.problem('credentials', `an expired key is ${String(ended.body.code)}`);
  const path = `/applications/${application.id}/keys/${made.id as string}`;
  const revive = management(client, 'PATCH', path, { expires_at: null });
  await client.send('revive an expired key', [404], revive);
};

/** A key that is bound to networks elsewhere is refused, from the answer to the change on. */
export const bindKey: Step = async (client) => {
  const application = someApplication(client);
  if (!application) return;
  const made = await addKey(client, application, { name: 'bound' });
  if (made === undefined) return;
  const key = made.key as string;
  const path = `/applications/${application.id}/keys/${made.id as string}`;
  const bind = management(client, 'PATCH', path, { source_addresses: ELSEWHERE });
  if (await client.send('bind a key', [200], bind))
    for (const copy of [1, 2, 3]) await client.send(`use a bound key, ${String(copy)}`, [403], listing(key));
  await client.send('delete key', [204, 404], management(client, 'DELETE', path));
};
