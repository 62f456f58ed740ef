// Checks docs/contract.md#asynchronous-invocations, and that code of a reactor calls destinations.
import { Webhook } from 'standardwebhooks';
import type { Received, TestDestination } from '../support/destination.ts';
import {
  anApplication,
  CARD,
  credentials,
  describeNeeding,
  management,
  openDestination,
  type HttpClient,
} from '../support/service.ts';
import { target } from '../support/targets/target.ts';
import { inThoroughRun } from '../../packages/test-kit/src/which-runs.ts';
import { until } from '../../packages/test-kit/src/until.ts';

let invoker: HttpClient;
let receiver: TestDestination;
/** The id of an invocation whose first delivery the receiver refuses. */
let refused: string;

async function aReactor(code: string, configuration: object = {}): Promise<string> {
  const { status, body } = await management.post('/reactors', { name: 'x', code, configuration });
  expect(status).toBe(201);
  return body.id as string;
}

const hook = (path = '/hook') => `https://localhost:${String(receiver.port)}${path}`;

async function invoke(reactor: string, more: object = {}, path = '/hook'): Promise<string> {
  const body = { callback_url: hook(path), ...more };
  const response = await invoker.post(`/reactors/${reactor}/react`, body);
  expect([response.status, Object.keys(response.body)]).toEqual([202, ['id']]);
  return response.body.id as string;
}

const result = async (reactor: string, id: string) =>
  (await invoker.get(`/reactors/${reactor}/results/${id}`)).body;

const deliveriesOf = (id: string) => receiver.received.filter(({ headers }) => headers['webhook-id'] === id);
const delivered = (id: string) => until(() => deliveriesOf(id)[0]);
const verified = ({ body, headers }: Received) =>
  new Webhook(credentials.webhook_secret).verify(body, headers as never) as Record<string, unknown>;

const CONSTANT = 'module.exports = () => ({ raw: 1 });';

beforeAll(async () => {
  invoker = await anApplication({ permissions: ['token:create', 'token:use'] });
});

describeNeeding('openDestination', 'an asynchronous invocation', () => {
  beforeAll(async () => {
    receiver = await openDestination();
    receiver.respond = ({ url, headers }, response) => {
      const isFirst = deliveriesOf(String(headers['webhook-id'])).length === 1;
      response.statusCode = url === '/refuses-once' && isFirst ? 500 : 204;
      response.end();
    };
    // Its pause before the second attempt passes during the other tests.
    refused = await invoke(await aReactor(CONSTANT), {}, '/refuses-once');
  });

  it('is accepted immediately, delivered with a signature, and its result can be read', async () => {
    const { body: card } = await invoker.post('/tokens', { type: 'card', data: CARD });
    const reactor = await aReactor(
      'module.exports = (req) => ({ raw: { last: req.args.number.slice(-4) }, tokenize: { note: "x" } });',
    );
    const id = await invoke(reactor, { args: `{{ ${card.id as string} }}` }, '/hook?a=1');
    const delivery = await delivered(id);
    const { method, url, headers } = delivery;
    expect([method, url, headers['content-type']]).toEqual(['POST', '/hook?a=1', 'application/json']);
    const { reactor_id, application_id, ...response } = verified(delivery);
    expect([reactor_id, application_id]).toEqual([reactor, expect.any(String)]);
    expect(response).toEqual({ raw: { last: '4242' }, tokens: { note: expect.any(String) } });
    const done = await until(async () => {
      const found = await result(reactor, id);
      return found.status === 'queued' ? undefined : found;
    });
    expect(done).toEqual({ id, status: 'succeeded', result: response });
  });

  it('delivers the error object for an error that the code throws', async () => {
    const reactor = await aReactor(
      "const { InvalidPaymentMethodError } = require('@cloakroom/sdk'); module.exports = () => { throw new InvalidPaymentMethodError('declined'); };",
    );
    const id = await invoke(reactor);
    expect(JSON.parse((await delivered(id)).body.toString())).toEqual({
      title: 'Payment Required',
      status: 402,
      code: 'payment_required',
      detail: 'declined',
      reactor_id: reactor,
      application_id: expect.any(String),
    });
    expect((await result(reactor, id)).status).toBe('failed');
  });

  // The threads of the testing package take as long, which only the thorough run waits for.
  (target().name === 'memory' ? inThoroughRun.it : it)(
    'runs for the timeout that it requested, and no longer',
    async () => {
      const reactor = await aReactor('module.exports = () => new Promise(() => setTimeout(() => {}, 1e9));');
      const started = Date.now();
      const id = await invoke(reactor, { timeout_ms: 10_000 });
      const { detail } = JSON.parse((await delivered(id)).body.toString()) as { detail: string };
      expect(detail).toContain('10000 ms');
      expect(Date.now() - started).toBeGreaterThan(10_000);
    },
  );

  it('is delivered again when the receiver fails, with the same id and a new timestamp', async () => {
    const both = await until(async () => {
      if (deliveriesOf(refused).length === 1) await target().pass(1_000);
      return deliveriesOf(refused).length === 2 ? deliveriesOf(refused) : undefined;
    });
    expect(new Set(both.map(({ headers }) => headers['webhook-timestamp'])).size).toBe(2);
    for (const delivery of both) expect(verified(delivery)).toMatchObject({ raw: 1 });
  });
});

describe('an asynchronous invocation with an invalid input', () => {
  it('is rejected immediately', async () => {
    const reactor = await aReactor(CONSTANT);
    const response = await invoker.post(`/reactors/${reactor}/react`, {
      callback_url: 'https://api.example.com/hook',
      args: { a: '{{ missing }}' },
    });
    expect([response.status, response.body]).toMatchObject([
      400,
      {
        detail: 'Failed to detokenize some tokens: missing',
        errors: { 'args.a': ['names an unknown or expired token'] },
      },
    ]);
  });
});

describeNeeding('openDestination', 'the code of a reactor', () => {
  it('calls an HTTPS destination with the card, and its result is tokenized', async () => {
    const bank = await openDestination();
    bank.respond = ({ body }, response) => {
      const { number } = JSON.parse(body.toString()) as { number: string };
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ charge: 'ch_1', account: `A${number.slice(-4)}` }));
    };
    const reactor = await aReactor(
      `const https = require('https'); const axios = require('axios');
       module.exports = async (req) => {
         const agent = new https.Agent({ ca: req.configuration.ca });
         const { data } = await axios.post(req.configuration.url, { number: req.args.card.number }, { httpsAgent: agent });
         return { raw: { charge: data.charge }, tokenize: { account: data.account } };
       };`,
      {
        url: `https://localhost:${String(bank.port)}/charges`,
        ...(bank.certificate && { ca: bank.certificate }),
      },
    );
    const { body: card } = await invoker.post('/tokens', { type: 'card', data: CARD });
    const { status, body } = await invoker.post(`/reactors/${reactor}/react`, {
      args: { card: `{{ ${card.id as string} }}` },
    });
    expect([status, body]).toEqual([
      200,
      { raw: { charge: 'ch_1' }, tokens: { account: expect.any(String) } },
    ]);
    expect(JSON.parse(bank.received[0]?.body.toString() ?? '')).toEqual({ number: CARD.number });
  });
});
