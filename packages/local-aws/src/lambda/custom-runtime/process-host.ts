import { randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import type { RoleCredentials } from '../../iam/role-registry.ts';
import { unpackArchive } from '../control-plane/code-archive.ts';
import type { VersionSettings } from '../control-plane/function-record.ts';
import { errorMessage } from '../../error-code.ts';
import { failure, type Invocation, type InvocationOutcome } from '../function-definition.ts';
import type { FunctionInstance } from '../function-instance.ts';
import { createFunctionPool, type FunctionPool, type InvocationObserver } from '../function-pool.ts';
import type { LayerTable } from '../layer-table.ts';
import { createInstanceBudget } from './instance-budget.ts';
import { startProcessInstance } from './process-instance.ts';
import { createWorkFolder } from './work-folder.ts';

export interface ProcessHostOptions {
  readonly region: string;
  readonly credentialsFor: (roleArn: string) => RoleCredentials;
  /** Whether a role may write to a log group; if not, the function's output is not logged. */
  readonly mayWriteLogs: (roleArn: string, logGroup: string) => boolean;
  readonly log: (functionName: string, text: string) => void;
  /** Receives the output that is not logged. Default: it is dropped, as on AWS. */
  readonly onUnlogged?: (functionName: string, text: string) => void;
  readonly layers: LayerTable;
  /** Default 10. */
  readonly maxInstancesPerVersion?: number;
  /** All functions together. Default 40. */
  readonly maxInstances?: number;
  /** Invocations that may wait while all instances are busy. Default 100. */
  readonly maxQueuedPerVersion?: number;
  /** Default 5 minutes. */
  readonly idleMs?: number;
  readonly initTimeoutMs?: number;
  /** Returns the observer of a function's invocations. Default: none. */
  readonly observerOf?: (functionName: string) => InvocationObserver;
}

/** A version that can run. */
export interface RunnableVersion {
  readonly functionName: string;
  /** `$LATEST` or a number. */
  readonly version: string;
  /** Differs for different settings: instances of versions with one key are interchangeable. */
  readonly key: string;
  readonly settings: VersionSettings;
  /** How many instances stay warm. */
  readonly reserved: number;
  readonly zip: () => Uint8Array;
}

/** Runs versions of custom runtimes in processes. */
export interface ProcessHost {
  /**
   * A failure of the function is an outcome. Throws AwsError `TooManyRequestsException` if too many
   * invocations wait.
   */
  invoke(version: RunnableVersion, invocation: Invocation): Promise<InvocationOutcome>;
  /**
   * Sets the versions of a function: instances of others end when they are idle, and provisioned
   * ones start.
   */
  reconcile(functionName: string, versions: readonly RunnableVersion[]): void;
  /** Running instances by the name of their function. */
  instanceCounts(): Readonly<Record<string, number>>;
  /** No function runs before. */
  start(awsEndpointUrl: string): void;
  close(): Promise<void>;
}

interface Running {
  readonly functionName: string;
  readonly key: string;
  readonly pool: FunctionPool;
  reserved: number;
  /** Accepts no new invocations: its version is deleted. */
  retired: boolean;
  readonly codeDirectory: string;
}

/** Responds with the reason for a failed start. */
function brokenInstance(reason: string): FunctionInstance {
  return {
    initialized: Promise.resolve(),
    usable: false,
    run: () => Promise.resolve(failure('Runtime.InvalidEntrypoint', reason)),
    untilReady: () => Promise.resolve(),
    stop: () => Promise.resolve(),
  };
}

// oxlint-disable-next-line max-lines-per-function -- one owner of processes and runs
export function createProcessHost(options: ProcessHostOptions): ProcessHost {
  const folder = createWorkFolder();
  const running = new Set<Running>();
  const retiring = new Set<Promise<void>>();
  let awsEndpointUrl: string | undefined;

  /** Stops the longest idle instance, preferably one that is not provisioned. */
  function makeRoom(): boolean {
    const [first] = [...running]
      .flatMap(({ pool }) => (pool.oldestIdle === undefined ? [] : [{ pool, ...pool.oldestIdle }]))
      .toSorted((a, b) => Number(a.reserved) - Number(b.reserved) || a.since - b.since);
    first?.pool.stopOldestIdle();
    return first !== undefined;
  }

  const budget = createInstanceBudget(options.maxInstances ?? 40, makeRoom, () => {
    for (const { pool } of running) pool.dispatch();
  });

  function layerDirectories(arns: readonly string[]): readonly string[] {
    return arns.flatMap((arn) => options.layers.find(arn)?.directory ?? []);
  }

  function startInstance(version: RunnableVersion, codeDirectory: string): FunctionInstance {
    try {
      return launch(version, codeDirectory);
    } catch (error) {
      // A stored function may have a role that the app no longer has.
      return brokenInstance(errorMessage(error));
    }
  }

  function launch(
    { functionName, version, settings }: RunnableVersion,
    codeDirectory: string,
  ): FunctionInstance {
    if (awsEndpointUrl === undefined) throw new Error('a function was invoked before the host was started');
    const log = options.mayWriteLogs(settings.role, settings.logGroup) ? options.log : options.onUnlogged;
    const date = new Date().toISOString().slice(0, 10).replaceAll('-', '/');
    return startProcessInstance({
      definition: {
        functionName,
        version,
        codeDirectory,
        layerDirectories: layerDirectories(settings.layers),
        variables: settings.environment,
        handler: settings.handler,
        runtime: settings.runtime,
        timeoutSeconds: settings.timeoutSeconds,
        memoryMb: settings.memoryMb,
        roleArn: settings.role,
        logGroup: settings.logGroup,
        logStream: `${date}/[${version}]${randomBytes(16).toString('hex')}`,
      },
      region: options.region,
      credentials: options.credentialsFor(settings.role),
      awsEndpointUrl,
      temporaryDirectory: folder.create('tmp-'),
      ...(log !== undefined && {
        log: (text: string) => {
          log(functionName, text);
        },
      }),
      ...(options.initTimeoutMs !== undefined && { initTimeoutMs: options.initTimeoutMs }),
    });
  }

  function open(version: RunnableVersion): Running {
    const codeDirectory = folder.create('code-');
    unpackArchive(version.zip(), codeDirectory);
    const pool = createFunctionPool({
      startInstance: () => startInstance(version, codeDirectory),
      maxInstances: () => options.maxInstancesPerVersion ?? 10,
      maxQueued: options.maxQueuedPerVersion ?? 100,
      idleMs: options.idleMs ?? 5 * 60_000,
      reserved: () => opened.reserved,
      budget,
      ...(options.observerOf !== undefined && { observer: options.observerOf(version.functionName) }),
    });
    const { functionName, key, reserved } = version;
    const opened: Running = { functionName, key, pool, reserved, retired: false, codeDirectory };
    running.add(opened);
    return opened;
  }

  function find(functionName: string, key: string): Running | undefined {
    return [...running].find(
      (entry) => entry.functionName === functionName && entry.key === key && !entry.retired,
    );
  }

  function forget(entry: Running): void {
    running.delete(entry);
    rmSync(entry.codeDirectory, { recursive: true, force: true });
  }

  function retire(entry: Running): void {
    if (entry.retired) return;
    entry.retired = true;
    const retired = entry.pool.retire().then(() => {
      forget(entry);
    });
    retiring.add(retired);
    void retired.then(() => retiring.delete(retired));
  }

  return {
    invoke: async (version, invocation) => {
      const { pool } = find(version.functionName, version.key) ?? open(version);
      return await pool.invoke(invocation);
    },
    reconcile: (functionName, versions) => {
      const keys = new Set(versions.map(({ key }) => key));
      for (const entry of running)
        if (entry.functionName === functionName && !keys.has(entry.key)) retire(entry);
      if (awsEndpointUrl === undefined) return;
      for (const version of versions) {
        const entry = find(functionName, version.key) ?? (version.reserved > 0 ? open(version) : undefined);
        if (entry === undefined) continue;
        entry.reserved = version.reserved;
        void entry.pool.prestart(version.reserved);
      }
    },
    instanceCounts: () => {
      const counts: Record<string, number> = {};
      for (const { functionName, pool } of running)
        if (pool.instanceCount > 0) counts[functionName] = (counts[functionName] ?? 0) + pool.instanceCount;
      return counts;
    },
    start: (url) => {
      awsEndpointUrl = url;
    },
    close: async () => {
      await Promise.all([...running].map(({ pool }) => pool.close()));
      await Promise.all(retiring);
      for (const entry of running) forget(entry);
      folder.remove();
    },
  };
}
