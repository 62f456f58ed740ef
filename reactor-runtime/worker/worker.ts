// The process of one invocation: it closes what reactor code must not reach, loads the code, waits
// for the event, runs it, and reports once how it ended.
import '../built-in-code.ts';
import { MESSAGE } from '../worker-message.ts';
import type { WorkerSettings } from '../worker-settings.ts';
import { encodeResult } from './encode-result.ts';
import { receive, say } from './channel.ts';
import { compile, type ReactorModule } from './compile.ts';
import { guardFiles } from './guard-files.ts';
import { guardMemory } from './guard-memory.ts';
import { guardNativeCode } from './guard-native-code.ts';
import { guardNetwork } from './guard-network.ts';
import { guardProcess } from './guard-process.ts';
import { SDK } from '../../src/core/reactors/author-packages.ts';
import { packagePath } from '../../src/core/reactors/package-files.ts';
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
import { thrownPlace, type CodeFiles } from './thrown-place.ts';

/** The settings that the reactor's client gets. */
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
/** The paths that the author's code and its packages have in stacks. */
let files: CodeFiles = { code: '', packages: '' };
let lastRefusal: ReactorModules['refused'] = () => undefined;

/** Stack frames: the author's code may be below many frames of a package. */
const STACK_FRAMES = 100;

/** The module that the guard refused, or undefined if another error was thrown. */
function refusedModule(error: unknown): string | undefined {
  const refusal = lastRefusal();
  return refusal?.error === error ? refusal?.specifier : undefined;
}

function sayThrown(error: unknown): void {
  printError(error);
  say(MESSAGE.threw + reduceError(error, files, refusedModule(error)));
}

const sayNotLoaded = (reason: string) => say(`${MESSAGE.notLoaded}{"reason":${reason}}`);

/**
 * Handles uncaught errors. Code that cannot be loaded gets no event, so its process has nothing to
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

/** The reason for which the code did not load: its exception, or a missing module. */
function sayLoadFailure(error: unknown): void {
  printError(error);
  const module = refusedModule(error);
  if (module === undefined) sayNotLoaded(`"threw",${thrownPlace(error, files)}`);
  else sayNotLoaded(`"module"${moduleMember(module)}`);
}

function load({ code, taskRoot }: WorkerSettings, modules: ReactorModules): ReactorFunction | undefined {
  let run;
  try {
    run = compile(code, files.code);
  } catch (error) {
    printError(error);
    sayNotLoaded('"syntax"');
    return undefined;
  }
  try {
    const module: ReactorModule = { exports: {} };
    apply(run, module.exports, [module.exports, modules.require, module, files.code, taskRoot]);
    const { exports } = module;
    if (typeof exports === 'function') return exports as ReactorFunction;
    sayNotLoaded('"no_function"');
  } catch (error) {
    sayLoadFailure(error);
  }
  return undefined;
}

/** Waits for the event. It grants no rights: the code may have replaced it with its own. */
const nextEvent = (): Event => parseJson(receive()) as Event;

function respond(call: () => unknown): void {
  try {
    thenOf(
      new PromiseClass((resolve) => {
        resolve(call());
      }),
      (value) => say(encodeResult(value)),
      sayThrown,
    );
  } catch (error) {
    sayThrown(error);
  }
}

/**
 * Loads the SDK, unless the code has required it: it takes longer to load than the rest of the
 * runtime. The code may change the SDK in this process, and may use the key in it.
 */
function clientOf({ base_url, api_key, header_prefix }: ClientSettings, modules: ReactorModules): unknown {
  const { createClient } = modules.require(SDK) as Sdk;
  return createClient({ baseUrl: base_url, apiKey: api_key, headerPrefix: header_prefix });
}

function main(): void {
  process.setUncaughtExceptionCaptureCallback(uncaught);
  guardNativeCode();
  guardMemory();
  let temp = '';
  const layer = join(__dirname, '..');
  const modules = reactorModules(layer, () => temp);
  lastRefusal = modules.refused;
  // The author's code is absent until this arrives, which may be long after the start.
  const settings = parseJson(receive()) as WorkerSettings;
  ({ temp } = settings);
  files = {
    code: join(settings.taskRoot, 'reactor.js'),
    packages: join(settings.taskRoot, packagePath('code')),
  };
  modules.add(files.packages, settings.packages);
  guardNetwork(settings);
  guardFiles(settings, layer);
  guardProcess();
  // Code that waits forever runs until its timeout, like code that waits for an event.
  repeat(() => undefined, 1e9);

  ErrorClass.stackTraceLimit = STACK_FRAMES;
  // From here on reactor code may have replaced anything in this realm.
  const reactor = load(settings, modules);
  // The loop has received the reason.
  if (reactor === undefined) return exit(0);
  // Errors and rejections of the code come before this.
  afterThis(() => {
    say(MESSAGE.loaded);
    const { request, client } = nextEvent();
    phase = 'running';
    respond(() => {
      const bt = client && clientOf(client, modules);
      return reactor({ args: request.args, configuration: request.configuration, bt });
    });
  });
}

main();
