import type { Client } from '../../packages/sdk/src/index.ts';
import { storeCredentials, type TenantCredentials } from './credentials-file.ts';

/** It lets a person look at the sample data. */
export interface Sample {
  /** The key of the application that sees every token in plaintext. */
  readonly key: string;
  /** Ids of one of each kind. */
  readonly views: Readonly<Record<'application' | 'token' | 'reactor' | 'proxy', string>>;
}

const CARDS = ['4242424242424242', '5555555555554444', '378282246310005'];
const ALL = ['token:read', 'token:search', 'token:update', 'token:delete', 'token:use'] as const;

const CODE = `const { BadRequestError } = require('@cloakroom/sdk');

// Charges the card at the payment provider.
module.exports = async ({ args, configuration }) => {
  if (!args.card) throw new BadRequestError('card is required');
  return { raw: { last4: args.card.number.slice(-4), merchant: configuration.MERCHANT } };
};
`;

async function createApplications({ applications }: Client) {
  const billing = await applications.create({
    name: 'Billing',
    type: 'private',
    permissions: ['token:create', 'token:search'],
    rules: [
      { priority: 1, container: '/pci/', transform: 'reveal', permissions: ['token:read', 'token:use'] },
      { priority: 2, container: '/pii/', transform: 'redact', permissions: ['token:read'] },
    ],
  });
  const support = await applications.create({
    name: 'Support desk',
    type: 'private',
    permissions: ['token:read'],
  });
  await applications.create({ name: 'Checkout page', type: 'public', permissions: ['token:create'] });
  const administration = await applications.create({
    name: 'Vault administration',
    type: 'private',
    permissions: ['token:create'],
    rules: [{ priority: 1, container: '/', transform: 'reveal', permissions: ALL }],
  });
  return { billing, support, administration };
}

/** Creates tokens of several types, and returns the ids of the cards. */
async function createTokens({ tokens }: Client): Promise<readonly string[]> {
  const cards: string[] = [];
  for (const [index, number] of CARDS.entries()) {
    const { id } = await tokens.create({
      type: 'card',
      data: { number, expiration_month: 12, expiration_year: 2030 },
      metadata: { customer: `c-${String(17 + index)}` },
      search_indexes: ['{{ data.number | last4 }}'],
    });
    cards.push(id);
  }
  await tokens.create({
    type: 'social_security_number',
    data: '123-45-6789',
    metadata: { customer: 'c-17' },
  });
  await tokens.create({
    type: 'bank',
    data: { routing_number: '021000021', account_number: '000123456789' },
  });
  await tokens.create({
    type: 'token',
    data: { name: 'Ada Lovelace', email: 'ada@example.com', phone: '+44 20 7946 0958' },
    mask: { name: '{{ data.name }}', email: "{{ data.email | reveal_first: 3, '*' }}" },
    containers: ['/pii/customers/'],
    metadata: { customer: 'c-17' },
  });
  return cards;
}

/** Leaves records of applications that see tokens in different forms, and of a refusal. */
async function readTokens(cards: readonly string[], billing: Client, support: Client): Promise<void> {
  for (const id of [...cards, ...cards]) await billing.tokens.retrieve(id);
  for (const id of cards) await support.tokens.retrieve(id);
  await support.tokens.delete(cards[0] ?? '').catch(() => undefined);
}

/**
 * Fills a vault as a shop would: applications with different rights, tokens of several types, a
 * reactor, a proxy, and records of who saw what.
 */
export async function fillVault(management: Client, clientOf: (key: string) => Client): Promise<Sample> {
  const { billing, support, administration } = await createApplications(management);
  const cards = await createTokens(clientOf(administration.key));
  await readTokens(cards, clientOf(billing.key), clientOf(support.key));
  const reactor = await management.reactors.create({
    name: 'Charge a card',
    code: CODE,
    configuration: { MERCHANT: 'm-17' },
  });
  const proxy = await management.proxies.create({
    name: 'Payment provider',
    destination_url: 'https://psp.example.com/v1',
    paths: ['/charges'],
    configuration: { API_KEY: 'sk_test_51MZ4kQ2eZvKYlo2C' },
    request_transforms: [
      { type: 'append_header', name: 'Authorization', value: 'Bearer {{ configuration.API_KEY }}' },
    ],
    response_transforms: [{ type: 'mask', matcher: 'card_number', replacement: '[card]' }],
  });
  return {
    key: administration.key,
    views: { application: billing.id, token: cards[0] ?? '', reactor: reactor.id, proxy: proxy.id },
  };
}

/**
 * The key that sees the sample data of a running service. Fills its vault, unless an earlier start
 * has: one that was interrupted has stored no key, and all is created again.
 */
export async function sampleKeyOf(
  {
    credentials,
    credentialsFile,
  }: { readonly credentials: TenantCredentials; readonly credentialsFile: string },
  clientOf: (key: string) => Client,
): Promise<string> {
  const { sample_key: earlier, management_key: managementKey, tenant_id: tenantId } = credentials;
  if (earlier !== undefined) return earlier;
  const { key } = await fillVault(clientOf(managementKey), clientOf);
  storeCredentials(credentialsFile, tenantId, { sample_key: key });
  return key;
}
