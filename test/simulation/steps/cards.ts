import { post, type Step } from './step.ts';

/** Shorter than by default, so that its end is a part of a run. */
export const CVC_LIFETIME_MS = 60_000;

/** A card whose cvc is shown for its time, and never after it. */
export const cvc: Step = async (client) => {
  const { world, draws, skewMs } = client;
  const data = { number: '4242424242424242', cvc: String(100 + draws.integer(900)) };
  const sentAt = world.now();
  const answer = await client.send('create card', [201], post(client, '/tokens', { type: 'card', data }));
  if (!answer) return;
  const request = { method: 'GET', path: `/tokens/${String(answer.body.id)}`, key: client.target.privateKey };
  const first = await client.send('get card', [200], request);
  // One instance has set its end, and another one looks at its own clock.
  const isEarly = world.now() < sentAt + CVC_LIFETIME_MS - 2 * skewMs;
  if (first && isEarly && first.body.data.cvc !== data.cvc)
    client.problem('lost', `the cvc of ${String(answer.body.id)} is ${String(first.body.data.cvc)}`);
  if (!draws.chance(0.6)) return;
  await world.pause(CVC_LIFETIME_MS + 2 * skewMs);
  const second = await client.send('get card', [200], request);
  if (second && second.body.data.cvc !== undefined)
    client.problem('gone', `the cvc of ${String(answer.body.id)} is shown after its time`);
};
