import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { untilTrue } from '../../../test-kit/src/until.ts';
import type { FunctionHost } from '../../src/lambda/function-host.ts';
import type { FunctionDefinition } from '../../src/lambda/function-definition.ts';
import { aFunction, aHost } from './a-function.ts';

let host: ReturnType<typeof aHost>;

function start(
  definition: FunctionDefinition,
  { compileCache, ...options }: Parameters<typeof aHost>[1] & { readonly compileCache?: string } = {},
): FunctionHost {
  host = aHost([definition], options);
  host.start('http://127.0.0.1:4566', compileCache);
  return host;
}

async function call(functions: FunctionHost, event: unknown = {}): Promise<unknown> {
  const { payload } = await functions.invoke('fn', JSON.stringify(event));
  return JSON.parse(payload);
}

afterEach(() => host.close());

describe('an invocation', () => {
  it('passes the event to the handler and returns its result', async () => {
    const functions = start(aFunction('export const handler = async (event) => ({ got: event.x });'));
    expect(await functions.invoke('fn', '{"x":[1,"é"]}')).toEqual({
      failed: false,
      payload: '{"got":[1,"é"]}',
    });
  });

  it('an invocation without a result returns null', async () => {
    expect(await call(start(aFunction('export const handler = async () => undefined;')))).toBeNull();
  });

  it('has the context of Lambda', async () => {
    const code = `export const handler = async (event, context) =>
      ({ ...context, remaining: context.getRemainingTimeInMillis() });`;
    const functions = start(aFunction(code, { timeoutSeconds: 900, memoryMb: 256 }));
    const { payload } = await functions.invoke('fn', '{}', 'request-1');
    expect(JSON.parse(payload)).toMatchObject({
      awsRequestId: 'request-1',
      functionName: 'fn',
      functionVersion: '$LATEST',
      memoryLimitInMB: '256',
      invokedFunctionArn: 'arn:aws:lambda:us-east-1:000000000000:function:fn',
      logGroupName: '/aws/lambda/fn',
    });
    const { remaining } = JSON.parse(payload) as { remaining: number };
    // jest ends a slower test.
    expect(remaining).toBeGreaterThan(300_000);
    expect(remaining).toBeLessThanOrEqual(900_000);
  });

  it('finds a handler in a folder and in a CommonJS module', async () => {
    const { codeDirectory } = aFunction('');
    mkdirSync(`${codeDirectory}/src`);
    writeFileSync(`${codeDirectory}/src/main.cjs`, 'exports.run = async () => "cjs";');
    expect(await call(start(aFunction('', { codeDirectory, handler: 'src/main.run' })))).toBe('cjs');
  });
});

describe('the environment of a function', () => {
  const code = 'export const handler = async () => ({ ...process.env });';

  it('does not contain the folder of Node’s compile cache', async () => {
    const compileCache = mkdtempSync(join(tmpdir(), 'compile-cache-'));
    expect(await call(start(aFunction(code), { compileCache }))).not.toHaveProperty('NODE_COMPILE_CACHE');
    await host.close();
    expect(readdirSync(compileCache)).not.toEqual([]);
    const own = aFunction(code, { environment: { NODE_COMPILE_CACHE: '/tmp/own' } });
    expect(await call(start(own, { compileCache }))).toHaveProperty('NODE_COMPILE_CACHE', '/tmp/own');
    rmSync(compileCache, { recursive: true });
  });

  it('can be loaded in advance: the compile cache then has code that no invocation ran', async () => {
    const compileCache = mkdtempSync(join(tmpdir(), 'compile-cache-'));
    const functions = start(aFunction('throw new Error("it does not load");'), { compileCache });
    await functions.load();
    expect(readdirSync(compileCache)).toHaveLength(1);
    rmSync(compileCache, { recursive: true });
  });

  it('is exactly what its template and Lambda set', async () => {
    process.env['HOST_SECRET'] = 'not for functions';
    const definition = aFunction(code, { environment: { TABLE: 'T', NODE_OPTIONS: '--enable-source-maps' } });
    expect(await call(start(definition))).toEqual({
      TABLE: 'T',
      NODE_OPTIONS: '--enable-source-maps',
      AWS_REGION: 'us-east-1',
      AWS_DEFAULT_REGION: 'us-east-1',
      AWS_LAMBDA_FUNCTION_NAME: 'fn',
      AWS_LAMBDA_FUNCTION_MEMORY_SIZE: '128',
      AWS_LAMBDA_FUNCTION_VERSION: '$LATEST',
      AWS_LAMBDA_LOG_GROUP_NAME: '/aws/lambda/fn',
      AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs24.x',
      LAMBDA_TASK_ROOT: definition.codeDirectory,
      AWS_ACCESS_KEY_ID: 'key of arn:aws:iam::000000000000:role/fn',
      AWS_SECRET_ACCESS_KEY: 'secret',
      AWS_SESSION_TOKEN: 'token',
      AWS_ENDPOINT_URL: 'http://127.0.0.1:4566',
      TZ: ':UTC',
    });
  });

  it('is isolated from the host: changes stay inside', async () => {
    const functions = start(aFunction('export const handler = async () => { process.env.LEAK = "x"; };'));
    await call(functions);
    expect(process.env['LEAK']).toBeUndefined();
  });
});

describe('instances', () => {
  const counting = 'let n = 0; export const handler = async () => ++n;';
  const slow = `let n = 0;
    export const handler = async ({ ms }) => { const mine = ++n; await new Promise((r) => setTimeout(r, ms)); return mine; };`;

  it('are reused for one invocation after the other', async () => {
    const functions = start(aFunction(counting));
    expect([await call(functions), await call(functions), await call(functions)]).toEqual([1, 2, 3]);
  });

  it('run one invocation at a time; more are started while all are busy', async () => {
    const meeting = mkdtempSync(join(tmpdir(), 'meeting-'));
    const functions = start(
      aFunction(`import { readdirSync, writeFileSync } from 'node:fs';
        let n = 0;
        export const handler = async ({ name }) => {
          const mine = ++n;
          writeFileSync(${JSON.stringify(meeting)} + '/' + name, '');
          while (readdirSync(${JSON.stringify(meeting)}).length < 2) await new Promise((r) => setTimeout(r, 5));
          return mine;
        };`),
    );
    // Neither returns before both run, however slowly an instance starts.
    expect(await Promise.all(['a', 'b'].map((name) => call(functions, { name })))).toEqual([1, 1]);
    rmSync(meeting, { recursive: true });
  });

  it('never exceed the reserved concurrency: further invocations wait for their turn', async () => {
    const functions = start(aFunction(slow, { reservedConcurrency: 1 }));
    const counts = await Promise.all([1, 2, 3].map(() => call(functions, { ms: 20 })));
    expect(counts).toEqual([1, 2, 3]);
  });

  it('throttle once too many invocations wait', async () => {
    const functions = start(aFunction(slow), { maxInstancesPerFunction: 1, maxQueuedPerFunction: 1 });
    await call(functions, { ms: 0 });
    const running = [call(functions, { ms: 0 }), call(functions, { ms: 0 })];
    await expect(call(functions)).rejects.toMatchObject({ code: 'TooManyRequestsException', status: 429 });
    expect(await Promise.all(running)).toEqual([2, 3]);
  });

  it('are not started with a reserved concurrency of 0', async () => {
    const functions = start(aFunction(counting, { reservedConcurrency: 0 }));
    await expect(call(functions)).rejects.toMatchObject({ code: 'TooManyRequestsException' });
  });

  it('stop after a long idle time', async () => {
    const functions = start(aFunction(counting), { idleMs: 20 });
    expect(await call(functions)).toBe(1);
    // Another instance starts at one again; this one would continue its count.
    await untilTrue(async () => (await call(functions)) === 1);
  });
});

describe('a failure', () => {
  it('a failure of the handler has the form of Lambda and leaves the instance in use', async () => {
    const code = `let n = 0;
      export const handler = async () => { n += 1; if (n === 1) throw new TypeError('boom'); return n; };`;
    const functions = start(aFunction(code));
    const { failed, payload } = await functions.invoke('fn', '{}');
    expect(failed).toBe(true);
    expect(JSON.parse(payload)).toEqual({
      errorType: 'TypeError',
      errorMessage: 'boom',
      trace: expect.any(Array),
    });
    expect(await call(functions)).toBe(2);
  });

  it('a failure through the timeout ends the invocation, and the next one gets a fresh instance', async () => {
    const code = 'let n = 0; export const handler = ({ hang }) => { n += 1; while (hang); return n; };';
    const functions = start(aFunction(code, { timeoutSeconds: 0.5 }));
    const { failed, payload } = await functions.invoke('fn', '{"hang":true}', 'r1');
    expect({ failed, ...(JSON.parse(payload) as object) }).toEqual({
      failed: true,
      errorType: 'Sandbox.Timedout',
      errorMessage: 'RequestId: r1 Error: Task timed out after 0.50 seconds',
    });
    // The instance that hung would count on. A slow machine may need more than one look.
    await untilTrue(async () => (await call(functions)) === 1);
  });

  it.each([
    ['process.exit', 'process.exit(3)', { errorType: 'Runtime.ExitError', errorMessage: /exit status 3$/ }],
    [
      'an uncaught exception',
      'setTimeout(() => { throw new RangeError("late"); }); await new Promise(() => {})',
      { errorType: 'RangeError', errorMessage: /^late$/ },
    ],
    [
      'an unhandled rejection',
      'Promise.reject(new RangeError("lost")); await new Promise(() => {})',
      { errorType: 'RangeError', errorMessage: /^lost$/ },
    ],
  ])('a failure by %s ends the instance and not the host', async (_what, statement, expected) => {
    const code = `let n = 0; export const handler = async ({ crash }) => { n += 1; if (crash) { ${statement} } return n; };`;
    const functions = start(aFunction(code));
    expect(await call(functions)).toBe(1);
    const error = (await call(functions, { crash: true })) as Record<string, string>;
    expect(error['errorType']).toBe(expected.errorType);
    expect(error['errorMessage']).toMatch(expected.errorMessage);
    expect(await call(functions)).toBe(1);
  });

  it('a failure of memory ends the instance and not the host', async () => {
    const code =
      'export const handler = async () => { const all = []; for (;;) all.push(new Array(1e5).fill(all.length)); };';
    expect(await call(start(aFunction(code)))).toMatchObject({ errorType: 'Runtime.OutOfMemory' });
  });

  it.each([
    ['missing code', { handler: 'other.handler' }, 'Runtime.ImportModuleError'],
    ['a handler that is not exported', { handler: 'index.other' }, 'Runtime.HandlerNotFound'],
    ['a handler with a callback', { handler: 'index.old' }, 'Runtime.CallbackHandlerDeprecated'],
  ])('a module that fails to load is reported: %s', async (_what, parts, errorType) => {
    const functions = start(aFunction('export const old = (event, context, callback) => callback();', parts));
    expect(await call(functions)).toMatchObject({ errorType });
    expect(await call(functions)).toMatchObject({ errorType });
  });

  it('a failure at the top of the module is the response to the invocation', async () => {
    const functions = start(aFunction('throw new SyntaxError("at the top");'));
    expect(await call(functions)).toMatchObject({ errorType: 'SyntaxError', errorMessage: 'at the top' });
    expect(host.printed.join('')).toContain('at the top');
  });
});

describe('payloads', () => {
  it('payloads over 6 MB are rejected', async () => {
    const functions = start(aFunction('export const handler = async (event) => event.length;'));
    expect(await call(functions, 'x'.repeat(6_291_554))).toBe(6_291_554);
    await expect(call(functions, 'x'.repeat(6_291_555))).rejects.toMatchObject({
      code: 'RequestTooLargeException',
      status: 413,
    });
    await expect(call(functions, 'é'.repeat(3_200_000))).rejects.toMatchObject({ status: 413 });
  });

  it('payloads over 6 MB cannot be a result', async () => {
    const functions = start(aFunction('export const handler = async ({ n }) => "x".repeat(n);'));
    expect(await call(functions, { n: 6_291_554 })).toHaveLength(6_291_554);
    expect(await call(functions, { n: 6_291_555 })).toMatchObject({
      errorType: 'Function.ResponseSizeTooLarge',
    });
  });
});

it('the output of a function is logged', async () => {
  const code = 'export const handler = async () => { console.log("out"); console.error("err"); };';
  await call(start(aFunction(code)));
  await untilTrue(() => ['out\n', 'err\n'].every((text) => host.printed.includes(text)));
});

describe('a function is found', () => {
  it.each([
    'fn',
    'fn:live',
    '000000000000:function:fn',
    'arn:aws:lambda:us-east-1:000000000000:function:fn',
    'fn:$LATEST',
  ])('a function is found as %s', (name) => {
    start(aFunction(''));
    host.defineQualifier('fn', 'live');
    expect(host.find(name).definition.name).toBe('fn');
  });

  it('a function is found by no other name', () => {
    start(aFunction(''));
    expect(() => host.find('other')).toThrow(
      expect.objectContaining({ code: 'ResourceNotFoundException', status: 404 }),
    );
    expect(() => host.find('fn:dead')).toThrow(
      expect.objectContaining({ code: 'ResourceNotFoundException' }),
    );
  });
});

it('closing ends running and waiting invocations', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'sign-'));
  const sign = JSON.stringify(join(folder, 'runs'));
  const code = `import { writeFileSync } from 'node:fs';
    export const handler = () => { writeFileSync(${sign}, ''); for (;;); };`;
  const functions = start(aFunction(code), { maxInstancesPerFunction: 1 });
  const outcomes = Promise.all([functions.invoke('fn', '{}'), functions.invoke('fn', '{}')]);
  await untilTrue(() => existsSync(join(folder, 'runs')));
  await functions.close();
  rmSync(folder, { recursive: true });
  expect((await outcomes).map(({ failed }) => failed)).toEqual([true, true]);
});
