// The process of one invocation: closes what reactor code must not reach, loads it, waits for the
// event, runs it, says once how it ended.
import { MESSAGE } from '../worker-message.ts';
import type { WorkerSettings } from '../worker-settings.ts';
import { messageOfResult } from './answer.ts';
import { receive, say } from './channel.ts';
import { compile, type ReactorModule } from './compile.ts';
import { guardFiles } from './guard-files.ts';
import { guardNativeCode } from './guard-native-code.ts';
import { guardNetwork } from './guard-network.ts';
import { guardProcess } from './guard-process.ts';
import { SDK } from '../packages.ts';
import { afterThis, apply, exit, join, parseJson, PromiseClass, repeat, thenOf } from './primordials.ts';
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

let phase: 'loading' | 'running' = 'loading';

/**
 * Whatever nobody caught. Code that cannot be loaded gets no event, so its process has nothing to
 * wait for.
 */
function uncaught(error: unknown): void {
  if (phase === 'running') {
    say(MESSAGE.threw + reduceError(error));
    return;
  }
  say(`${MESSAGE.notLoaded}threw`);
  exit(0);
}

function load({ code, taskRoot }: WorkerSettings, require: ReactorRequire): ReactorFunction | undefined {
  const file = join(taskRoot, 'reactor.js');
  let run;
  try {
    run = compile(code, file);
  } catch {
    say(`${MESSAGE.notLoaded}syntax`);
    return undefined;
  }
  try {
    const module: ReactorModule = { exports: {} };
    apply(run, module.exports, [module.exports, require, module, file, taskRoot]);
    const { exports } = module;
    if (typeof exports === 'function') return exports as ReactorFunction;
    say(`${MESSAGE.notLoaded}no_function`);
  } catch {
    say(`${MESSAGE.notLoaded}threw`);
  }
  return undefined;
}

/** Waits for the event, which permits nothing: the code may have put one of its own there. */
const nextEvent = (): Event => parseJson(receive()) as Event;

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
  const settings = parseJson(receive()) as WorkerSettings;
  guardNativeCode();
  const require = reactorRequire(settings);
  // Before the code, so that it finds the built-ins as they are.
  const { createClient } = require(SDK) as Sdk;
  guardNetwork(settings);
  guardFiles(settings);
  guardProcess();
  // Code that waits for nothing that would come has its time, as code that waits for something.
  repeat(() => undefined, 1e9);

  // From here on nothing in this realm is what it seems.
  const reactor = load(settings, require);
  // The loop has been told why.
  if (reactor === undefined) return exit(0);
  // What the code has already thrown, or rejected, comes before this.
  afterThis(() => {
    say(MESSAGE.loaded);
    const { request, client } = nextEvent();
    phase = 'running';
    answer(() => {
      const options = client && {
        baseUrl: client.base_url,
        apiKey: client.api_key,
        headerPrefix: client.header_prefix,
      };
      const bt = options === null ? null : createClient(options);
      return reactor({ args: request.args, configuration: request.configuration, bt });
    });
  });
}

main();
