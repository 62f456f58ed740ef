// The program inside a function instance's worker thread: loads the handler like Lambda's Node
// runtime and runs it.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { pathToFileURL } from 'node:url';
import { parentPort, workerData } from 'node:worker_threads';
import { followClock } from '../clock.ts';
import type { InstanceMessage, InstanceSettings, InvocationMessage } from './instance-messages.ts';

type Handler = (event: unknown, context: object) => unknown;

/** An error that Lambda's runtime itself reports; its name is the `errorType`. */
class RuntimeError extends Error {
  constructor(name: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = name;
  }
}

const settings = workerData as InstanceSettings;
const machineNow = settings.clock === undefined ? Date.now : followClock(settings.clock);
if (settings.trustedCertificates.length > 0)
  setDefaultCACertificates([...getCACertificates('default'), ...settings.trustedCertificates]);
for (const name of settings.hiddenVariables) Reflect.deleteProperty(process.env, name);

function send(message: InstanceMessage): void {
  parentPort?.postMessage(message);
}

function errorPayload(thrown: unknown): string {
  if (thrown instanceof Error) {
    const trace = (thrown.stack ?? '').split('\n').map((line) => line.trim());
    return JSON.stringify({ errorType: thrown.name, errorMessage: thrown.message, trace });
  }
  return JSON.stringify({ errorType: typeof thrown, errorMessage: String(thrown), trace: [] });
}

function modulePath(name: string): string {
  const candidates = ['', '.js', '.mjs', '.cjs'].map((extension) =>
    join(settings.taskRoot, name + extension),
  );
  const found = candidates.find((path) => existsSync(path));
  if (found === undefined)
    throw new RuntimeError(
      'Runtime.ImportModuleError',
      `Error: Cannot find module '${name}' in ${settings.taskRoot}`,
    );
  return found;
}

/** A member of a module by a dotted path; a CommonJS module's exports are its default export. */
function member(module: object, path: readonly string[]): unknown {
  let value: unknown = module;
  for (const name of path)
    value =
      typeof value === 'object' && value !== null
        ? (value as Readonly<Record<string, unknown>>)[name]
        : undefined;
  if (
    value === undefined &&
    'default' in module &&
    typeof module.default === 'object' &&
    module.default !== null
  )
    return member(module.default, path);
  return value;
}

async function loadHandler(): Promise<Handler> {
  const slash = settings.handler.lastIndexOf('/') + 1;
  const [moduleName = '', ...path] = settings.handler.slice(slash).split('.');
  const url = pathToFileURL(modulePath(settings.handler.slice(0, slash) + moduleName)).href;
  const module = (await import(url)) as object;
  const handler = member(module, path);
  if (typeof handler !== 'function')
    throw new RuntimeError('Runtime.HandlerNotFound', `${settings.handler} is undefined or not exported`);
  if (handler.length > 2)
    throw new RuntimeError(
      'Runtime.CallbackHandlerDeprecated',
      'AWS Lambda has removed support for callback-based function handlers starting with Node.js 24.',
    );
  return handler as Handler;
}

function contextOf({ requestId, invokedFunctionArn, deadline }: InvocationMessage): object {
  return {
    callbackWaitsForEmptyEventLoop: true,
    functionName: settings.functionName,
    functionVersion: '$LATEST',
    invokedFunctionArn,
    memoryLimitInMB: String(settings.memoryMb),
    awsRequestId: requestId,
    logGroupName: settings.logGroup,
    logStreamName: settings.logStream,
    getRemainingTimeInMillis: () => Math.max(0, deadline - machineNow()),
  };
}

async function run(handler: Handler, message: InvocationMessage): Promise<void> {
  try {
    const result = await handler(JSON.parse(message.payload), contextOf(message));
    const json: unknown = JSON.stringify(result);
    // `undefined` and functions have no JSON: Lambda returns `null` for them.
    send({ kind: 'result', payload: typeof json === 'string' ? json : 'null' });
  } catch (thrown) {
    const payload = errorPayload(thrown);
    console.error(`${message.requestId} ERROR Invoke Error ${payload}`);
    send({ kind: 'failure', payload });
  }
}

try {
  const handler = await loadHandler();
  parentPort?.on('message', (message: InvocationMessage) => void run(handler, message));
  send({ kind: 'initialized' });
} catch (thrown) {
  const failure = errorPayload(thrown);
  console.error(`ERROR Uncaught Exception ${failure}`);
  send({ kind: 'initialized', failure });
}
