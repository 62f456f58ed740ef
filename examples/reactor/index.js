// Stores the code of reactor.cjs, runs it synchronously and asynchronously, and cleans up.
import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { settings } from './settings.js';

// In your own program: import { ApiError, createClient } from '@cloakroom/sdk';
const { ApiError, createClient } = await import('@cloakroom/sdk');
const { CALLBACK_URL } = process.env;
const [baseUrl, managementKey] = settings('BASE_URL', 'MANAGEMENT_KEY');

const management = createClient({ baseUrl, apiKey: managementKey });
const reactor = await management.reactors.create({
  name: 'Example: charge',
  code: await readFile(new URL('reactor.cjs', import.meta.url), 'utf8'),
  configuration: { limit: '5000' },
});
const application = await management.applications.create({
  name: 'Example: reactor',
  type: 'private',
  permissions: ['token:create', 'token:use', 'token:delete'],
});
const client = createClient({ baseUrl, apiKey: application.key });

/**
 * Ids of all remaining tokens: the card, and those that the code passed to `tokenize`.
 * @type {string[]}
 */
const made = [];

/** @param {string} invocation */
async function resultOf(invocation) {
  for (;;) {
    const ended = await client.reactors.retrieveResult(reactor.id, invocation);
    if (ended.status === 'succeeded' || ended.status === 'failed') return ended;
    await sleep(500);
  }
}

/**
 * Waits until the webhook was sent, which the audit trail shows. A result is delivered only while
 * the tokens behind it exist.
 */
async function delivered() {
  for (let tries = 0; tries < 40; tries += 1) {
    const { data } = await management.logs.list({
      application_id: application.id,
      operation: 'deliverResult',
      outcome: 'ok',
    });
    if (data.length > 0) return;
    await sleep(500);
  }
}

try {
  const { id } = await client.tokens.create({ type: 'card', data: { number: '4242424242424242' } });
  made.push(id);
  const card = `{{ ${id} }}`; // the service puts the card here before the code runs

  const { raw, tokens } = await client.reactors.react(reactor.id, { args: { card, amount: 1299 } });
  made.push(...Object.values(tokens ?? {}));
  console.log('at once:', raw, tokens);

  await client.reactors.react(reactor.id, { args: { card, amount: 9900 } }).catch((error) => {
    if (!(error instanceof ApiError)) throw error;
    console.log('refused:', error.status, error.detail);
  });

  if (CALLBACK_URL !== undefined) {
    const request = { args: { card, amount: 700 }, callback_url: CALLBACK_URL, timeout_ms: 20_000 };
    const invocation = await client.reactors.reactAsync(reactor.id, request);
    const { status, result } = await resultOf(invocation.id);
    if (status === 'succeeded') made.push(...Object.values(result.tokens ?? {}));
    console.log('later:', invocation.id, { status, result });
    await delivered();
  }
} finally {
  for (const id of made) await client.tokens.delete(id);
  await management.reactors.delete(reactor.id);
  await management.applications.delete(application.id);
}
