import { createHmac, randomBytes } from 'node:crypto';
import type { Client } from '../../packages/sdk/src/index.ts';
import { check, clientOf, showing, type Stage } from './stage.ts';

/** The parts of a request that vary. */
interface Request {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Readonly<Record<string, unknown>>;
}

/** Sends JSON to the service without the SDK, as a partner does. An empty body becomes `{}`. */
async function send({ service }: Stage, path: string, request: Request): Promise<Answer> {
  const { method = 'POST', headers, body } = request;
  const response = await fetch(`${service.baseUrl}${path}`, {
    method,
    headers: { 'Content-Type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
  const text = await response.text();
  return {
    status: response.status,
    headers: response.headers,
    body: (text === '' ? {} : JSON.parse(text)) as Answer['body'],
  };
}

interface MadeProxy {
  readonly id: string;
  readonly key: string;
}

const asManagement = ({ service }: Stage) => ({ 'SVC-API-KEY': service.managementKey });

async function createProxy(stage: Stage, definition: object): Promise<MadeProxy> {
  const sent = ['destination_url', 'paths', 'require_auth', 'request_transforms', 'response_transforms'];
  const { body } = await showing(stage, { sent, received: ['id', 'key', 'configuration_names'] }, () =>
    send(stage, '/proxies', { headers: asManagement(stage), body: definition }),
  );
  return { id: String(body['id']), key: String(body['key']) };
}

const CODE = `
module.exports = async ({ args: { body } }) => ({
  raw: { body: { ...body, amount: (body.amount / 100).toFixed(2) } },
});
`;

const CONFIGURATION = { API_KEY: 'secret-of-the-provider' };

const requestTransforms = [
  { type: 'append_header', name: 'Authorization', value: 'Bearer {{ configuration.API_KEY }}' },
  { type: 'append_json', location: '$.merchant', value: 'm-7' },
  { type: 'remove_header', name: 'X-Internal' },
];

const responseTransforms = [
  { type: 'allow_headers', names: ['Content-Type'] },
  { type: 'mask', matcher: 'card_number', replacement: '[card]' },
  { type: 'mask', matcher: 'regex', expression: '[a-z.]+@[a-z.]+', replacement: '[email]' },
  { type: 'mask', location: '$.risk', replacement: '[risk]' },
];

/** Adds code to a proxy, which may then see what the proxy sends. */
async function addReactor(stage: Stage, management: Client, { id }: MadeProxy): Promise<void> {
  stage.screen.code(CODE);
  const reactor = await showing(stage, { sent: ['name'], received: ['id'] }, () =>
    management.reactors.create({ name: 'Decimal amounts', code: CODE, configuration: {} }),
  );
  const transforms = [...requestTransforms, { type: 'reactor', reactor_id: reactor.id }];
  const patch = (sent: string, more: object) =>
    showing(stage, { sent: [sent], received: ['version'] }, () =>
      send(stage, `/proxies/${id}`, {
        method: 'PATCH',
        headers: asManagement(stage),
        body: { request_transforms: transforms, ...more },
      }),
    );
  const { body } = await patch('request_transforms', {});
  check(
    stage,
    'A change that lets new code see the requests needs the configuration again.',
    body['code'],
    'configuration_required',
  );
  const changed = await patch('configuration', { configuration: CONFIGURATION });
  check(stage, 'With it, the change is version 2.', changed.body['version'], 2);
}

/** Calls the provider of the demo, which returns more than the shop should see. */
async function proxyOut(stage: Stage, management: Client, number: string, cardId: string): Promise<void> {
  const proxy = await createProxy(stage, {
    name: 'Provider',
    destination_url: `https://${stage.provider.origin}/v1`,
    methods: ['POST'],
    paths: ['/charges'],
    configuration: CONFIGURATION,
    request_transforms: requestTransforms,
    response_transforms: responseTransforms,
  });
  await addReactor(stage, management, proxy);
  const through = { proxies: [proxy.id] };
  const { key } = await showing(stage, { sent: ['name', 'rules'], received: ['id', 'key'] }, () =>
    management.applications.create({
      name: 'Sales',
      type: 'private',
      permissions: ['token:create'],
      rules: [{ priority: 1, container: '/pci/', transform: 'redact', permissions: ['token:use'], through }],
    }),
  );
  clientOf(stage, 'Sales', key);
  const headers = { 'SVC-API-KEY': key, 'SVC-PROXY-KEY': proxy.key, 'X-Internal': 'order A-1001' };
  const body = { amount: 1299, number: `{{ ${cardId} | json: '$.number' }}` };
  const answer = await send(stage, '/proxy/charges', { headers, body });
  const got = await stage.provider.next('/v1/charges', stage.signal);
  const { authorization, 'x-internal': internal } = got.headers;
  const gotBody = JSON.parse(got.body) as unknown;
  stage.screen.seen('The provider received', { authorization, body: gotBody });
  check(
    stage,
    'The proxy added the secret and the merchant, removed a header, and ran the code.',
    [authorization, internal, gotBody],
    [`Bearer ${CONFIGURATION.API_KEY}`, undefined, { amount: '12.99', number, merchant: 'm-7' }],
  );
  check(
    stage,
    'Of what the provider returned, the caller sees no card, no email, no risk, and no secret.',
    [answer.body, answer.headers.get('X-Served-By')],
    [
      { charge: 'ch_1', last4: '4242', note: '[card] of [email]', risk: '[risk]', key: 'Bearer [removed]' },
      null,
    ],
  );
  const { status } = await send(stage, '/proxy/refunds', { headers, body });
  check(stage, 'The proxy admits no other path: 403.', status, 403);
}

/** Receives a card from a partner that has only an address and a secret. */
async function proxyIn(stage: Stage, management: Client, billing: Client, card: object): Promise<void> {
  const secret = randomBytes(32);
  const { id } = await showing(stage, { received: ['id'] }, () =>
    management.applications.create({
      name: 'Cards of the partner',
      type: 'private',
      permissions: ['token:create'],
    }),
  );
  const proxy = await createProxy(stage, {
    name: 'Bookings',
    destination_url: `https://${stage.receiver.origin}/bookings`,
    require_auth: false,
    application: { id },
    configuration: { PARTNER: `whsec_${secret.toString('base64')}` },
    request_transforms: [
      { type: 'verify_signature', scheme: 'standard_webhooks', configuration: 'PARTNER' },
      { type: 'tokenize', location: '$.card', token: { type: 'card' } },
    ],
  });
  const body = JSON.stringify({ booking: 'B-7', card });
  const time = String(Math.floor(Date.now() / 1_000));
  const deliver = async (deliveryId: string, key: Buffer) => {
    const signature = createHmac('sha256', key).update(`${deliveryId}.${time}.${body}`).digest('base64');
    const headers = {
      'webhook-id': deliveryId,
      'webhook-timestamp': time,
      'webhook-signature': `v1,${signature}`,
    };
    return (await send(stage, `/proxy?svc-proxy-key=${proxy.key}`, { headers, body })).status;
  };
  const first = await deliver('msg_1', secret);
  const got = JSON.parse((await stage.receiver.next('/bookings', stage.signal)).body) as { card: string };
  stage.screen.seen('The shop received', got);
  const stored = await showing(stage, { received: ['data'] }, () => billing.tokens.retrieve(got.card));
  check(stage, 'The shop received a token, which has the card.', [first, stored.data], [200, card]);
  const repeated = await showing(stage, { sent: ['booking'] }, () => deliver('msg_1', secret));
  check(stage, 'A repeat gets the same status, and does not reach the shop.', repeated, 200);
  const forged = await showing(stage, { sent: ['booking'] }, () => deliver('msg_2', randomBytes(32)));
  check(stage, 'What the partner did not sign is rejected: 401.', forged, 401);
}

/** Shows each transform of a stored proxy. */
export async function storedProxies(
  stage: Stage,
  { management, billing }: { readonly management: Client; readonly billing: Client },
  card: { readonly number: string },
  { id }: { readonly id: string },
): Promise<void> {
  await stage.chapter(
    'Stored proxies',
    'The caller of the proxy names any destination, and has its secret. A stored proxy has both, and changes what passes. In the other direction it receives cards from a partner, so that the shop never has them.',
  );
  await proxyOut(stage, management, card.number, id);
  await proxyIn(stage, management, billing, card);
}
