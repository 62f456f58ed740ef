import {
  verifyWebhook,
  WebhookVerificationError,
  type Client,
  type LogRecord,
  type NewApplication,
} from '../../packages/sdk/src/index.ts';
import { check, clientOf, refusal, showing, type Stage } from './stage.ts';
import { storedProxies } from './stored-proxies.ts';

/** The test number of the card networks; every card of the demo uses it. */
const CARD = { number: '4242424242424242', expiration_month: 12, expiration_year: 2030 };
const CVC = '737';
const MASKED = { ...CARD, number: 'XXXXXXXXXXXX4242' };

interface Clients {
  readonly management: Client;
  readonly checkout: Client;
  readonly support: Client;
  readonly audit: Client;
  readonly billing: Client;
}

interface Card {
  readonly id: string;
}

/** The demo starts its service with this cvc lifetime (start.ts), whatever the default is. */
export const LIFETIME_SECONDS = 3_600;
const LIFETIME = `${String(LIFETIME_SECONDS / 60)} minutes`;

async function applicationsAndRules(stage: Stage): Promise<Clients> {
  await stage.chapter(
    'Applications and rules',
    'Every caller is an application. Its type limits the permissions that it may have. Its permissions and rules define its access: where (a container of tokens), what it may do, and how much of the data it sees.',
  );
  const management = clientOf(stage, 'management', stage.service.managementKey);
  const create = async (application: NewApplication): Promise<Client> => {
    const { key } = await management.applications.create(application);
    return clientOf(stage, application.name, key);
  };
  const clients = await showing(stage, { received: ['id', 'key'] }, async () => ({
    management,
    checkout: await create({ name: 'Checkout', type: 'public', permissions: ['token:create'] }),
    support: await create({
      name: 'Support',
      type: 'private',
      rules: [
        { priority: 1, container: '/', transform: 'mask', permissions: ['token:read', 'token:search'] },
      ],
    }),
    audit: await create({
      name: 'Audit',
      type: 'private',
      rules: [{ priority: 1, container: '/', transform: 'redact', permissions: ['token:read'] }],
    }),
    billing: await create({
      name: 'Billing',
      type: 'private',
      permissions: ['token:create'],
      rules: [
        { priority: 1, container: '/pci/', transform: 'reveal', permissions: ['token:read', 'token:use'] },
      ],
    }),
  }));
  const greedy = { name: 'Greedy', type: 'public', permissions: ['token:read'] } as const;
  check(
    stage,
    'A public key is visible in browsers, so it cannot have the right to read.',
    await refusal(management.applications.create(greedy)),
    400,
  );
  return clients;
}

async function aCard(stage: Stage, { checkout, billing }: Clients): Promise<Card> {
  await stage.chapter(
    'A card',
    'The checkout page sends a card and gets a token back. From here on the shop stores only the token, which is worthless to a thief.',
  );
  const card = await showing(stage, { received: ['id', 'type', 'data', 'fingerprint', 'containers'] }, () =>
    checkout.tokens.create({
      type: 'card',
      data: { ...CARD, cvc: CVC },
      search_indexes: ['{{ data.number | last4 }}'],
      metadata: { order: 'A-1001' },
    }),
  );
  check(stage, 'The response shows the card masked, without its cvc.', card.data, MASKED);
  check(
    stage,
    'An application that collects cards cannot read them: 403.',
    await refusal(checkout.tokens.retrieve(card.id)),
    403,
  );
  const read = await showing(stage, { received: ['data'] }, () => billing.tokens.retrieve(card.id));
  check(stage, 'Billing has a rule with reveal and sees the whole card.', read.data, { ...CARD, cvc: CVC });
  return card;
}

async function masks(stage: Stage, { support, audit, checkout }: Clients, { id }: Card): Promise<void> {
  await stage.chapter(
    'Masks',
    'The same token looks different to each caller: the transform of the deciding rule shows its data. A mask is an expression, so a token may have a custom one.',
  );
  const masked = await showing(stage, { received: ['data'] }, () => support.tokens.retrieve(id));
  check(stage, 'Support sees the last four digits.', masked.data, MASKED);
  const redacted = await showing(stage, { received: ['id', 'type', 'data', 'created_at'] }, () =>
    audit.tokens.retrieve(id),
  );
  check(stage, 'Audit sees that the card exists, and nothing of its data.', redacted.data, undefined);
  const person = await showing(stage, { received: ['id', 'data', 'containers'] }, () =>
    checkout.tokens.create({
      type: 'token',
      data: { name: 'Ada Lovelace', email: 'ada@example.com', phone: '+44 20 7946 0958' },
      mask: { name: '{{ data.name }}', email: "{{ data.email | reveal_first: 3, '*' }}" },
      containers: ['/customers/'],
    }),
  );
  const seen = await showing(stage, { received: ['data'] }, () => support.tokens.retrieve(person.id));
  check(stage, 'Data that the mask does not name stays hidden.', seen.data, {
    name: 'Ada Lovelace',
    email: 'ada************',
  });
}

async function search(stage: Stage, { support }: Clients, { id }: Card): Promise<void> {
  await stage.chapter(
    'Search',
    'The card was created with a search index on its last four digits. The service stores only a keyed hash of it: a search finds the card, and reading the store reveals nothing.',
  );
  const idsOf = async (query: string) => {
    const shown = { received: ['data'], items: ['id', 'type', 'data', 'metadata'] };
    const { data } = await showing(stage, shown, async () => support.tokens.search({ query }));
    return data.map((token) => token.id);
  };
  const found = await idsOf('data:"4242" AND metadata.order:"a-1001"');
  check(stage, 'A search by its digits and its order finds it, masked as usual.', found, [id]);
  check(stage, 'Other digits find nothing.', await idsOf('data:"1111"'), []);
}

async function proxy(stage: Stage, { billing }: Clients, { id }: Card): Promise<void> {
  await stage.chapter(
    'The proxy',
    'Billing charges the card at a payment provider - here a small HTTPS server of this demo. It sends an expression instead of the number, and the service fills in the number on the way out.',
  );
  const url = `https://${stage.provider.origin}`;
  const response = await billing.proxy({
    url,
    path: '/charges',
    method: 'POST',
    headers: { Authorization: 'Bearer of-the-provider' },
    body: { amount: 1299, number: `{{ ${id} | json: '$.number' }}` },
  });
  const { body, headers } = await stage.provider.next('/charges', stage.signal);
  const got = JSON.parse(body) as unknown;
  stage.screen.seen('The provider received', { authorization: headers.authorization, body: got });
  check(stage, 'The provider received the number, which the request to the service did not contain.', got, {
    amount: 1299,
    number: CARD.number,
  });
  check(stage, 'The service returned its response unchanged.', response.json(), {
    charge: 'ch_1',
    last4: '4242',
  });
  check(
    stage,
    'An internal address is not allowed as a destination.',
    await refusal(billing.proxy({ url: 'https://169.254.169.254', path: '/latest/meta-data' })),
    400,
  );
}

const CODE = `
const { InvalidPaymentMethodError } = require('@cloakroom/sdk');

module.exports = async (req) => {
  const { card, amount } = req.args;              // the card itself, not its token
  if (amount > Number(req.configuration.limit)) throw new InvalidPaymentMethodError('The card was declined.');
  return {
    raw: { last4: card.number.slice(-4), amount },  // returned unchanged
    tokenize: { receipt: 'receipt of ' + amount },  // becomes a token
  };
};
`;

async function reactor(stage: Stage, { management, billing }: Clients, { id }: Card): Promise<string> {
  await stage.chapter(
    'A reactor',
    'Your own code that runs next to the data, in a separate function without any permission. The service fills in its arguments like requests of the proxy.',
  );
  stage.screen.code(CODE);
  const configuration = { limit: '5000' };
  const made = await showing(stage, { sent: ['name', 'configuration'], received: ['id', 'name'] }, () =>
    management.reactors.create({ name: 'Charge', code: CODE, configuration }),
  );
  const card = `{{ ${id} }}`;
  const { raw, tokens } = await billing.reactors.react(made.id, { args: { card, amount: 1299 } });
  check(stage, 'It received the card and returned what it chose.', raw, { last4: '4242', amount: 1299 });
  check(
    stage,
    'The value that it passed to tokenize came back as a token.',
    typeof (tokens as { receipt: unknown }).receipt,
    'string',
  );
  check(
    stage,
    'Its errors choose the status.',
    await refusal(billing.reactors.react(made.id, { args: { card, amount: 9900 } })),
    402,
  );
  return made.id;
}

async function destinations(
  stage: Stage,
  { management, billing }: Clients,
  { id }: Card,
  reactorId: string,
): Promise<void> {
  await stage.chapter(
    'Where plaintext may go',
    'Billing may use the card with any destination. A rule with `through` names the only ones. Who approves a rule can ask what follows from it, before it is added.',
  );
  const rules: NewApplication['rules'] = [
    {
      priority: 1,
      container: '/pci/',
      transform: 'redact',
      permissions: ['token:use'],
      through: { reactors: [reactorId] },
    },
  ];
  const question = { permission: 'token:use', container: '/pci/high/' } as const;
  const asked = await showing(stage, { received: ['allowed', 'decided_by', 'steps'] }, () =>
    management.access.explain({ rules, ...question }),
  );
  check(stage, 'The rule would not permit a destination that the caller names.', asked.allowed, false);
  const { key } = await management.applications.create({
    name: 'Settlement',
    type: 'private',
    permissions: ['token:create'],
    rules,
  });
  const settlement = clientOf(stage, 'Settlement', key);
  const input = { args: { card: `{{ ${id} }}`, amount: 100 } };
  const { raw } = await settlement.reactors.react(reactorId, input);
  check(stage, 'The reactor that the rule names gets the card.', raw, { last4: '4242', amount: 100 });
  const url = `https://${stage.provider.origin}`;
  check(
    stage,
    'The proxy does not send the card anywhere for it: 403.',
    await refusal(settlement.proxy({ url, method: 'POST', body: `{{ ${id} }}` })),
    403,
  );
  const less = await billing.tokens.retrieve(id, { transform: 'mask' });
  check(stage, 'Billing may reveal, and can ask to see only the mask.', less.data, MASKED);
}

async function webhook(stage: Stage, { billing }: Clients, { id }: Card, reactorId: string): Promise<void> {
  await stage.chapter(
    'An asynchronous reactor, and a webhook',
    "With a callback_url the service responds immediately. The result follows as a webhook, signed by the rules of Standard Webhooks with the tenant's secret.",
  );
  const invocation = await billing.reactors.reactAsync(reactorId, {
    args: { card: `{{ ${id} }}`, amount: 2500 },
    callback_url: `https://${stage.receiver.origin}/charged`,
  });
  const { headers, body } = await stage.receiver.next('/charged', stage.signal);
  const names = ['webhook-id', 'webhook-timestamp', 'webhook-signature'];
  const signed = Object.fromEntries(names.map((name) => [name, headers[name]]));
  stage.screen.seen('The receiver received', { ...signed, body: JSON.parse(body) as unknown });
  const secret = stage.service.webhookSecret;
  const verified = await verifyWebhook({ secret, body, headers });
  const raw = verified.status === 'succeeded' ? verified.result.raw : verified.result;
  check(stage, 'The signature is valid, and the result is correct.', raw, { last4: '4242', amount: 2500 });
  check(stage, 'The id is that of the invocation.', verified.id, invocation.id);
  const forged = await verifyWebhook({ secret, body: body.replace('2500', '1'), headers }).catch(
    (error: unknown) => error instanceof WebhookVerificationError,
  );
  check(stage, 'With one digit changed it is rejected.', forged, true);
  const { status } = await billing.reactors.retrieveResult(reactorId, invocation.id);
  check(stage, 'The caller can also retrieve the result, for 24 hours.', status, 'succeeded');
}

async function cvcStripped(stage: Stage, { billing }: Clients, { id }: Card): Promise<void> {
  await stage.chapter(
    'The cvc is deleted',
    `A cvc must not be stored for long. The service deletes it ${LIFETIME} after the card's creation. There is no need to wait: the clock of a local service can be moved forward.`,
  );
  stage.screen.say(`Moving the clock forward by ${LIFETIME}: PUT /_local/clock (docs/local.md, "Time").`);
  await stage.service.advanceClock(LIFETIME_SECONDS);
  const read = await showing(stage, { received: ['id', 'data'] }, () => billing.tokens.retrieve(id));
  check(stage, 'Even for Billing the card has no cvc any more; the rest of it remains.', read.data, CARD);
}

async function trail(stage: Stage, { management, billing }: Clients, { id }: Card): Promise<void> {
  await stage.chapter(
    'The audit trail',
    'Every request leaves a record before its response: who did what, when and from where, never data. The records show the life of the card.',
  );
  const privacy = await management.applications.create({
    name: 'Privacy',
    type: 'private',
    permissions: ['token:delete'],
  });
  await clientOf(stage, 'Privacy', privacy.key).tokens.delete(id);
  const names = new Map<string | undefined, string>();
  const records: LogRecord[] = [];
  await showing(stage, { received: ['pagination'] }, async () => {
    for await (const { id: application, name } of management.applications.list())
      names.set(application, name);
    for await (const record of management.logs.list({ token_id: id })) records.unshift(record);
  });
  const life = records.map(({ application_id, operation, tokens = [] }) => {
    const forms = tokens.filter((token) => token.id === id).map(({ form }) => form);
    return [names.get(application_id) ?? 'the service', operation, ...forms].join(', ');
  });
  stage.screen.seen('The life of the card', life);
  check(stage, 'It shows who created the card, saw it, used it, was denied access and deleted it.', life, [
    'Checkout, createToken, create',
    'Checkout, getToken, refused',
    'Billing, getToken, reveal',
    'Support, getToken, mask',
    'Audit, getToken, redact',
    'Support, searchTokens, mask',
    'Billing, proxy, use',
    'Billing, invokeReactor, use',
    'Billing, invokeReactor, use',
    'Settlement, invokeReactor, use',
    'Settlement, proxy, refused',
    'Billing, getToken, mask',
    'Sales, proxy, use',
    'Sales, proxy, refused',
    'Billing, runInvocation, use',
    'Billing, deliverResult, use',
    'Billing, getReactorResult, use',
    'Billing, getToken, reveal',
    'Privacy, deleteToken, delete',
  ]);
  const sent = records.find(({ operation }) => operation === 'proxy');
  check(stage, 'It shows the host that received the number.', sent?.destination_host, stage.provider.origin);
  check(stage, 'It does not contain the number.', JSON.stringify(records).includes(CARD.number), false);
  check(
    stage,
    'An application that works with tokens cannot read the trail: 403.',
    await refusal(billing.logs.list()),
    403,
  );
}

/** Plays one chapter after the other. Throws at the first unexpected result. */
export async function playAll(stage: Stage): Promise<void> {
  const clients = await applicationsAndRules(stage);
  const card = await aCard(stage, clients);
  await masks(stage, clients, card);
  await search(stage, clients, card);
  await proxy(stage, clients, card);
  const reactorId = await reactor(stage, clients, card);
  await destinations(stage, clients, card, reactorId);
  await storedProxies(stage, clients, CARD, card);
  await webhook(stage, clients, card, reactorId);
  await cvcStripped(stage, clients, card);
  await trail(stage, clients, card);
}
