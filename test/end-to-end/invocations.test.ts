// Tests what an operator sees of invocations. test/interface/invocations.test.ts has the rest.
import { setTimeout as sleep } from 'node:timers/promises';
import { Webhook } from 'standardwebhooks';
import { advanceClock } from '../support/advance-clock.ts';
import { startDestination, testCertificate, type TestDestination } from '../support/destination.ts';
import { send, type ApiResponse } from '../support/http-client.ts';
import { needing } from '../support/needing.ts';
import { operatorOf } from '../support/operator.ts';
import { CLOSED_PORT, runService, TEST_SETTINGS, type RunningService } from '../support/run-service.ts';
import { RELEASE_ITEMS } from '../../tools/release-check/all-items.ts';
import { isAutomatic } from '../../tools/release-check/item.ts';
import { releaseCheck } from '../../tools/release-check/run.ts';
import { inThoroughRun } from '../../packages/test-kit/src/which-runs.ts';
import { until, untilTrue } from '../../packages/test-kit/src/until.ts';

const { describe } = needing('openssl');

let service: RunningService;
let receiver: TestDestination;
let invoker: { id: string; key: string };

const api = (method: string, path: string, body?: unknown, key = invoker.key): Promise<ApiResponse> =>
  send(service.credentials.base_url, key, method, path, { body });
const manage = (method: string, path: string, body?: unknown) =>
  api(method, path, body, service.credentials.management_key);
const operator = (payload: object) => operatorOf(service.credentials, payload);

async function aReactor(): Promise<string> {
  const code = 'module.exports = () => ({ raw: 1 });';
  const { status, body } = await manage('POST', '/reactors', { name: 'x', code, configuration: {} });
  if (status !== 201) throw new Error(JSON.stringify(body));
  return body.id as string;
}

const hook = (path = '/hook') => `https://localhost:${String(receiver.port)}${path}`;

async function invoke(reactor: string, callback = hook()): Promise<string> {
  const { status, body } = await api('POST', `/reactors/${reactor}/react`, { callback_url: callback });
  expect([status, Object.keys(body)]).toEqual([202, ['id']]);
  return body.id as string;
}

const deliveriesOf = (id: string) => receiver.received.filter(({ headers }) => headers['webhook-id'] === id);
const delivered = (id: string) => until(() => deliveriesOf(id)[0]);

beforeAll(async () => {
  const certificate = testCertificate();
  receiver = await startDestination(certificate);
  service = await runService([...TEST_SETTINGS, '--trust', certificate.certFile]);
  invoker = (
    await manage('POST', '/applications', {
      name: 'invoker',
      type: 'private',
      permissions: ['token:create', 'token:use'],
    })
  ).body;
});

afterAll(async () => {
  await service.stop();
  await receiver.close();
});

describe('an asynchronous invocation', () => {
  it('is signed with the new and the old secret after a rotation', async () => {
    const { webhook_secret: next } = await operator({
      command: 'rotate-webhook-secret',
      tenant_id: service.credentials.tenant_id,
    });
    const id = await invoke(await aReactor());
    const { body, headers } = await delivered(id);
    for (const secret of [next, service.credentials.webhook_secret])
      expect(new Webhook(String(secret)).verify(body, headers as never)).toMatchObject({ raw: 1 });
  });

  it('says on the terminal, in the log and to the operator why a delivery failed', async () => {
    const untrusted = await startDestination(testCertificate());
    const reactor = await aReactor();
    const respond = receiver.respond;
    receiver.respond = ({ url }, response) => {
      if (url === '/slow') return;
      response.writeHead(500).end();
    };
    const at = (callback: string) => invoke(reactor, callback);
    try {
      const reasons = new Map([
        [await at(`https://localhost:${String(untrusted.port)}/`), 'self-signed certificate'],
        [await at(`https://localhost:${String(CLOSED_PORT)}/`), 'connection refused'],
        [await at(hook('/500')), 'HTTP 500'],
        [await at(hook('/slow')), 'no response in time'],
      ]);
      for (const [id, reason] of reasons) {
        const said = await until(() =>
          service
            .output()
            .split('\n')
            .find((line) => line.includes(`Z delivery of ${id} failed: `)),
        );
        expect(said).toContain(`failed: ${reason}`);
        expect(said).toMatch(/, attempt 1 of 10, next at \d\d:\d\d:\d\d$/);
        const logged = { outcome: 'failed', attempt: 1, reason, invocationId: id, level: 'warn' };
        const lines = service.output().match(/\{"level":"warn".*\}/g) ?? [];
        expect(lines.map((line) => JSON.parse(line) as object)).toContainEqual(
          expect.objectContaining(logged),
        );
      }
      const { deliveries } = (await operator({ command: 'list-deliveries', limit: 1000 })) as {
        deliveries: { invocation_id: string }[];
      };
      for (const [id, reason] of reasons)
        expect(deliveries.find(({ invocation_id }) => invocation_id === id)).toMatchObject({
          delivery: 'retried',
          last_reason: reason === 'HTTP 500' ? null : reason,
          last_status: reason === 'HTTP 500' ? 500 : null,
        });
    } finally {
      receiver.respond = respond;
      await untrusted.close();
    }
  });
});

describe('the release check', () => {
  inThoroughRun.it('passes every item that the local account can show, and passes no other', async () => {
    /** Whether a record is sealed: a busy machine runs the sealer late by its own clock. */
    const hasSealed = async () => {
      const { records, not_sealed_yet: waiting } = await operator({ command: 'verify-audit' });
      return Number(records) > Number(waiting);
    };
    const pause = async (ms: number) => {
      await advanceClock(service.credentials, Math.ceil(ms / 1_000));
      await sleep(2_500);
      if (ms > 60_000) await untilTrue(hasSealed);
    };
    let printed = '';
    let progress = '';
    const code = await releaseCheck(
      ['--service', 'Cloakroom', '--local', service.credentialsFile, '--yes', '--json'],
      {
        print: (text) => (printed += text),
        printError: (text) => (progress += text),
        signal: new AbortController().signal,
        pause,
      },
    );
    const results = JSON.parse(printed) as { id: string; status: string; seen: string }[];
    expect({ code, failed: results.filter(({ status }) => status === 'failed'), progress }).toMatchObject({
      code: 0,
      failed: [],
    });
    const passed = results.filter(({ status }) => status === 'passed').map(({ id }) => id);
    const local = RELEASE_ITEMS.filter((item) => isAutomatic(item) && item.where === 'anywhere');
    expect(passed).toEqual(local.map(({ id }) => id));
    const { tenants } = (await operator({ command: 'list-tenants' })) as { tenants: { name: string }[] };
    expect(tenants.map(({ name }) => name)).not.toContain('release-check');
  });

  it('refuses a deployment with tenants without --yes', async () => {
    let problem = '';
    const code = await releaseCheck(
      ['key-policies', '--service', 'Cloakroom', '--local', service.credentialsFile],
      {
        print: () => undefined,
        printError: (text) => (problem += text),
        signal: new AbortController().signal,
      },
    );
    expect([code, problem]).toEqual([2, expect.stringContaining('nothing was done')]);
  });
});

it('a delivery is signed by the time of its receiver, however far the clock was moved', async () => {
  await advanceClock(service.credentials, 3_600);
  const { body, headers } = await delivered(await invoke(await aReactor()));
  expect(new Webhook(service.credentials.webhook_secret).verify(body, headers as never)).toMatchObject({
    raw: 1,
  });
});
