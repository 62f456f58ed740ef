import { spawn, type ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { codeHash } from '../../src/core/reactors/code-hash.ts';
import type { Image } from '../../src/core/reactors/layer.ts';
import type { PackageBundle } from '../../src/core/reactors/package-bundle.ts';
import { packageFiles } from '../../src/core/reactors/package-files.ts';
import { noteUse } from '../budgets.ts';

/** The result that Lambda would return to the caller: the runtime's response, or its failure. */
export interface InvocationResult {
  readonly response?: any;
  /** The unchanged response. */
  readonly text?: string;
  /** The runtime reported an error, or its process ended without a response. */
  readonly failure?: any;
}

export interface ReactorProcess {
  readonly codeSha256: string;
  readonly port: number;
  readonly temp: string;
  /** Processes started so far: another one starts when the last one ends, as on Lambda. */
  readonly started: () => number;
  readonly pid: () => number | undefined;
  /** Number of requests for the next event. */
  readonly asked: () => number;
  /** Milliseconds from the start of the last process to its first `next`. */
  readonly coldStartMs: () => number;
  /** Output of the runtime on its standard streams, the last 100,000 characters. */
  readonly printed: () => string;
  /** Sends an event of the contract; `changes` overrides the defaults. */
  invoke(args?: unknown, changes?: Record<string, unknown>): Promise<InvocationResult>;
  /** Sends any payload. */
  send(payload: string): Promise<InvocationResult>;
  close(): Promise<void>;
}

interface Pending {
  readonly id: string;
  readonly payload: string;
  readonly settle: (result: InvocationResult) => void;
}

const HEADERS = {
  'Content-Type': 'application/json',
  'Lambda-Runtime-Deadline-Ms': '4102444800000',
  'Lambda-Runtime-Invoked-Function-Arn': 'arn:aws:lambda:eu-central-1:111122223333:function:reactor',
};

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

export interface ReactorOptions {
  /** Is that of the layer. */
  readonly image?: Image;
  /** The packages that the reactor brings. */
  readonly packages?: PackageBundle;
  readonly memoryMb?: number;
  readonly timeoutMs?: number;
  /** How long code may load; for code that must end by it. */
  readonly loadMs?: number;
  /** Runs instead of the layer's `bootstrap`, for comparisons, with the same environment. */
  readonly command?: readonly [string, ...string[]];
}

/** Runs `code` like Lambda: the layer's `bootstrap` in a separate process behind a Runtime API. */
export async function startReactor(
  layer: string,
  code: string,
  {
    image = 'node16',
    packages,
    memoryMb = 512,
    timeoutMs = 5_000,
    loadMs,
    command = [join(layer, 'bootstrap'), ...(loadMs === undefined ? [] : [String(loadMs)])],
  }: ReactorOptions = {},
): Promise<ReactorProcess> {
  // The temp folder of macOS has a name below /var, where the runtime prints nothing.
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'cloakroom-reactor-')));
  const taskRoot = join(folder, 'task');
  const temp = join(folder, 'tmp');
  for (const path of [taskRoot, temp]) mkdirSync(path);
  const files = { 'reactor.js': code, ...(packages && packageFiles(packages)) };
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(taskRoot, path)), { recursive: true });
    writeFileSync(join(taskRoot, path), text);
  }
  const codeSha256 = codeHash(code, { image, ...(packages && { packages }) });

  const queue: Pending[] = [];
  let running: Pending | undefined;
  let waiting: ServerResponse | undefined;
  let child: ChildProcess | undefined;
  let started = 0;
  let startedAt = 0;
  let coldStartMs = 0;
  let asked = 0;
  let closed = false;
  let printed = '';

  const give = () => {
    if (waiting === undefined || waiting.destroyed) return;
    const next = queue.shift();
    if (next === undefined) return;
    running = next;
    waiting.writeHead(200, { ...HEADERS, 'Lambda-Runtime-Aws-Request-Id': next.id });
    waiting.end(next.payload);
    waiting = undefined;
  };
  const finish = (result: InvocationResult) => {
    running?.settle(result);
    running = undefined;
  };

  const server = createServer((request, response) => {
    void (async () => {
      const path = request.url ?? '';
      if (path.endsWith('/invocation/next')) {
        asked += 1;
        if (coldStartMs === 0) coldStartMs = performance.now() - startedAt;
        waiting = response;
        give();
        return;
      }
      const body = await bodyOf(request);
      const isCurrent = running !== undefined && path.includes(running.id);
      if (isCurrent && path.endsWith('/response')) finish({ response: JSON.parse(body), text: body });
      else if (isCurrent && path.endsWith('/error')) finish({ failure: JSON.parse(body) });
      else if (path.endsWith('/init/error')) {
        // No event will follow.
        closed = true;
        for (const { settle } of queue) settle({ failure: JSON.parse(body) });
      } else {
        response.writeHead(403, HEADERS).end('{"errorType":"InvalidRequestID"}');
        return;
      }
      response.writeHead(202, HEADERS).end('{"status":"OK"}');
    })();
  });
  // An invocation that takes as long as the server keeps an idle connection would answer into one
  // that is being closed.
  server.keepAliveTimeout = 0;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;

  /** Kills everything that the runtime has started, as on Lambda. */
  const killGroup = () => {
    try {
      if (child?.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
    } catch {
      // All of its processes have ended.
    }
  };

  const start = () => {
    if (closed) return;
    noteUse('reactors started by their runtime');
    started += 1;
    [startedAt, coldStartMs] = [performance.now(), 0];
    const env = {
      AWS_LAMBDA_RUNTIME_API: `127.0.0.1:${String(port)}`,
      LAMBDA_TASK_ROOT: taskRoot,
      AWS_LAMBDA_FUNCTION_MEMORY_SIZE: String(memoryMb),
      TMPDIR: temp,
      PATH: process.env['PATH'] ?? '',
      AWS_SECRET_ACCESS_KEY: 'the-secret-of-the-role',
    };
    const [file, ...args] = command;
    child = spawn(file, args, { env, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
    for (const stream of [child.stdout, child.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => (printed = (printed + text).slice(-100_000)));
    }
    child.once('exit', (status, signal) => {
      killGroup();
      waiting = undefined;
      finish({ failure: { errorType: 'Runtime.ExitError', status, signal } });
      start();
    });
  };
  start();

  const send = (payload: string) =>
    new Promise<InvocationResult>((settle) => {
      queue.push({ id: randomUUID(), payload, settle });
      give();
    });

  return {
    codeSha256,
    port,
    temp,
    started: () => started,
    pid: () => child?.pid,
    asked: () => asked,
    coldStartMs: () => coldStartMs,
    printed: () => printed,
    send,
    invoke: (args = {}, changes = {}) =>
      send(
        JSON.stringify({
          version: 1,
          code_sha256: codeSha256,
          request: { args, configuration: {} },
          client: null,
          timeout_ms: timeoutMs,
          ...changes,
        }),
      ),
    close: async () => {
      closed = true;
      if (child?.exitCode === null && child.signalCode === null) {
        const gone = new Promise((resolve) => child?.once('exit', resolve));
        killGroup();
        await gone;
      }
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      chmodSync(temp, 0o700);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
