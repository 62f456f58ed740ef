import type { Draws } from '../seeded.ts';
import { post, type Step } from './step.ts';

/** Shorter than by default, so that its end is a part of a run. */
export const CVC_LIFETIME_MS = 60_000;

/** Sixteen digits, the last of which makes them valid (ISO/IEC 7812-1). */
function aCardNumber(draws: Draws): string {
  const digits = [4, ...Array.from({ length: 14 }, () => draws.integer(10))];
  const sum = digits
    .map((digit, index) => (index % 2 === 0 ? digit * 2 : digit))
    .reduce((all, doubled) => all + (doubled > 9 ? doubled - 9 : doubled), 0);
  return [...digits, (10 - (sum % 10)) % 10].join('');
}

/** A card whose cvc is shown for its time, and never after it. */
export const cvc: Step = async (client) => {
  const { world, draws, skewMs } = client;
  const data = { number: aCardNumber(draws), cvc: String(100 + draws.integer(900)) };
  client.findings.secrets.add(data.number);
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
