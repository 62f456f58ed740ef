import type { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { createReactorRunner } from '../../../src/adapters/lambda/reactor-runner.ts';
import type { RunRequest } from '../../../src/core/reactors/reactor-runner.ts';
import { Secret } from '../../../src/core/shared/secret.ts';
import { machinePlatform } from '../../../src/adapters/machine-platform.ts';
import type { Platform } from '../../../src/core/shared/platform.ts';

/** Its time, which begins at 0, passes by its pauses. */
function aPlatform(): Platform {
  let now = 0;
  return {
    ...machinePlatform,
    clock: () => now,
    startTimer: () => () => undefined,
    pause: (ms) => {
      now += ms;
      return Promise.resolve();
    },
  };
}

type Response = { FunctionError?: string; Payload?: Uint8Array } | Error;

const named = (name: string, httpStatusCode?: number) =>
  Object.assign(new Error('x'), { name, ...(httpStatusCode && { $metadata: { httpStatusCode } }) });
const payload = (value: unknown): Response => ({ Payload: Buffer.from(JSON.stringify(value)) });

/** A client that returns these responses one after the other, and repeats the last one. */
function aClient(...responses: Response[]) {
  const sent: InvokeCommand[] = [];
  const client = {
    send: (command: InvokeCommand) => {
      const response = responses[Math.min(sent.length, responses.length - 1)];
      sent.push(command);
      return response instanceof Error ? Promise.reject(response) : Promise.resolve(response);
    },
  } as unknown as LambdaClient;
  return { client, sent };
}

const aRequest = (more: Partial<RunRequest> = {}): RunRequest => ({
  reactorId: '0190b5b2-0000-7000-8000-000000000000',
  codeHash: 'ff',
  args: new Secret({ a: 1 }),
  configuration: new Secret({ url: 'x' }),
  timeoutMs: 1000,
  deadline: 600_000,
  ...more,
});

const run = (responses: Response[], more: Partial<RunRequest> = {}, allowList: readonly string[] = []) => {
  const { client, sent } = aClient(...responses);
  return {
    outcome: createReactorRunner(
      { client, platform: aPlatform() },
      { namePrefix: 'p-', egressAllowList: allowList },
    ).run(aRequest(more)),
    sent,
  };
};

describe('a run', () => {
  it('sends arguments, configuration, credential and the hash of the expected code', async () => {
    const { outcome, sent } = run([payload({ outcome: 'returned', value: { raw: 1 } })], {
      client: { baseUrl: 'https://api', apiKey: new Secret('key'), headerPrefix: 'SVC' },
    });
    const result = await outcome;
    expect(result.outcome === 'returned' && result.value.reveal()).toEqual({ raw: 1 });
    const input = sent[0]?.input;
    expect([input?.FunctionName, input?.Qualifier]).toEqual(['p-0190b5b2000070008000000000000000', 'live']);
    expect(JSON.parse(Buffer.from((input?.Payload ?? new Uint8Array()) as Uint8Array).toString())).toEqual({
      version: 1,
      code_sha256: 'ff',
      request: { args: { a: 1 }, configuration: { url: 'x' } },
      client: { base_url: 'https://api', api_key: 'key', header_prefix: 'SVC' },
      timeout_ms: 1000,
    });
  });

  it.each([
    'TooManyRequestsException',
    'ResourceNotReadyException',
    'ResourceConflictException',
    'KMSDisabledException',
    'KMSAccessDeniedException',
  ])('is started again after %s, which started nothing', async (name) => {
    const { outcome, sent } = run([named(name, 429), named(name, 409), payload({ outcome: 'returned' })]);
    expect((await outcome).outcome).toBe('returned');
    expect(sent).toHaveLength(3);
  });

  it('that cannot be started in time is unavailable', async () => {
    const { outcome, sent } = run([named('TooManyRequestsException', 429)], { deadline: 300 });
    await expect(outcome).rejects.toMatchObject({ code: 'dependency_unavailable' });
    // After pauses of 25 to 50, 50 to 100 and 100 to 200 ms another one of 400 is too long.
    expect(sent.length).toBeGreaterThanOrEqual(3);
    expect(sent.length).toBeLessThanOrEqual(4);
  });

  it.each([
    ['a lost connection', Object.assign(new Error('x'), { code: 'ECONNRESET' })],
    ['a timeout', named('TimeoutError')],
    ['an error of Lambda', named('ServiceException', 500)],
  ])('is not repeated after %s: the code may have run', async (_title, error) => {
    const { outcome, sent } = run([error, payload({ outcome: 'returned' })]);
    expect(await outcome).toEqual({ outcome: 'unknown' });
    expect(sent).toHaveLength(1);
  });

  it('does not hide a rejection', async () => {
    await expect(run([named('AccessDeniedException', 403)]).outcome).rejects.toThrow('x');
  });

  it.each([
    ['an instance that died', { FunctionError: 'Unhandled', Payload: Buffer.from('{}') }],
    ['no payload', {}],
    ['a payload that is not JSON', { Payload: Buffer.from('<html>') }],
    ['another shape', payload({ outcome: 'threw', error: { message: 5 } })],
    ['an unknown outcome', payload({ outcome: 'nice' })],
    ['prototype members', { Payload: Buffer.from('{"__proto__":{"outcome":"returned"}}') }],
  ] as [string, Response][])('a run without a response fails: %s', async (_title, response) => {
    expect(await run([response]).outcome).toEqual({ outcome: 'exited' });
  });

  it('may connect to the local ports that the deployer allows, and no others', async () => {
    const { outcome, sent } = run([payload({ outcome: 'returned' })], {}, [
      'localhost:8443',
      'http://127.0.0.1:81',
      'example.com:444',
    ]);
    await outcome;
    const { local_ports: ports } = JSON.parse(
      Buffer.from((sent[0]?.input.Payload ?? new Uint8Array()) as Uint8Array).toString(),
    ) as { local_ports: number[] };
    expect(ports).toEqual([8443, 81]);
  });

  it('uses a version by its number if one is requested', async () => {
    const { outcome, sent } = run([payload({ outcome: 'stale' })], { functionVersion: '7' });
    expect(await outcome).toEqual({ outcome: 'stale' });
    expect(sent.map(({ input }) => input.Qualifier)).toEqual(['7']);
  });

  it('a run of a reactor that was deleted meanwhile is stale: the record decides the rest', async () => {
    expect(await run([named('ResourceNotFoundException', 404)]).outcome).toEqual({ outcome: 'gone' });
  });

  it('rejects a result that is nested deeper than 64 levels', async () => {
    const deep = (levels: number) => ({
      Payload: Buffer.from(`{"outcome":"returned","value":${'['.repeat(levels)}${']'.repeat(levels)}}`),
    });
    expect((await run([deep(64)]).outcome).outcome).toBe('returned');
    expect((await run([deep(65)]).outcome).outcome).toBe('unserializable');
    expect((await run([deep(100_000)]).outcome).outcome).not.toBe('returned');
  });

  it('rejects a result that would be too large once it is escaped', async () => {
    const strings = (count: number) =>
      payload({ outcome: 'returned', value: { raw: Array(count).fill('') } });
    const quotes = (count: number) => payload({ outcome: 'returned', value: { raw: '"'.repeat(count) } });
    expect((await run([quotes(100_000)]).outcome).outcome).toBe('returned');
    expect((await run([quotes(2_000_000)]).outcome).outcome).toBe('too_large');
    expect((await run([strings(99_997)]).outcome).outcome).toBe('returned');
    expect((await run([strings(99_998)]).outcome).outcome).toBe('too_large');
  });

  it('is rejected when its arguments exceed the limit of an instance', async () => {
    const { outcome, sent } = run([payload({})], { args: new Secret('x'.repeat(6_000_000)) });
    await expect(outcome).rejects.toMatchObject({ code: 'payload_too_large' });
    expect(sent).toHaveLength(0);
  });
});
