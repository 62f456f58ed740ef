import type { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { createReactorRunner } from '../../../src/adapters/lambda/reactor-runner.ts';
import type { RunRequest } from '../../../src/core/reactors/reactor-runner.ts';
import { Secret } from '../../../src/core/shared/secret.ts';

type Answer = { FunctionError?: string; Payload?: Uint8Array } | Error;

const named = (name: string, httpStatusCode?: number) =>
  Object.assign(new Error('x'), { name, ...(httpStatusCode && { $metadata: { httpStatusCode } }) });
const payload = (value: unknown): Answer => ({ Payload: Buffer.from(JSON.stringify(value)) });

/** A client that gives these answers one after the other, the last one again and again. */
function aClient(...answers: Answer[]) {
  const sent: InvokeCommand[] = [];
  const client = {
    send: (command: InvokeCommand) => {
      const answer = answers[Math.min(sent.length, answers.length - 1)];
      sent.push(command);
      return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer);
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
  deadline: Date.now() + 5_000,
  ...more,
});

const run = (answers: Answer[], more: Partial<RunRequest> = {}, allowList: readonly string[] = []) => {
  const { client, sent } = aClient(...answers);
  return {
    outcome: createReactorRunner(client, { namePrefix: 'p-', egressAllowList: allowList }).run(
      aRequest(more),
    ),
    sent,
  };
};

describe('a run', () => {
  it('sends arguments, configuration, credential and the hash of the code that is meant', async () => {
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
    const { outcome } = run([named('TooManyRequestsException', 429)], { deadline: Date.now() + 300 });
    await expect(outcome).rejects.toMatchObject({ code: 'dependency_unavailable' });
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

  it('does not hide a refusal', async () => {
    await expect(run([named('AccessDeniedException', 403)]).outcome).rejects.toThrow('x');
  });

  it.each([
    ['an instance that died', { FunctionError: 'Unhandled', Payload: Buffer.from('{}') }],
    ['no payload', {}],
    ['what is not JSON', { Payload: Buffer.from('<html>') }],
    ['another shape', payload({ outcome: 'threw', error: { message: 5 } })],
    ['an outcome that there is not', payload({ outcome: 'nice' })],
    ['prototype members', { Payload: Buffer.from('{"__proto__":{"outcome":"returned"}}') }],
  ] as [string, Answer][])('without an answer: %s', async (_title, answer) => {
    expect(await run([answer]).outcome).toEqual({ outcome: 'exited' });
  });

  it('may reach the ports that the deployer admits on the machine itself, and no others', async () => {
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

  it('is of a version by its number if one is asked for', async () => {
    const { outcome, sent } = run([payload({ outcome: 'stale' })], { functionVersion: '7' });
    expect(await outcome).toEqual({ outcome: 'stale' });
    expect(sent.map(({ input }) => input.Qualifier)).toEqual(['7']);
  });

  it('of a reactor that was deleted meanwhile is stale: the record tells the rest', async () => {
    expect(await run([named('ResourceNotFoundException', 404)]).outcome).toEqual({ outcome: 'stale' });
  });

  it('has no answer that is nested deeper than 64 levels', async () => {
    const deep = (levels: number) => ({
      Payload: Buffer.from(`{"outcome":"returned","value":${'['.repeat(levels)}${']'.repeat(levels)}}`),
    });
    expect((await run([deep(64)]).outcome).outcome).toBe('returned');
    expect((await run([deep(65)]).outcome).outcome).toBe('unserializable');
    expect((await run([deep(100_000)]).outcome).outcome).not.toBe('returned');
  });

  it('has no answer that would not fit once it is escaped', async () => {
    const strings = (count: number) =>
      payload({ outcome: 'returned', value: { raw: Array(count).fill('') } });
    const quotes = (count: number) => payload({ outcome: 'returned', value: { raw: '"'.repeat(count) } });
    expect((await run([quotes(100_000)]).outcome).outcome).toBe('returned');
    expect((await run([quotes(2_000_000)]).outcome).outcome).toBe('too_large');
    expect((await run([strings(99_997)]).outcome).outcome).toBe('returned');
    expect((await run([strings(99_998)]).outcome).outcome).toBe('too_large');
  });

  it('is refused when its arguments are more than an instance takes', async () => {
    const { outcome, sent } = run([payload({})], { args: new Secret('x'.repeat(6_000_000)) });
    await expect(outcome).rejects.toMatchObject({ code: 'payload_too_large' });
    expect(sent).toHaveLength(0);
  });
});
