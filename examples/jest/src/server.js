import { createServer } from 'node:http';
import { createClient } from '@cloakroom/sdk';
import { createShop, DeclinedError } from './shop.js';

const { BANK_URL = '', WEBHOOK_SECRET = '', PORT = '8080' } = process.env;

// The client finds the service by CLOAKROOM_URL and CLOAKROOM_API_KEY.
const shop = createShop({ vault: createClient(), bankUrl: BANK_URL, webhookSecret: WEBHOOK_SECRET });

async function textOf(request) {
  let text = '';
  for await (const chunk of request) text += chunk;
  return text;
}

async function answer(request) {
  const body = await textOf(request);
  if (request.url === '/hooks') {
    await shop.settled({ body, headers: request.headers });
    return 204;
  }
  const { order, card, amount } = JSON.parse(body);
  await shop.checkout(order, card, amount);
  return 201;
}

const server = createServer((request, response) => {
  answer(request).then(
    (status) => response.writeHead(status).end(),
    (error) => {
      // Neither the request nor the error is printed: both may contain a card.
      console.error(`${request.method} ${request.url} failed: ${error.name}`);
      response.writeHead(error instanceof DeclinedError ? 402 : 500).end();
    },
  );
});
server.listen(Number(PORT), () => console.log(`the shop is at http://localhost:${server.address().port}`));
