import type { Client } from '../client.ts';
import { management, type Step } from './step.ts';

/** All clients want these for applications of their own. */
const EXTERNAL_IDS = ['shop/checkout', 'shop/payout'] as const;

const PERMISSIONS = ['token:create'];

interface Made {
  readonly path: string;
  readonly name: string;
  readonly tag: string;
}

/** Makes an application under a name that others want too; undefined if one of them has it. */
async function claim(client: Client): Promise<Made | undefined> {
  const { draws } = client;
  const name = `named ${draws.uuid()}`;
  const body = { name, type: 'private', permissions: PERMISSIONS, external_id: draws.pick(EXTERNAL_IDS) };
  const answer = await client.send(
    'claim a name',
    [201, 409],
    management(client, 'POST', '/applications', body),
  );
  if (answer?.status !== 201) return undefined;
  const { id } = answer.body;
  return { path: `/applications/${String(id)}`, name, tag: answer.headers['etag'] ?? '' };
}

/** Two appliers change what both have read: at most one of them is answered as done. */
async function applyAtOnce(client: Client, { path, name, tag }: Made): Promise<string | undefined> {
  const writes = ['one', 'other'].map(async (writer) => {
    const request = management(client, 'PUT', path, {
      name: `${name} by ${writer}`,
      permissions: PERMISSIONS,
    });
    const answer = await client.send('apply', [200, 412], { ...request, headers: { 'if-match': tag } });
    return { writer, answer };
  });
  const done = await Promise.all(writes);
  const won = done.filter(({ answer }) => answer?.status === 200);
  if (won.length === 2) client.problem('conditions', `two writers changed the state ${tag} of ${name}`);
  const isCertain = done.every(({ answer }) => answer !== undefined);
  if (isCertain && won.length === 0)
    client.problem('conditions', `no writer changed the state ${tag} of ${name}`);
  const [winner] = won;
  if (winner === undefined || !isCertain) return undefined;
  const read = await client.send('read after apply', [200], management(client, 'GET', path));
  if (read !== undefined && read.body.name !== `${name} by ${winner.writer}`)
    client.problem('conditions', `${name} is ${String(read.body.name)} after ${winner.writer} wrote`);
  return winner.answer?.headers['etag'];
}

/** An application under a shared name is made, changed by two appliers, and often deleted. */
export const configure: Step = async (client) => {
  const made = await claim(client);
  if (made === undefined) return;
  const tag = await applyAtOnce(client, made);
  if (client.draws.chance(0.2)) return;
  const request = management(client, 'DELETE', made.path);
  const condition = tag === undefined ? {} : { headers: { 'if-match': tag } };
  await client.send('remove a name', [204, 404], { ...request, ...condition });
};
