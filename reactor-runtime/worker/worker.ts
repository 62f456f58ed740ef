// The process of one invocation: closes what reactor code must not reach, loads it, waits for the
// event, runs it, says once how it ended.
import '../built-in-code.ts';
import { MESSAGE } from '../worker-message.ts';
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
  thenOf,
} from './primordials.ts';
import { reactorModules, type ReactorModules } from './reactor-require.ts';
import { printError } from './print-error.ts';
import { moduleMember, reduceError } from './reduce-error.ts';
import { thrownPlace } from './thrown-place.ts';

/** What the reactor's client is made of. */
interface ClientSettings {
  readonly base_url: string;
  readonly api_key: string;
  readonly header_prefix: string;
}

/** The members of the event that matter here. */
interface Event {
  readonly request: { readonly args: unknown; readonly configuration: unknown };
  readonly client: ClientSettings | null;
}

interface Sdk {
  readonly createClient: (options: { baseUrl: string; apiKey: string; headerPrefix: string }) => unknown;
}

type ReactorFunction = (request: unknown) => unknown;

let phase: 'loading' | 'running' = 'loading';
/** That of the author's code. */
let file = '';
let lastRefusal: ReactorModules['refused'] = () => undefined;

/** Frames of a stack: the author's code may be below many of a package. */
const STACK_FRAMES = 100;

/** What the code required and may not, if this is the error that it got for it. */
function refusedModule(error: unknown): string | undefined {
  const refusal = lastRefusal();
  return refusal?.error === error ? refusal?.specifier : undefined;
}

function sayThrown(error: unknown): void {
  printError(error);
  say(MESSAGE.threw + reduceError(error, file, refusedModule(error)));
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
  sayLoadFailure(error);
  exit(0);
}

/** What kept the code from loading: its exception, or a module that there is not. */
function sayLoadFailure(error: unknown): void {
  printError(error);
  const module = refusedModule(error);
  if (module === undefined) sayNotLoaded(`"threw",${thrownPlace(error, file)}`);
  else sayNotLoaded(`"module"${moduleMember(module)}`);
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
    sayLoadFailure(error);
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

/**
 * Loads the SDK, unless the code has required it: loading it takes longer than anything else of
 * ours. The code may change what the SDK does in this process, and may have the key that it gets.
 */
function clientOf({ base_url, api_key, header_prefix }: ClientSettings, modules: ReactorModules): unknown {
  const { createClient } = modules.require(SDK) as Sdk;
  return createClient({ baseUrl: base_url, apiKey: api_key, headerPrefix: header_prefix });
}

function main(): void {
  process.setUncaughtExceptionCaptureCallback(uncaught);
  guardNativeCode();
  let temp = '';
  const layer = join(__dirname, '..');
  const modules = reactorModules(layer, () => temp);
  lastRefusal = modules.refused;
  // Nothing of the author's is here until this has come, which may be long after the start.
  const settings = parseJson(receive()) as WorkerSettings;
  ({ temp } = settings);
  file = join(settings.taskRoot, 'reactor.js');
  guardNetwork(settings);
  guardFiles(settings, layer);
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
      const bt = client && clientOf(client, modules);
      return reactor({ args: request.args, configuration: request.configuration, bt });
    });
  });
}

main();
