import { z } from 'zod';
import type { RoleCredentials } from '../iam/role-registry.ts';
import type { AwsService } from '../aws-service.ts';
import { createStorageFailure, type StorageFailure } from '../storage-failure.ts';
import { createCallLimits } from './call-limits.ts';
import { functionOperations } from './control-plane/function-operations.ts';
import { layerOperations } from './control-plane/layer-operations.ts';
import { createFunctionRegistry, type FunctionRegistry } from './control-plane/function-registry.ts';
import { openFunctionStore } from './control-plane/function-store.ts';
import type { ControlPlane } from './control-plane/lambda-operation.ts';
import { machineTime, type StateTime } from './control-plane/state-time.ts';
import { defineProcess, type TemplateProcess } from './control-plane/template-process.ts';
import { provisionedOperations } from './control-plane/provisioned-operations.ts';
import { versionOperations } from './control-plane/version-operations.ts';
import {
  createProcessHost,
  type ProcessHost,
  type ProcessHostOptions,
} from './custom-runtime/process-host.ts';
import type { FunctionHost } from './function-host.ts';
import { invokeOperations } from './invoke-operations.ts';
import { createLambdaService } from './lambda-service.ts';
import type { LayerTable } from './layer-table.ts';

export interface LambdaOptions extends Omit<ProcessHostOptions, 'credentialsFor' | 'layers'> {
  readonly accountId: string;
  /** Directory of the functions of CreateFunction; without it they live in memory. */
  readonly dataDir?: string;
  /** Default: callers get the failure, and no other report. */
  readonly storageFailure?: StorageFailure;
  /** Default: the machine's. */
  readonly time?: StateTime;
  /** The functions that the app's templates define. */
  readonly functions: FunctionHost;
  /** The functions of the templates that have a custom runtime. */
  readonly inProcesses?: readonly TemplateProcess[];
  readonly layers: LayerTable;
  readonly credentialsFor: (roleArn: string) => RoleCredentials;
  readonly canAssume: ControlPlane['canAssume'];
  readonly canEncrypt: ControlPlane['canEncrypt'];
}

/**
 * The body of `PUT /_local/lambda`: the behaviour of the control plane from now on. Absent members
 * are unchanged.
 */
const behaviour = z.strictObject({
  /** The next calls, except Invoke, that return TooManyRequestsException. */
  throttle: z.number().int().min(0).exactOptional(),
  controlPerSecond: z.number().positive().exactOptional(),
  readPerSecond: z.number().positive().exactOptional(),
  /** How long new versions are Pending and updates InProgress. */
  pendingMs: z.number().min(0).exactOptional(),
  /** The account's quota of concurrent executions: new accounts have 10. */
  accountConcurrency: z.number().int().positive().exactOptional(),
  /** The functions that become Inactive. All others do not. */
  inactive: z.array(z.string()).exactOptional(),
});

/**
 * Lambda on one machine, besides the functions of the templates: the API and the processes of
 * custom runtimes.
 */
export interface Lambda {
  readonly service: AwsService;
  /**
   * Handles `/_local/lambda`: changes the behaviour if there is a body, and returns it. Throws an
   * Error for an invalid body.
   */
  control(body: string): unknown;
  /** Lists the functions of CreateFunction, each with its number of running instances. */
  created(): readonly { readonly name: string; readonly instances: number }[];
  /** Removes a function that runs in processes, if there is one of this name. */
  remove(name: string): Promise<void>;
  /** No function can be invoked before. Starts the provisioned instances. */
  start(awsEndpointUrl: string): void;
  /** Kills every process. */
  close(): Promise<void>;
}

const DEFAULT_PENDING_MS = 50;
const DEFAULT_ACCOUNT_CONCURRENCY = 1_000;

/** The runs that no caller waits for. */
function createBackground() {
  const unsettled = new Set<Promise<unknown>>();
  return {
    add: (running: Promise<unknown>): void => {
      const settled = running.catch(() => undefined);
      unsettled.add(settled);
      void settled.then(() => unsettled.delete(settled));
    },
    settled: () => Promise.all(unsettled),
  };
}

function createdFunctions(
  registry: Pick<FunctionRegistry, 'all'>,
  processes: Pick<ProcessHost, 'instanceCounts'>,
) {
  const counts = processes.instanceCounts();
  return registry.all().map(({ name }) => ({ name, instances: counts[name] ?? 0 }));
}

/** Opens the functions of earlier calls, and defines those of the templates. */
async function openRegistry(
  { dataDir, inProcesses = [], time = machineTime, ...options }: LambdaOptions,
  processes: ProcessHost,
  pendingMs: () => number,
): Promise<FunctionRegistry> {
  const { storageFailure = createStorageFailure(dataDir ?? 'memory', () => undefined) } = options;
  const registry = createFunctionRegistry({
    store: await openFunctionStore(dataDir, storageFailure),
    pendingMs,
    time,
    onChange: (name, versions) => {
      processes.reconcile(name, versions);
    },
  });
  for (const made of inProcesses) await defineProcess(registry, made);
  return registry;
}

async function removeFound(registry: FunctionRegistry, name: string): Promise<void> {
  if (registry.find(name) !== undefined) await registry.delete(name);
}

export async function createLambda(options: LambdaOptions): Promise<Lambda> {
  const { accountId, region, functions, layers } = options;
  const background = createBackground();
  let pendingMs = DEFAULT_PENDING_MS;
  let accountConcurrency = DEFAULT_ACCOUNT_CONCURRENCY;
  const limits = createCallLimits();
  const processes = createProcessHost(options);
  const registry = await openRegistry(options, processes, () => pendingMs);
  const functionArn = (name: string): string => `arn:aws:lambda:${region}:${accountId}:function:${name}`;
  const controlPlane: ControlPlane = {
    registry,
    functionArn,
    isTemplateFunction: (name) => functions.has(name),
    isLayer: (arn) => layers.find(arn) !== undefined,
    canAssume: options.canAssume,
    canEncrypt: options.canEncrypt,
    accountConcurrency: () => accountConcurrency,
    reservedByTemplates: () =>
      functions.all().reduce((sum, definition) => sum + (functions.reservedOf(definition) ?? 0), 0),
  };

  function control(body: string): unknown {
    const change = behaviour.parse(JSON.parse(body === '' ? '{}' : body));
    const { throttle, inactive, controlPerSecond, readPerSecond } = change;
    if (throttle !== undefined) limits.throttleNext(throttle);
    if (inactive !== undefined) registry.deactivate(inactive);
    if (controlPerSecond !== undefined) limits.change({ controlPerSecond });
    if (readPerSecond !== undefined) limits.change({ readPerSecond });
    pendingMs = change.pendingMs ?? pendingMs;
    accountConcurrency = change.accountConcurrency ?? accountConcurrency;
    return {
      throttle: limits.throttled,
      ...limits.settings,
      pendingMs,
      accountConcurrency,
      inactive: registry.inactive(),
      instances: processes.instanceCounts(),
    };
  }

  return {
    service: createLambdaService({
      operations: [
        ...invokeOperations({ functions, registry, processes, functionArn, inBackground: background.add }),
        ...functionOperations(controlPlane),
        ...versionOperations(controlPlane),
        ...provisionedOperations(controlPlane),
        ...layerOperations(layers, (name) => `arn:aws:lambda:${region}:${accountId}:layer:${name}`),
      ],
      limits,
      tagsOf: (name) => registry.find(name)?.tags ?? {},
      close: () => Promise.resolve(),
    }),
    control,
    created: () => createdFunctions(registry, processes),
    remove: (name) => removeFound(registry, name),
    start: (awsEndpointUrl) => {
      processes.start(awsEndpointUrl);
      registry.announce();
    },
    close: async () => {
      await processes.close();
      await background.settled();
    },
  };
}
