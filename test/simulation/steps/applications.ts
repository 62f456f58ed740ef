import type { Client } from '../client.ts';
import { knownValue } from '../known-values.ts';
import { bodyOf } from './known-tokens.ts';
import { management, post, type Step } from './step.ts';

/** Rights that do not fit into the copies of a key, and that no step uses. */
const LARGE = Array.from({ length: 12 }, (_, at) => ({
  priority: at + 1,
  container: `/${`${'unused'.repeat(10)}/`.repeat(7)}${String(at)}/`,
  transform: 'mask',
  permissions: ['token:read'],
}));

export const createApplication: Step = async (client) => {
  const { draws, world } = client;
  const name = `app ${draws.uuid()}`;
  const rules = draws.chance(0.3) ? LARGE : [];
  const body = { name, type: 'private', permissions: ['token:create'], rules };
  const headers = { 'svc-idempotency-key': name };
  const request = { ...management(client, 'POST', '/applications', body), headers };
  for (let tries = 0; tries < 4; tries += 1) {
    const answer = await client.send('create application', [201], request);
    if (answer) {
      const { id, key } = answer.body as { readonly id: string; readonly key: string };
      const permissions = knownValue('token:create', world.now);
      client.target.applicationIds.set(key, id);
      client.applications.push({ name, id, key, formerKeys: [], permissions, exists: 'yes' });
      return;
    }
    await world.pause(draws.pick([10, 1_000, 33_000]));
  }
};

type Application = Client['applications'][number];
const someApplication = (client: Client): Application | undefined => {
  const there = client.applications.filter(({ exists }) => exists !== 'no');
  return there.length === 0 ? undefined : client.draws.pick(there);
};

/** Whether a key works shows in a request that needs no permission, and rights in a create. */
async function useKeys(client: Client, application: Application): Promise<void> {
  const { key, exists, permissions, formerKeys } = application;
  const listing = (of: string) => ({ method: 'GET', path: '/permissions', key: of });
  for (const former of formerKeys.slice(-1)) await client.send('use a former key', [401], listing(former));
  if (key === undefined) return;
  if (exists === 'no') {
    await client.send('use the key of a deleted application', [401], listing(key));
    return;
  }
  if (exists === 'maybe') return;
  const before = permissions.possible();
  const token = client.begin();
  const request = { ...post(client, '/tokens', bodyOf(client, token)), key };
  const answer = await client.send('use an application', [201, 403], request);
  if (!answer) return;
  // Not shown to an application that may create alone: it is checked at the end.
  if (answer.status === 201) Object.assign(token, { id: answer.body.id as string, exists: 'yes' });
  else token.exists = 'no';
  const seen = answer.status === 201 ? 'token:create' : 'token:delete';
  if (before.length === 1 && before[0] !== seen)
    client.problem('credentials', `${application.name} may ${String(before[0])}, and was treated as ${seen}`);
}

/** Takes the only permission away, or gives it back, and uses the key right after. */
export const regrant: Step = async (client) => {
  const application = someApplication(client);
  if (!application) return;
  const [now] = application.permissions.possible();
  const next = now === 'token:create' ? 'token:delete' : 'token:create';
  const change = application.permissions.request(next);
  const body = { name: application.name, permissions: [next] };
  const request = management(client, 'PUT', `/applications/${application.id}`, body);
  const answer = await client.send('change application', [200, 404], request);
  if (answer?.status === 200) change.done();
  else change.failed();
  if (answer?.status === 404 && application.exists === 'yes')
    client.problem('lost', `change: ${application.name} is not found, and is there`);
  if (answer?.status === 404) application.exists = 'no';
  for (let uses = 0; uses < 3; uses += 1) await useKeys(client, application);
};

export const regenerate: Step = async (client) => {
  const application = someApplication(client);
  if (application?.exists !== 'yes') return;
  const { key, id } = application;
  const request = management(client, 'POST', `/applications/${id}/regenerate`);
  const answer = await client.send('regenerate key', [200], request);
  if (key !== undefined && answer) application.formerKeys.push(key);
  application.key = answer ? (answer.body.key as string) : undefined;
  if (application.key !== undefined) client.target.applicationIds.set(application.key, id);
  await useKeys(client, application);
};

export const deleteApplication: Step = async (client) => {
  const application = someApplication(client);
  if (!application) return;
  const request = management(client, 'DELETE', `/applications/${application.id}`);
  const answer = await client.send('delete application', [204, 404], request);
  if (answer?.status === 404 && application.exists === 'yes')
    client.problem('lost', `delete: ${application.name} is not found, and was there`);
  application.exists = answer ? 'no' : 'maybe';
  await useKeys(client, application);
};

export const useApplication: Step = async (client) => {
  if (client.applications.length > 0) await useKeys(client, client.draws.pick(client.applications));
};
