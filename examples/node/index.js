// The life of a card: an application that may handle it, a token, what that application can read of
// it, how to find and use it, and its end.
import { randomUUID } from 'node:crypto';
import { settings } from './settings.js';

// In your own program: import { ApiError, createClient } from '@cloakroom/sdk';
const { ApiError, createClient } = await import('@cloakroom/sdk');
const { DESTINATION_URL } = process.env;
const [baseUrl, managementKey] = settings('BASE_URL', 'MANAGEMENT_KEY');

const management = createClient({ baseUrl, apiKey: managementKey });
const application = await management.applications.create({
  name: 'Example: node',
  type: 'private',
  permissions: ['token:create', 'token:read', 'token:search', 'token:use', 'token:delete'],
});
const client = createClient({ baseUrl, apiKey: application.key });

try {
  const order = randomUUID();
  const token = await client.tokens.create(
    {
      type: 'card',
      data: { number: '4242424242424242', expiration_month: 12, expiration_year: 2030, cvc: '123' },
      metadata: { order },
      search_indexes: ['{{ data.number | last4 }}'],
    },
    // The idempotency key makes repeated requests create one token, so the client retries without a
    // response.
    { idempotencyKey: order },
  );
  console.log('stored as', token.id);

  // Permissions without rules show data masked. A rule with the transform `reveal` would show the
  // number.
  const { data } = await client.tokens.retrieve(token.id);
  console.log('read as', data);

  for await (const found of client.tokens.search({ query: `metadata.order:"${order}" AND data:"4242"` })) {
    console.log('found by its last digits:', found.id === token.id);
  }

  // The destination gets the number; this program never has it.
  if (DESTINATION_URL !== undefined) {
    const charge = await client.proxy({
      url: DESTINATION_URL,
      method: 'POST',
      body: { card: `{{ ${token.id} | json: '$.number' }}`, amount: 1299 },
    });
    console.log('charged:', charge.status, charge.json());
  }

  await client.tokens.delete(token.id);
  try {
    await client.tokens.retrieve(token.id);
  } catch (error) {
    if (!(error instanceof ApiError && error.status === 404)) throw error;
    console.log('gone:', error.title);
  }
} finally {
  await management.applications.delete(application.id);
}
