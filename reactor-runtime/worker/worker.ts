// The thread of one invocation: closes what reactor code must not reach, loads it, waits for the event, runs it, says once how it ended.
import { AsyncResource } from 'node:async_hooks';
import { parentPort, workerData, type MessagePort } from 'node:worker_threads';
import { MESSAGE } from '../worker-message.ts';
import { WARM_UP, type EventMessage, type WorkerSettings } from '../worker-settings.ts';
import { messageOfResult } from './answer.ts';
import { compile, type ReactorModule } from './compile.ts';
import { guardFiles } from './guard-files.ts';
import { guardNativeCode } from './guard-native-code.ts';
import { allowLocalPorts, guardNetwork } from './guard-network.ts';
import { guardProcess } from './guard-process.ts';
import { SDK } from '../packages.ts';
import {
  afterThis,
  apply,
  defineProperty,
  exit,
  join,
  parseJson,
  PromiseClass,
  thenOf,
  uncurry,
} from './primordials.ts';
import { reactorRequire, type ReactorRequire } from './reactor-require.ts';
import { reduceError } from './reduce-error.ts';

/** The members of the event that matter here. */
interface Event {
  readonly request: { readonly args: unknown; readonly configuration: unknown };
  readonly client: {
    readonly base_url: string;
    readonly api_key: string;
    readonly header_prefix: string;
  } | null;
}

interface Sdk {
  readonly createClient: (options: { baseUrl: string; apiKey: string; headerPrefix: string }) => unknown;
}

type ReactorFunction = (request: unknown) => unknown;

function fail(): never {
  throw new Error('this is no worker');
}

const settings = workerData as WorkerSettings;
const port = parentPort ?? fail();
// eslint-disable-next-line @typescript-eslint/unbound-method -- called through `uncurry`, so that code which replaces the method later is not followed
const { postMessage } = port;
const post = uncurry<MessagePort, [string], unknown>(postMessage);
/** Reactor code runs in the context of this, not of the port, which would be in its reach by the hooks of `async_hooks`. */
const scope = new AsyncResource('REACTOR');
// eslint-disable-next-line @typescript-eslint/unbound-method -- called through `uncurry`, so that code which replaces the method later is not followed
const { runInAsyncScope } = scope;
const inScope = uncurry<AsyncResource, [() => void], unknown>(runInAsyncScope);

let phase: 'loading' | 'waiting' | 'running' = 'loading';

const say = (text: string) => {
  post(port, text);
};

/** Whatever nobody caught. While the code waits it has no one to tell: the thread ends, and the loop loads it again. */
function uncaught(error: unknown): void {
  if (phase === 'loading') say(`${MESSAGE.notLoaded}threw`);
  else if (phase === 'running') say(MESSAGE.threw + reduceError(error));
  else exit(1);
}

function load(require: ReactorRequire): ReactorFunction | undefined {
  const file = join(settings.taskRoot, 'reactor.js');
  let run;
  try {
    run = compile(settings.code, file);
  } catch {
    say(`${MESSAGE.notLoaded}syntax`);
    return undefined;
  }
  try {
    const module: ReactorModule = { exports: {} };
    apply(run, module.exports, [module.exports, require, module, file, settings.taskRoot]);
    const { exports } = module;
    if (typeof exports === 'function') return exports as ReactorFunction;
    say(`${MESSAGE.notLoaded}no_function`);
  } catch {
    say(`${MESSAGE.notLoaded}threw`);
  }
  return undefined;
}

/**
 * Node dispatches a port's messages through methods that reactor code could replace (`Symbol.for` names them); as members of the port itself it cannot, and
 * what the loop says of the network stays between the loop and the guards.
 */
function onEvent(run: (event: Event) => void): void {
  const dispatch = (data: EventMessage) => {
    if (phase === 'running' || data[1] === WARM_UP) return;
    phase = 'running';
    allowLocalPorts(data[0]);
    const event = parseJson(data[1]) as Event;
    inScope(scope, () => run(event));
  };
  defineProperty(port, Symbol.for('nodejs.internal.kHybridDispatch'), { value: dispatch });
  defineProperty(port, Symbol.for('nodejs.internal.kCurrentlyReceivingPorts'), { writable: true });
  port.ref();
  port.start();
}

function answer(call: () => unknown): void {
  try {
    thenOf(
      new PromiseClass((resolve) => {
        resolve(call());
      }),
      (value) => say(messageOfResult(value)),
      (error) => say(MESSAGE.threw + reduceError(error)),
    );
  } catch (error) {
    say(MESSAGE.threw + reduceError(error));
  }
}

function main(): void {
  process.setUncaughtExceptionCaptureCallback(uncaught);
  guardNativeCode();
  const require = reactorRequire(settings);
  // Before the code, so that it finds the built-ins as they are.
  const { createClient } = require(SDK) as Sdk;
  guardNetwork();
  guardFiles(settings);
  guardProcess();

  // Once before it matters: what has never run is slow.
  messageOfResult(parseJson('{"raw":{}}'));
  const reactor: { run?: ReactorFunction | undefined } = {};
  onEvent(({ request, client }) =>
    answer(() => {
      const options = client && {
        baseUrl: client.base_url,
        apiKey: client.api_key,
        headerPrefix: client.header_prefix,
      };
      const bt = options === null ? null : createClient(options);
      return reactor.run?.({ args: request.args, configuration: request.configuration, bt });
    }),
  );
  // From here on nothing in this realm is what it seems.
  reactor.run = load(require);
  if (reactor.run === undefined) return;
  // What the code has already thrown, or rejected, comes before this.
  afterThis(() => {
    if (phase !== 'loading') return;
    phase = 'waiting';
    say(MESSAGE.loaded);
  });
}

main();
