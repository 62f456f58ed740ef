import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import {
  CreateFunctionCommand,
  DeleteFunctionCommand,
  InvokeCommand,
  UpdateFunctionCodeCommand,
  type CreateFunctionCommandInput,
} from '@aws-sdk/client-lambda';
import { strToU8, zipSync } from 'fflate';
import { untilTrue } from '../../../test-kit/src/until.ts';
import type { LambdaOptions } from '../../src/lambda/create-lambda.ts';
import { aLambda, layerArn, roleArn, type ALambda } from './a-lambda.ts';
import { aLayer } from './a-layer.ts';
import { aZip } from './a-zip.ts';

let lambda: ALambda;

async function start(options: Partial<LambdaOptions> = {}): Promise<void> {
  lambda = await aLambda(options);
  await lambda.control({ pendingMs: 0, controlPerSecond: 1000 });
}

afterEach(() => lambda.close());

async function define(
  handler: string,
  parts: Partial<CreateFunctionCommandInput> = {},
  name = 'fn',
): Promise<void> {
  await lambda.client.send(
    new CreateFunctionCommand({
      FunctionName: name,
      Code: { ZipFile: aZip(handler) },
      Role: roleArn('silent'),
      Runtime: 'provided.al2023',
      Handler: 'reactor.handler',
      Layers: [layerArn],
      Timeout: 600,
      MemorySize: 512,
      ...parts,
    }),
  );
}

interface Response {
  readonly error: string | undefined;
  readonly result: any;
}

async function invoke(event: unknown = {}, name = 'fn'): Promise<Response> {
  const response = await lambda.client.send(
    new InvokeCommand({ FunctionName: name, Payload: JSON.stringify(event) }),
  );
  return {
    error: response.FunctionError,
    result: JSON.parse(Buffer.from(response.Payload ?? []).toString()),
  };
}

/** Zombies have ended: only their parent has not collected them yet. */
function runs(pid: number): boolean {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${String(pid)}/status`, 'utf8'));
  } catch {
    return false;
  }
}

const untilEnded = (pid: number): Promise<true> => untilTrue(() => !runs(pid));

it('an instance has the environment of Lambda, a folder for its code, and an empty one for temporary files', async () => {
  process.env['HOST_SECRET'] = 'not for functions';
  await start();
  await define(
    `async () => ({ environment: process.env, cwd: process.cwd(), files: require('fs').readdirSync('.'),
       temporary: require('fs').readdirSync(process.env.TMPDIR) })`,
    { Environment: { Variables: { OWN: 'yes' } } },
  );
  const { result } = await invoke();
  const { environment } = result;
  expect(environment).toEqual({
    OWN: 'yes',
    AWS_LAMBDA_RUNTIME_API: expect.stringMatching(/^127\.0\.0\.1:\d+$/),
    LAMBDA_TASK_ROOT: result.cwd,
    _HANDLER: 'reactor.handler',
    AWS_REGION: 'us-east-1',
    AWS_DEFAULT_REGION: 'us-east-1',
    AWS_LAMBDA_FUNCTION_NAME: 'fn',
    AWS_LAMBDA_FUNCTION_VERSION: '$LATEST',
    AWS_LAMBDA_FUNCTION_MEMORY_SIZE: '512',
    AWS_LAMBDA_INITIALIZATION_TYPE: 'on-demand',
    AWS_LAMBDA_LOG_GROUP_NAME: '/aws/lambda/fn',
    AWS_LAMBDA_LOG_STREAM_NAME: expect.stringMatching(/^\d{4}\/\d\d\/\d\d\/\[\$LATEST\][0-9a-f]{32}$/),
    AWS_EXECUTION_ENV: 'AWS_Lambda_provided.al2023',
    AWS_ACCESS_KEY_ID: expect.stringMatching(/^ASIA/),
    AWS_SECRET_ACCESS_KEY: expect.any(String),
    AWS_SESSION_TOKEN: expect.any(String),
    AWS_ENDPOINT_URL: lambda.endpoint.url,
    TMPDIR: expect.any(String),
    PATH: expect.stringContaining('/usr/bin'),
    LANG: 'en_US.UTF-8',
    TZ: ':UTC',
    // Variables that /bin/sh itself sets before it becomes Node.
    ...(environment.PWD !== undefined && { PWD: result.cwd }),
    ...(environment.OLDPWD !== undefined && { OLDPWD: expect.any(String) }),
    ...(environment.SHLVL !== undefined && { SHLVL: expect.any(String) }),
    ...(environment._ !== undefined && { _: expect.any(String) }),
  });
  expect(result.files).toEqual(['index.cjs']);
  expect(result.temporary).toEqual([]);
});

it('a bootstrap in the code takes precedence over that of the layer', async () => {
  await start();
  const script = `#!/bin/sh
api="http://$AWS_LAMBDA_RUNTIME_API/2018-06-01/runtime/invocation"
exec "${process.execPath}" -e '
  const api = process.argv[1];
  (async () => { for (;;) {
    const next = await fetch(api + "/next");
    await fetch(api + "/" + next.headers.get("lambda-runtime-aws-request-id") + "/response", { method: "POST", body: "\\"mine\\"" });
  } })();' "$api"
`;
  await define('', { Code: { ZipFile: zipSync({ bootstrap: strToU8(script) }) } });
  expect(await invoke()).toEqual({ error: undefined, result: 'mine' });
});

it('an invocation without any bootstrap fails with that reason', async () => {
  await start();
  await define('', { Layers: [] });
  expect(await invoke()).toMatchObject({
    error: 'Unhandled',
    result: { errorType: 'Runtime.ExitError', errorMessage: expect.stringMatching(/bootstrap/) },
  });
});

describe('the Runtime API', () => {
  it('returns an invocation with its headers', async () => {
    await start();
    await define('async (event, { headers }) => ({ headers, now: Date.now() })');
    const { headers, now } = (await invoke()).result;
    expect(headers).toMatchObject({
      'lambda-runtime-aws-request-id': expect.stringMatching(/^[0-9a-f-]{36}$/),
      'lambda-runtime-invoked-function-arn': 'arn:aws:lambda:us-east-1:000000000000:function:fn',
      'lambda-runtime-trace-id': expect.any(String),
      'content-type': 'application/json',
    });
    const left = Number(headers['lambda-runtime-deadline-ms']) - now;
    // jest would have ended a slower test.
    expect(left).toBeGreaterThan(0);
    expect(left).toBeLessThanOrEqual(600_000);
  });

  it('rejects steps out of order, and the invocation stays active', async () => {
    await start();
    await define(`async (event, { id, call }) => [
      await call('GET', 'invocation/next'),
      await call('POST', 'invocation/other/response', '1'),
      await call('POST', 'init/error', '{}'),
      await call('GET', 'nothing'),
    ].map(({ status, body }) => [status, JSON.parse(body).errorType])`);
    expect((await invoke()).result).toEqual([
      [403, 'InvalidStateTransition'],
      [400, 'InvalidRequestID'],
      [403, 'InvalidStateTransition'],
      [404, 'NotFound'],
    ]);
  });

  it('accepts one response for an invocation', async () => {
    await start();
    await define(`async (event, { id, call }) => {
      if (event === 'second') return global.second;
      await call('POST', 'invocation/' + id + '/response', '"first"');
      const { status, body } = await call('POST', 'invocation/' + id + '/response', '"again"');
      global.second = [status, JSON.parse(body).errorType];
    }`);
    expect((await invoke()).result).toBe('first');
    expect((await invoke('second')).result).toEqual([403, 'InvalidStateTransition']);
  });

  it('accepts an error, and the instance stays in use', async () => {
    await start();
    await define('async (event) => { if (event.fail) throw new TypeError("no"); return process.pid; }');
    const { result: pid } = await invoke();
    expect(await invoke({ fail: true })).toEqual({
      error: 'Unhandled',
      result: { errorType: 'TypeError', errorMessage: 'no' },
    });
    expect((await invoke()).result).toBe(pid);
  });

  it('rejects a response over 6 MB', async () => {
    await start();
    await define('async ({ n }) => "x".repeat(n)');
    expect((await invoke({ n: 6_291_554 })).result).toHaveLength(6_291_554);
    expect(await invoke({ n: 6_291_555 })).toMatchObject({
      error: 'Unhandled',
      result: { errorType: 'Function.ResponseSizeTooLarge' },
    });
  });

  it('receives the reason why the code does not load', async () => {
    await start();
    await define('(() => { throw new Error("at the top"); })()');
    for (const _ of [1, 2])
      expect(await invoke()).toEqual({
        error: 'Unhandled',
        result: { errorType: 'Runtime.Init', errorMessage: 'at the top' },
      });
  });
});

describe('instances', () => {
  /**
   * Waits for a time, or until enough invocations have reached a folder, however long it takes to
   * start them.
   */
  const slow = `async ({ ms = 0, meet, of }) => {
    const { readdirSync, writeFileSync } = require('node:fs');
    const wait = (ms) => new Promise((r) => setTimeout(r, ms));
    if (meet) writeFileSync(meet + '/' + process.pid + '-' + Math.random(), '');
    while (meet && readdirSync(meet).length < of) await wait(10);
    await wait(ms);
    return process.pid;
  }`;

  /** A folder for `meet`, which the test itself joins. */
  function meeting(of: number) {
    const meet = mkdtempSync(join(tmpdir(), 'cloakroom-meet-'));
    return {
      event: { meet, of },
      join: () => {
        writeFileSync(join(meet, 'the test'), '');
      },
      untilMet: async (count: number) => {
        await untilTrue(() => readdirSync(meet).length >= count);
      },
      end: () => {
        rmSync(meet, { recursive: true });
      },
    };
  }

  /** The processes of two invocations that run at the same time. */
  async function twoProcesses(): Promise<readonly number[]> {
    const { event, end } = meeting(2);
    const both = await Promise.all([invoke(event), invoke(event)]);
    end();
    return both.map(({ result }) => result as number);
  }

  it('are reused, and more are started while all are busy', async () => {
    await start();
    await define(slow);
    const first = (await invoke()).result;
    for (const _ of [1, 2, 3]) expect((await invoke()).result).toBe(first);
    expect(new Set(await twoProcesses()).size).toBe(2);
    expect(await lambda.control()).toMatchObject({ instances: { fn: 2 } });
  });

  it('are limited: further invocations wait, and too many are throttled', async () => {
    await start({ maxInstancesPerVersion: 1, maxQueuedPerVersion: 1 });
    await define(slow);
    const pid = (await invoke()).result;
    const busy = meeting(2);
    const running = [invoke(busy.event)];
    await busy.untilMet(1);
    const refused = Promise.withResolvers<unknown>();
    for (const _ of [1, 2]) {
      const further = invoke();
      further.catch(refused.resolve);
      running.push(further);
    }
    expect(await refused.promise).toMatchObject({
      name: 'TooManyRequestsException',
      $metadata: { httpStatusCode: 429 },
    });
    busy.join();
    const responses = (await Promise.allSettled(running)).flatMap((settled) =>
      settled.status === 'fulfilled' ? [settled.value.result] : [],
    );
    expect(responses).toEqual([pid, pid]);
    busy.end();
  });

  it('instances of all functions together are limited: the longest idle one is stopped for a new one', async () => {
    await start({ maxInstances: 2 });
    for (const name of ['a', 'b', 'c']) await define(slow, {}, name);
    const first = (await invoke({}, 'a')).result;
    await invoke({}, 'b');
    await invoke({}, 'c');
    expect((await lambda.control())['instances']).toEqual({ b: 1, c: 1 });
    await untilEnded(first);
    const three = await Promise.all(['a', 'b', 'c'].map((name) => invoke({ ms: 200 }, name)));
    expect(new Set(three.map(({ result }) => result)).size).toBe(3);
  });

  it('stop after a long idle time', async () => {
    await start({ idleMs: 200 });
    await define(slow);
    await untilEnded((await invoke()).result);
    expect((await lambda.control())['instances']).toEqual({});
  });

  it('instances of old code stop when they are idle, and busy ones finish', async () => {
    await start();
    await define(slow);
    const old = await twoProcesses();
    const busy = meeting(2);
    const running = invoke(busy.event);
    await busy.untilMet(1);
    const ZipFile = aZip('async () => "new"');
    await lambda.client.send(new UpdateFunctionCodeCommand({ FunctionName: 'fn', ZipFile }));
    expect((await invoke()).result).toBe('new');
    busy.join();
    expect(old).toContain((await running).result);
    busy.end();
    await Promise.all(old.map(untilEnded));
  });

  it('end with their function', async () => {
    await start();
    await define(slow);
    const { result } = await invoke();
    await lambda.client.send(new DeleteFunctionCommand({ FunctionName: 'fn' }));
    await untilEnded(result);
  });
});

describe('the end of a process', () => {
  const dying = `async ({ how }) => {
    if (how === 'exit') process.exit(3);
    if (how === 'quiet') process.exit(0);
    if (how === 'kill') process.kill(process.pid, 'SIGKILL');
    if (how === 'hang') for (;;);
    if (how === 'late') setTimeout(() => process.exit(1), 50);
    return process.pid;
  }`;

  it.each([
    ['exit', 'Error: Runtime exited with error: exit status 3'],
    ['quiet', 'Error: Runtime exited without providing a reason'],
    ['kill', 'Error: Runtime exited with error: signal: killed'],
  ])(
    'the end of a process by %s fails its invocation, and the next one has another process',
    async (how, message) => {
      await start();
      await define(dying);
      const { result: pid } = await invoke();
      const { error, result } = await invoke({ how });
      expect({ error, ...result }).toEqual({
        error: 'Unhandled',
        errorType: 'Runtime.ExitError',
        errorMessage: expect.stringMatching(new RegExp(`^RequestId: [0-9a-f-]{36} ${message}$`)),
      });
      expect((await invoke()).result).not.toBe(pid);
    },
  );

  it('the end of a process while it is idle harms no invocation', async () => {
    await start();
    await define(dying);
    const { result: pid } = await invoke({ how: 'late' });
    // Its parent has then heard of the end.
    await untilTrue(() => !existsSync(`/proc/${String(pid)}`));
    expect((await invoke()).result).not.toBe(pid);
  });

  it('comes at the deadline, whatever the process does', async () => {
    await start();
    await define(dying, { Timeout: 1 });
    const { result: pid } = await invoke();
    // Without the deadline it would never return.
    const { error, result } = await invoke({ how: 'hang' });
    expect(error).toBe('Unhandled');
    expect(result.errorMessage).toMatch(/^RequestId: \S+ Error: Task timed out after 1\.00 seconds$/);
    await untilEnded(pid);
    expect((await invoke()).result).not.toBe(pid);
  });

  it('comes with too much memory', async () => {
    await start();
    await define(
      'async () => { const all = []; for (;;) { all.push(Buffer.alloc(1e7, 1)); await new Promise((r) => setTimeout(r, 5)); } }',
      { MemorySize: 192 },
    );
    expect(await invoke()).toMatchObject({
      error: 'Unhandled',
      result: { errorType: 'Runtime.ExitError', errorMessage: expect.stringMatching(/signal: killed$/) },
    });
  });

  it('comes when the code takes too long to load', async () => {
    await start({ initTimeoutMs: 500 });
    await define('(() => { for (;;); })()');
    expect((await invoke()).result.errorMessage).toMatch(/Init timed out after 0\.50 seconds$/);
  });

  it('also ends its child processes', async () => {
    await start();
    await define(
      `async ({ how }) => {
        if (how === 'hang') Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
        return require('child_process').spawn('sleep', ['60']).pid;
      }`,
      { Timeout: 1 },
    );
    const { result: pid } = await invoke();
    expect(runs(pid)).toBe(true);
    await invoke({ how: 'hang' });
    await untilEnded(pid);
  });
});

describe('the output of a function', () => {
  const talking = 'async () => { console.log("said"); console.error("complained"); }';

  it('is lost if its role may not write logs', async () => {
    await start();
    await define(talking);
    await invoke();
    await define('async () => { console.log("said later"); }', { Role: roleArn('talkative') }, 'other');
    await invoke({}, 'other');
    await untilTrue(() => lambda.printed.length > 0);
    expect(lambda.printed).toEqual(['said later\n']);
  });

  it('is returned on request, without logging, if its role may not write logs', async () => {
    const unlogged: string[] = [];
    await start({ onUnlogged: (_name, text) => unlogged.push(text) });
    await define(talking);
    await invoke();
    await untilTrue(() => unlogged.join('').split('\n').length === 3);
    expect(unlogged.join('').split('\n').toSorted()).toEqual(['', 'complained', 'said']);
    expect(lambda.printed).toEqual([]);
  });

  it('is logged if its role allows it', async () => {
    await start();
    await define(talking, { Role: roleArn('talkative') });
    await invoke();
    await untilTrue(() => lambda.printed.join('').split('\n').length === 3);
    expect(lambda.printed.join('').split('\n').toSorted()).toEqual(['', 'complained', 'said']);
  });

  it.each(['silent', 'talkative'])('does not block it in any amount: %s', async (role) => {
    await start();
    await define(
      `async () => { const text = 'x'.repeat(1e5);
        for (let n = 0; n < 400; n += 1) await new Promise((done) => process.stdout.write(text, done)); }`,
      { Role: roleArn(role) },
    );
    expect((await invoke()).error).toBeUndefined();
  });
});

describe('closing', () => {
  it('kills every process and removes every folder', async () => {
    await start();
    await define(
      `async ({ sign }) => {
        if (sign) { require('fs').writeFileSync(sign, ''); for (;;); }
        return [process.pid, process.env.LAMBDA_TASK_ROOT];
      }`,
    );
    const [pid, folder] = (await invoke()).result;
    const sign = join(mkdtempSync(join(tmpdir(), 'cloakroom-sign-')), 'runs');
    const running = invoke({ sign });
    running.catch(() => undefined);
    await untilTrue(() => existsSync(sign));
    await lambda.close();
    await untilEnded(pid);
    expect(existsSync(folder)).toBe(false);
    expect(existsSync(dirname(folder))).toBe(false);
    rmSync(dirname(sign), { recursive: true });
    await start();
  });

  it.each(['SIGKILL', 'SIGTERM'] as const)(
    'a process and its stopped child end with its parent: %s',
    async (signal) => {
      await start();
      const layer = aLayer();
      const parent = spawn(process.execPath, [join(import.meta.dirname, 'fixture-parent.ts'), layer], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      const [output] = (await once(parent.stdout, 'data')) as [Buffer];
      const pids = JSON.parse(output.toString()) as readonly number[];
      expect(pids.map(runs)).toEqual([true, true]);
      parent.kill(signal);
      await once(parent, 'close');
      for (const pid of pids) await untilEnded(pid);
      rmSync(layer, { recursive: true });
      const left = readdirSync(tmpdir()).filter((name) =>
        name.startsWith(`local-aws-lambda-${String(parent.pid)}-`),
      );
      // The next start removes the folders of a killed process.
      for (const name of left) rmSync(join(tmpdir(), name), { recursive: true });
    },
  );
});
