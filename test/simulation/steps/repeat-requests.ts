import { PLAINTEXT, presence } from '../client.ts';
import { SETTLED_AFTER_MS } from '../known-values.ts';
import { aNewToken, bodyOf, changeOf, isCreated, isGone, sees } from './known-tokens.ts';
import { post, type Step } from './step.ts';

/**
 * Repeats a request under one key, at times while it still runs: all answers are of one token.
 */
export const createWithKey: Step = async (client) => {
  const { draws, world } = client;
  const token = aNewToken(client);
  const request = post(client, '/tokens', bodyOf(client, token), draws.uuid());
  const attempt = async (isAlone: boolean) => {
    // One of two that run at once is refused.
    const good = isAlone ? [201, 400, 404] : [201, 400, 404, 409];
    const answer = await client.send('create under a key', good, request);
    // Its time may be over before an attempt succeeds.
    if (answer?.status === 400 && presence(client, { ...token, exists: 'yes' }) === 'yes')
      client.problem('answers', `create under a key: ${token.mark} gave ${JSON.stringify(answer.body)}`);
    // A replay does not show what has expired since.
    if (answer?.status === 404) isGone(client, 'create under a key', token);
    if (answer?.status === 201) isCreated(client, 'create under a key', token, answer.body);
    return answer !== undefined && answer.status !== 409;
  };
  let successes = 0;
  for (let tries = 0; tries < 8 && successes < 2; tries += 1) {
    const done = await Promise.all(draws.chance(0.3) ? [attempt(false), attempt(false)] : [attempt(true)]);
    successes += done.filter(Boolean).length;
    // The claim of an attempt that died ends after half a minute.
    if (!done.includes(true)) await world.pause(draws.pick([10, 500, 5_000, 33_000]));
  }
  // The key belongs to the body whose response is stored.
  const other = { ...request, body: { ...(request.body as object), data: `${PLAINTEXT}never` } };
  if (token.id !== undefined && draws.chance(0.4)) await client.send('reuse a key', [422], other);
};

/** A failure is not stored: the same request under the same key fails in the same way. */
export const failUnderKey: Step = async (client) => {
  const { draws } = client;
  const body = { type: 'token', data: `${PLAINTEXT}never`, mask: '{{ data | no_such_filter }}' };
  const request = post(client, '/tokens', body, draws.uuid());
  const statuses: (number | undefined)[] = [];
  for (let tries = 0; tries < 3; tries += 1) {
    const answer = await client.send('fail under a key', [400, 409], request);
    statuses.push(answer?.status);
  }
  // A release that fails leaves the claim until its lease ends.
  if (!client.areCallsFaulty && statuses.includes(409))
    client.problem('keys', `a failure is stored: ${statuses.join()}`);
};

/**
 * A request whose function died is not repeated before its lease ends, which Retry-After shows.
 */
export const waitForLease: Step = async (client) => {
  const { draws, world, skewMs } = client;
  const token = client.begin();
  const request = post(client, '/tokens', bodyOf(client, token), draws.uuid());
  const attempt = async (isFatal = false) => {
    const answer = await client.send('wait for a lease', [201, 409], { ...request, isFatal });
    if (answer?.status === 201) isCreated(client, 'wait for a lease', token, answer.body);
    return answer;
  };
  const first = await attempt(draws.chance(0.8));
  if (first !== undefined) return;
  // The first attempt's writes arrive, a release of the claim included. Not whole seconds before
  // the end of the lease: Retry-After would be exact.
  await world.pause(SETTLED_AFTER_MS + draws.between(0, 1_000));
  // The rest of the lease is that of a moment after this one: an answer may be late.
  const since = world.now();
  const second = await attempt();
  if (second?.status !== 409) return;
  // Its seconds are rounded up, and the answers of two instances are by two clocks.
  const leastMs = Number(second.headers['retry-after']) * 1_000 - 1_000 - 2 * skewMs;
  for (const earlyMs of [900, 600, 300, 50]) {
    await world.pause(Math.max(0, since + leastMs - earlyMs * draws.fraction() - world.now()));
    const third = await attempt();
    const earlier = since + leastMs - world.now();
    if (third?.status === 201 && earlier > 0)
      client.problem('lease', `taken ${String(Math.round(earlier))} ms before its end`);
    if (third?.status !== 409) return;
  }
};

/** A repeated update under a key has the answer of the first one. */
export const updateWithKey: Step = async (client) => {
  const { draws, world } = client;
  const token = client.aToken();
  if (!token || presence(client, token) !== 'yes') return;
  const { request, change } = changeOf(client, token);
  const headers = { 'svc-idempotency-key': draws.uuid() };
  for (let tries = 0; tries < 5; tries += 1) {
    const answer = await client.send('update under a key', [200, 404], { ...request, headers });
    if (answer?.status === 404) {
      change.failed();
      isGone(client, 'update under a key', token);
      return;
    }
    if (answer) {
      change.done();
      sees(client, 'update under a key', token, answer.body.data);
      return;
    }
    await world.pause(draws.pick([10, 1_000, 33_000]));
  }
  change.failed();
};
