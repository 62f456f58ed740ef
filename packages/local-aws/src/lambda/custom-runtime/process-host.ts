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

/** Owns the processes of all versions, and the folders of their code. */
class VersionHost implements ProcessHost {
  readonly #options: ProcessHostOptions;
  readonly #folder = createWorkFolder();
  readonly #running = new Set<Running>();
  readonly #retiring = new Set<Promise<void>>();
  readonly #budget: ReturnType<typeof createInstanceBudget>;
  #awsEndpointUrl: string | undefined;

  constructor(options: ProcessHostOptions) {
    this.#options = options;
    this.#budget = createInstanceBudget(
      options.maxInstances ?? 40,
      () => this.#makeRoom(),
      () => {
        for (const { pool } of this.#running) pool.dispatch();
      },
    );
  }

  async invoke(version: RunnableVersion, invocation: Invocation): Promise<InvocationOutcome> {
    const { pool } = this.#find(version.functionName, version.key) ?? this.#open(version);
    return await pool.invoke(invocation);
  }

  reconcile(functionName: string, versions: readonly RunnableVersion[]): void {
    const keys = new Set(versions.map(({ key }) => key));
    for (const entry of this.#running)
      if (entry.functionName === functionName && !keys.has(entry.key)) this.#retire(entry);
    if (this.#awsEndpointUrl === undefined) return;
    for (const version of versions) {
      const entry =
        this.#find(functionName, version.key) ?? (version.reserved > 0 ? this.#open(version) : undefined);
      if (entry === undefined) continue;
      entry.reserved = version.reserved;
      void entry.pool.prestart(version.reserved);
    }
  }

  instanceCounts(): Readonly<Record<string, number>> {
    const counts: Record<string, number> = {};
    for (const { functionName, pool } of this.#running)
      if (pool.instanceCount > 0) counts[functionName] = (counts[functionName] ?? 0) + pool.instanceCount;
    return counts;
  }

  start(awsEndpointUrl: string): void {
    this.#awsEndpointUrl = awsEndpointUrl;
  }

  async close(): Promise<void> {
    await Promise.all([...this.#running].map(({ pool }) => pool.close()));
    await Promise.all(this.#retiring);
    for (const entry of this.#running) this.#forget(entry);
    this.#folder.remove();
  }

  /** Stops the longest idle instance, preferably one that is not provisioned. */
  #makeRoom(): boolean {
    const [first] = [...this.#running]
      .flatMap(({ pool }) => (pool.oldestIdle === undefined ? [] : [{ pool, ...pool.oldestIdle }]))
      .toSorted((a, b) => Number(a.reserved) - Number(b.reserved) || a.since - b.since);
    first?.pool.stopOldestIdle();
    return first !== undefined;
  }

  #startInstance(version: RunnableVersion, codeDirectory: string): FunctionInstance {
    try {
      return this.#launch(version, codeDirectory);
    } catch (error) {
      // A stored function may have a role that the app no longer has.
      return brokenInstance(errorMessage(error));
    }
  }

  #launch({ functionName, version, settings }: RunnableVersion, codeDirectory: string): FunctionInstance {
    const { region, layers, mayWriteLogs, onUnlogged, credentialsFor, initTimeoutMs } = this.#options;
    const awsEndpointUrl = this.#awsEndpointUrl;
    if (awsEndpointUrl === undefined) throw new Error('a function was invoked before the host was started');
    const log = mayWriteLogs(settings.role, settings.logGroup) ? this.#options.log : onUnlogged;
    const date = new Date().toISOString().slice(0, 10).replaceAll('-', '/');
    return startProcessInstance({
      definition: {
        functionName,
        version,
        codeDirectory,
        layerDirectories: settings.layers.flatMap((arn) => layers.find(arn)?.directory ?? []),
        variables: settings.environment,
        handler: settings.handler,
        runtime: settings.runtime,
        timeoutSeconds: settings.timeoutSeconds,
        memoryMb: settings.memoryMb,
        roleArn: settings.role,
        logGroup: settings.logGroup,
        logStream: `${date}/[${version}]${randomBytes(16).toString('hex')}`,
      },
      region,
      credentials: credentialsFor(settings.role),
      awsEndpointUrl,
      temporaryDirectory: this.#folder.create('tmp-'),
      ...(log !== undefined && {
        log: (text: string) => {
          log(functionName, text);
        },
      }),
      ...(initTimeoutMs !== undefined && { initTimeoutMs }),
    });
  }

  #open(version: RunnableVersion): Running {
    const { maxInstancesPerVersion = 10, maxQueuedPerVersion = 100, observerOf } = this.#options;
    const codeDirectory = this.#folder.create('code-');
    unpackArchive(version.zip(), codeDirectory);
    const pool = createFunctionPool({
      startInstance: () => this.#startInstance(version, codeDirectory),
      maxInstances: () => maxInstancesPerVersion,
      maxQueued: maxQueuedPerVersion,
      idleMs: this.#options.idleMs ?? 5 * 60_000,
      reserved: () => opened.reserved,
      budget: this.#budget,
      ...(observerOf !== undefined && { observer: observerOf(version.functionName) }),
    });
    const { functionName, key, reserved } = version;
    const opened: Running = { functionName, key, pool, reserved, retired: false, codeDirectory };
    this.#running.add(opened);
    return opened;
  }

  #find(functionName: string, key: string): Running | undefined {
    return [...this.#running].find(
      (entry) => entry.functionName === functionName && entry.key === key && !entry.retired,
    );
  }

  #forget(entry: Running): void {
    this.#running.delete(entry);
    rmSync(entry.codeDirectory, { recursive: true, force: true });
  }

  #retire(entry: Running): void {
    if (entry.retired) return;
    entry.retired = true;
    const retired = entry.pool.retire().then(() => {
      this.#forget(entry);
    });
    this.#retiring.add(retired);
    void retired.then(() => this.#retiring.delete(retired));
  }
}

export function createProcessHost(options: ProcessHostOptions): ProcessHost {
  return new VersionHost(options);
}
