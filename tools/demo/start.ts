// `npm run demo [-- --pause]`: walks through the whole service in the terminal, with real calls to
// its own instance, and checks every result.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import { LIFETIME_SECONDS, playAll } from './chapters.ts';
import { makeCertificate } from '../../bin/receiver/local-certificate.ts';
import { admittedOrigins, startDestination, type Received } from './destination.ts';
import { createScreen } from './screen.ts';
import { startService } from './service.ts';
import { watchCalls } from './watch-calls.ts';

const USAGE = `npm run demo -- [options]

  --pause   wait for Enter before each chapter but the first: for a line of the input, if it is
            no terminal, or its end
  --help    print this

Starts its own service on a free port, needs openssl, and leaves nothing behind.
Exit code 0 if every result was as expected, 1 if not, 130 after Ctrl-C.
`;

class StoppedError extends Error {}

/** Undoes the start, last step first. */
type Closers = (() => Promise<void> | void)[];

function waitForEnter(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    // An input that has ended ends no second reader of its lines.
    if (process.stdin.readableEnded) {
      resolve();
      return;
    }
    const lines = createInterface({ input: process.stdin, output: process.stdout });
    const done = () => lines.close();
    lines.question('\n   Enter for the next chapter ', done);
    // The lines also close at the end of the input, and at Ctrl-C.
    lines.once('close', resolve);
    signal.addEventListener('abort', done, { once: true });
  });
}

/** The response of the payment provider; below `/v1` it has more than a caller should see. */
function charged({ path, headers, body }: Received): object {
  const { number } = JSON.parse(body) as { number: string };
  const charge = { charge: 'ch_1', last4: number.slice(-4) };
  if (!path.startsWith('/v1/')) return charge;
  return { ...charge, note: `${number} of ada@example.com`, risk: { score: 7 }, key: headers.authorization };
}

async function run(isPausing: boolean, signal: AbortSignal, closers: Closers): Promise<void> {
  const started = Date.now();
  const screen = createScreen(process.stdout);
  screen.title('Cloakroom: a walk through the whole service');
  if (isPausing && !process.stdin.isTTY)
    screen.say('The input is no terminal: each chapter waits for a line of it, or for its end.');
  screen.say('Starting a local service and a payment provider ...');
  const folder = mkdtempSync(join(tmpdir(), 'cloakroom-demo-'));
  closers.push(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  const certificate = makeCertificate(folder);
  const provider = await startDestination(certificate, charged);
  closers.push(() => provider.close());
  const receiver = await startDestination(certificate, () => ({ ok: true }));
  closers.push(() => receiver.close());
  const service = await startService({
    folder,
    certFile: certificate.certFile,
    signal,
    settings: {
      egressAllowList: admittedOrigins([provider, receiver]).join(','),
      hotConcurrency: '0',
      cvcLifetimeSeconds: String(LIFETIME_SECONDS),
    },
  });
  closers.push(() => service.stop());
  screen.say(`The service is at ${service.baseUrl}. Keys are shown shortened.`);
  const watch = watchCalls(service.baseUrl, (exchange) => screen.exchange(exchange));
  closers.push(() => watch.stop());

  let isFirst = true;
  await playAll({
    screen,
    watch,
    service,
    provider,
    receiver,
    signal,
    chapter: async (title, text) => {
      if (isPausing && !isFirst) await waitForEnter(signal);
      signal.throwIfAborted();
      isFirst = false;
      screen.chapter(title, text);
    },
  });
  const seconds = Math.round((Date.now() - started) / 1_000);
  screen.title(`Every result was as expected, in ${String(seconds)} s.`);
  screen.say(
    'Next: `npm start` prints the addresses of a console and of the documentation, with guides to paste.',
  );
}

/** Exit code. Everything that was started is stopped, also after a failure or Ctrl-C. */
async function main(isPausing: boolean): Promise<number> {
  const abort = new AbortController();
  const closers: Closers = [];
  const stopped = new Promise<never>((_, reject) => {
    const stop = () => {
      abort.abort();
      reject(new StoppedError());
    };
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, stop);
    // The reader has closed the pipe: `npm run demo | head`.
    process.stdout.on('error', stop);
  });
  const running = run(isPausing, abort.signal, closers);
  try {
    await Promise.race([running, stopped]);
    return 0;
  } catch (error) {
    // The start may be in progress, and may still start processes that have to be stopped.
    await Promise.race([
      running.catch(() => undefined),
      new Promise((resolve) => setTimeout(resolve, 3_000)),
    ]);
    if (error instanceof StoppedError) return 130;
    createScreen(process.stderr).failed(error instanceof Error ? error.message : String(error));
    return 1;
  } finally {
    for (const close of closers.reverse()) await close();
  }
}

function usageError(message: string): never {
  process.stderr.write(`${message}\n\n${USAGE}`);
  return process.exit(2);
}

function options() {
  try {
    return parseArgs({ options: { pause: { type: 'boolean' }, help: { type: 'boolean' } } }).values;
  } catch (error) {
    return usageError(error instanceof Error ? error.message : String(error));
  }
}

const values = options();
if (values.help === true) process.stdout.write(USAGE);
// An interrupted start may hang, and must not block the terminal.
else process.exit(await main(values.pause === true));
