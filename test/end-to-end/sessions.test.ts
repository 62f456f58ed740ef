// Tests what a session leaves in the tables: test/interface/sessions.test.ts has the rest.
import { setTimeout as sleep } from 'node:timers/promises';
import { allItems, bytesOf } from '../support/aws.ts';
import { invokeFunction } from '../support/operator.ts';
import { anApplication, aRevealingApplication, client, credentials } from '../support/service.ts';
import { functionEnvironments, functionOf } from '../../tools/bench/local-functions.ts';

it('a session is deleted after its expiry', async () => {
  const asking = await anApplication({ type: 'public', permissions: ['token:create'] });
  const { body: session } = await asking.post('/sessions');
  const app = await aRevealingApplication();
  await app.post('/sessions/authorize', {
    nonce: session.nonce as string,
    permissions: ['token:read'],
    expires_at: new Date(Date.now() + 1_000).toISOString(),
  });
  expect((await client(session.session_key).get('/tokens/nothing')).status).toBe(404);
  await sleep(1_050);
  const sweeper = functionOf(await functionEnvironments(credentials), 'sweeper').name;
  await invokeFunction(credentials, sweeper, {});
  const items = (await allItems(credentials)).map(bytesOf);
  expect(items.filter((item) => item.includes(app.id) && item.includes('sk=S=session'))).toEqual([]);
});
