// The process of one invocation: closes what reactor code must not reach, loads it, waits for the
// event, runs it, says once how it ended.
import { MESSAGE, MODULE_NAME_MAX } from '../worker-message.ts';
import type { WorkerSettings } from '../worker-settings.ts';
import { messageOfResult } from './answer.ts';
import { receive, say } from './channel.ts';
import { compile, type ReactorModule } from './compile.ts';
import { guardFiles } from './guard-files.ts';
import { guardNativeCode } from './guard-native-code.ts';
import { guardNetwork } from './guard-network.ts';
import { guardProcess } from './guard-process.ts';
import { SDK } from '../../src/core/reactors/author-packages.ts';
import {
  afterThis,
  apply,
  ErrorClass,
  exit,
  join,
  parseJson,
  PromiseClass,
  repeat,
  slice,
  stringifyJson,
  thenOf,
} from './primordials.ts';
import { reactorModules, type ReactorModules } from './reactor-require.ts';
import { printError } from './print-error.ts';
import { reduceError } from './reduce-error.ts';
import { thrownPlace } from './thrown-place.ts';

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
/** That of the author's code. */
let file = '';

/** Frames of a stack: the author's code may be below many of a package. */
const STACK_FRAMES = 100;

function sayThrown(error: unknown): void {
  printError(error);
  say(MESSAGE.threw + reduceError(error, file));
}

const sayNotLoaded = (reason: string) => say(`${MESSAGE.notLoaded}{"reason":${reason}}`);

/**
 * Whatever nobody caught. Code that cannot be loaded gets no event, so its process has nothing to
 * wait for.
 */
function uncaught(error: unknown): void {
  if (phase === 'running') {
    sayThrown(error);
    return;
  }
  printError(error);
  sayNotLoaded(`"threw",${thrownPlace(error, file)}`);
  exit(0);
}

/** What kept the code from loading: its exception, or a module that there is not. */
function sayLoadFailure(error: unknown, { refused }: ReactorModules): void {
  printError(error);
  const refusal = refused();
  if (refusal === undefined || refusal.error !== error) {
    sayNotLoaded(`"threw",${thrownPlace(error, file)}`);
    return;
  }
  // One character more than a name may have, so that the loop sees that it is none.
  sayNotLoaded(`"module","module":${stringifyJson(slice(refusal.specifier, 0, MODULE_NAME_MAX + 1))}`);
}

function load({ code, taskRoot }: WorkerSettings, modules: ReactorModules): ReactorFunction | undefined {
  let run;
  try {
    run = compile(code, file);
  } catch (error) {
    printError(error);
    sayNotLoaded('"syntax"');
    return undefined;
  }
  try {
    const module: ReactorModule = { exports: {} };
    apply(run, module.exports, [module.exports, modules.require, module, file, taskRoot]);
    const { exports } = module;
    if (typeof exports === 'function') return exports as ReactorFunction;
    sayNotLoaded('"no_function"');
  } catch (error) {
    sayLoadFailure(error, modules);
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
      sayThrown,
    );
  } catch (error) {
    sayThrown(error);
  }
}

function main(): void {
  process.setUncaughtExceptionCaptureCallback(uncaught);
  const settings = parseJson(receive()) as WorkerSettings;
  guardNativeCode();
  file = join(settings.taskRoot, 'reactor.js');
  const modules = reactorModules(settings);
  // Before the code, so that it finds the built-ins as they are.
  const { createClient } = modules.require(SDK) as Sdk;
  guardNetwork(settings);
  guardFiles(settings);
  guardProcess();
  // Code that waits for nothing that would come has its time, as code that waits for something.
  repeat(() => undefined, 1e9);

  ErrorClass.stackTraceLimit = STACK_FRAMES;
  // From here on nothing in this realm is what it seems.
  const reactor = load(settings, modules);
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
