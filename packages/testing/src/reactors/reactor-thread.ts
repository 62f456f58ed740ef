// The thread of one run of a reactor's code, which ends as the process of the runtime does
// (reactor-runtime/worker/worker.ts), but is no wall around the code.
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { parentPort, workerData } from 'node:worker_threads';
import { MESSAGE } from '../../../../reactor-runtime/worker-message.ts';
import { ALLOWED, REFUSED } from '../../../../reactor-runtime/worker/built-ins.ts';
import { compile, type ReactorModule } from '../../../../reactor-runtime/worker/compile.ts';
import { encodeResult } from '../../../../reactor-runtime/worker/encode-result.ts';
import { moduleMember, reduceError } from '../../../../reactor-runtime/worker/reduce-error.ts';
import { thrownPlace } from '../../../../reactor-runtime/worker/thrown-place.ts';
import { AUTHOR_PACKAGES, SDK } from '../../../../src/core/reactors/author-packages.ts';
import { packagePath } from '../../../../src/core/reactors/package-files.ts';
import * as sdk from '../../../sdk/src/index.ts';
import { bridgeFetch } from './bridge-fetch.ts';
import { bridgeHttp } from './bridge-http.ts';
import type { AskedRequest, AskedResponse, FromWorker, ToWorker, WorkerInput } from './bridge-message.ts';

interface Event {
  readonly request: { readonly args: unknown; readonly configuration: unknown };
  readonly client: {
    readonly base_url: string;
    readonly api_key: string;
    readonly header_prefix: string;
  } | null;
}

const { code, packages, event, image, folder } = workerData as WorkerInput;
const FILES = { code: join(folder, 'reactor.js'), packages: join(folder, packagePath('code')) };
const say = (message: FromWorker) => parentPort?.postMessage(message);

const waiting = new Map<number, Pick<PromiseWithResolvers<AskedResponse>, 'resolve' | 'reject'>>();
parentPort?.on('message', (answer: ToWorker) => {
  if (answer === 'reach') {
    say('reached');
    return;
  }
  const { id } = answer;
  if ('response' in answer) waiting.get(id)?.resolve(answer.response);
  else waiting.get(id)?.reject(new Error(answer.failure));
  waiting.delete(id);
});
let asked = 0;
const ask = (request: AskedRequest): Promise<AskedResponse> =>
  new Promise((resolve, reject) => {
    asked += 1;
    waiting.set(asked, { resolve, reject });
    say({ asked: request, id: asked });
  });
bridgeHttp(ask);
if (image === 'node24') bridgeFetch(ask);
// Node.js 16 has none of these.
else
  for (const name of ['fetch', 'Request', 'Response', 'Headers', 'FormData'])
    Reflect.deleteProperty(globalThis, name);
// Both would connect past the vault.
for (const name of ['WebSocket', 'EventSource']) Reflect.deleteProperty(globalThis, name);

const installed = createRequire(join(folder, 'package.json'));
const ownRequire = createRequire(import.meta.filename);
const PROVIDED = AUTHOR_PACKAGES.flatMap(({ specifiers }) => specifiers);
let refused: { readonly error: Error; readonly specifier: string } | undefined;

function notFound(specifier: string, reason: string): Error {
  const error = Object.assign(new Error(`Cannot find module '${specifier}': ${reason}`), {
    code: 'MODULE_NOT_FOUND',
  });
  refused = { error, specifier };
  return error;
}

let ownModules: Record<string, () => unknown> | undefined;

/** The package of a bundle that the test gave to the reactor. */
function ownPackage(text: string, specifier: string): unknown {
  if (ownModules === undefined) {
    const module: ReactorModule = { exports: {} };
    const run = compile(text, FILES.packages);
    run.call(module.exports, module.exports, requireInReactor, module, FILES.packages, folder);
    ownModules = module.exports as Record<string, () => unknown>;
  }
  const load = ownModules[specifier];
  if (load === undefined) throw new TypeError(`the packages of the reactor lack ${specifier}`);
  return load();
}

/** Has what the service gives to reactors; packages come from the project under test. */
function requireInReactor(specifier: unknown): unknown {
  if (typeof specifier !== 'string') throw new TypeError('require takes the name of a module');
  const name = specifier.replace(/^node:/, '');
  if (specifier === SDK) return sdk;
  if (packages?.specifiers.includes(specifier) === true) return ownPackage(packages.code, specifier);
  if (ALLOWED.includes(name)) return installed(`node:${name}`);
  if (!PROVIDED.includes(specifier))
    throw notFound(specifier, REFUSED[name] ?? 'reactors have no such module');
  for (const require of [installed, ownRequire])
    try {
      return require(specifier);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'MODULE_NOT_FOUND') throw error;
    }
  const missing = `a reactor requires ${specifier}: install it as a devDependency of your tests`;
  say({ missing });
  throw new Error(missing);
}

const refusedModule = (error: unknown) => (refused?.error === error ? refused?.specifier : undefined);

function printError(error: unknown): void {
  if (error instanceof Error) say({ printed: error.stack ?? error.message });
}

function sayNotLoaded(error: unknown): void {
  printError(error);
  const module = refusedModule(error);
  const reason =
    module === undefined ? `"threw",${thrownPlace(error, FILES)}` : `"module"${moduleMember(module)}`;
  say({ said: `${MESSAGE.notLoaded}{"reason":${reason}}` });
}

function load(): ((request: unknown) => unknown) | undefined {
  let run;
  try {
    run = compile(code, FILES.code);
  } catch (error) {
    printError(error);
    say({ said: `${MESSAGE.notLoaded}{"reason":"syntax"}` });
    return undefined;
  }
  try {
    const module: ReactorModule = { exports: {} };
    run.call(module.exports, module.exports, requireInReactor, module, FILES.code, folder);
    if (typeof module.exports === 'function') return module.exports as (request: unknown) => unknown;
    say({ said: `${MESSAGE.notLoaded}{"reason":"no_function"}` });
  } catch (error) {
    sayNotLoaded(error);
  }
  return undefined;
}

function sayThrown(error: unknown): void {
  printError(error);
  say({ said: MESSAGE.threw + reduceError(error, FILES, refusedModule(error)) });
}

function clientOf({
  base_url: baseUrl,
  api_key: apiKey,
  header_prefix: headerPrefix,
}: NonNullable<Event['client']>) {
  return sdk.createClient({ baseUrl, apiKey, headerPrefix });
}

process.setUncaughtExceptionCaptureCallback(sayThrown);
Error.stackTraceLimit = 100;
const reactor = load();
if (reactor !== undefined) {
  const { request, client } = JSON.parse(event) as Event;
  Promise.resolve()
    .then(() => reactor({ ...request, bt: client && clientOf(client) }))
    .then((value) => say({ said: encodeResult(value) }), sayThrown);
}
