// Receives the results of asynchronous reactors. The service delivers to https: set TLS_KEY and
// TLS_CERT to PEM files, or let a proxy in front terminate TLS.
import { Buffer } from 'node:buffer';
import { readFileSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { fail, settings } from './settings.js';

// In your own program: import { verifyWebhook, WebhookVerificationError } from '@cloakroom/sdk';
const { verifyWebhook, WebhookVerificationError } = await import('@cloakroom/sdk');
const { PORT = '8080', TLS_KEY, TLS_CERT } = process.env;
const port = /^\d+$/.test(PORT) ? Number(PORT) : Infinity;
if (port > 65_535) fail(`PORT must be a number from 0 to 65535: ${PORT}`);
const [secret] = settings('WEBHOOK_SECRET');
const BODY_MAX_BYTES = 6_000_000;

/**
 * The work of each webhook by its id: a webhook may be delivered twice, and is handled once. A real
 * receiver stores this durably, for example in a table with the id as its key.
 * @type {Map<string, Promise<void>>}
 */
const handled = new Map();

/**
 * The place for your own code. An error thrown here makes the service deliver again.
 * @param {import('@cloakroom/sdk').EndedInvocation} webhook
 */
async function handle({ id, status }) {
  console.log(`invocation ${id} ${status}`);
}

/** @param {import('@cloakroom/sdk').EndedInvocation} webhook */
async function handleOnce(webhook) {
  const doing = handled.get(webhook.id) ?? handle(webhook);
  handled.set(webhook.id, doing);
  try {
    await doing;
  } catch (error) {
    handled.delete(webhook.id);
    throw error;
  }
}

/** @param {import('node:http').IncomingMessage} request */
async function bodyOf(request) {
  const chunks = [];
  let size = 0;
  for await (const chunk of request) {
    size += chunk.length;
    if (size > BODY_MAX_BYTES) throw new WebhookVerificationError('The body is too large');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

// Rejects an invalid secret at the start instead of with the first delivery.
await verifyWebhook({ body: '', headers: {}, secret }).catch((error) => {
  if (error instanceof WebhookVerificationError) return;
  fail(`WEBHOOK_SECRET: ${error.message}`);
});

/** @type {import('node:http').RequestListener} */
async function receive(request, response) {
  try {
    // The unchanged bytes: a JSON parser's result is not the signed text.
    await handleOnce(await verifyWebhook({ body: await bodyOf(request), headers: request.headers, secret }));
    response.writeHead(204).end();
  } catch (error) {
    const isForeign = error instanceof WebhookVerificationError;
    console.error(isForeign ? `refused: ${error.message}` : error);
    response.writeHead(isForeign ? 400 : 500).end();
  }
}

const server =
  TLS_KEY && TLS_CERT
    ? createHttpsServer({ key: readFileSync(TLS_KEY), cert: readFileSync(TLS_CERT) }, receive)
    : createHttpServer(receive);
server.on('error', (error) => fail(error.message)); // such as a port that is in use
server.listen(port, () => {
  const address = server.address();
  console.log(`listening on port ${typeof address === 'object' && address ? address.port : PORT}`);
});
