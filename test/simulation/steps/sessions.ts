import { presence } from '../client.ts';
import { isGone, sees } from './known-tokens.ts';
import { post, type Step } from './step.ts';

export const session: Step = async (client) => {
  const token = client.aToken();
  if (!token || presence(client, token) !== 'yes') return;
  const begun = await client.send('begin session', [201], {
    method: 'POST',
    path: '/sessions',
    key: client.target.publicKey,
  });
  if (!begun) return;
  const rules = [
    {
      priority: 1,
      transform: 'reveal',
      permissions: ['token:read'],
      conditions: [{ attribute: 'id', operator: 'equals', value: token.id }],
    },
  ];
  const grant = post(client, '/sessions/authorize', { nonce: begun.body.nonce as string, rules });
  const authorized = await client.send('authorize session', [200], grant);
  const read = { method: 'GET', path: `/tokens/${token.id}`, key: begun.body.session_key as string };
  if (!authorized) return;
  const answer = await client.send('get by session', [200, 404], read);
  if (answer?.status === 404) isGone(client, 'get by session', token);
  if (answer?.status === 200) sees(client, 'get by session', token, answer.body.data);
};
