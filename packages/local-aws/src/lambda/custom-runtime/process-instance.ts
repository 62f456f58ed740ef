import { rmSync } from 'node:fs';
import type { RoleCredentials } from '../../iam/role-registry.ts';
import { failure, type Invocation, type InvocationOutcome } from '../function-definition.ts';
import type { FunctionInstance } from '../function-instance.ts';
import type { ProcessDefinition } from './process-definition.ts';
import { processEnvironment } from './process-environment.ts';
import { residentBytes } from './resident-bytes.ts';
import { startRuntimeApi, type RuntimeApi } from './runtime-api.ts';
import { startRuntimeProcess, type RuntimeProcess } from './runtime-process.ts';

export interface ProcessInstanceOptions {
  readonly definition: ProcessDefinition;
  readonly region: string;
  readonly credentials: RoleCredentials;
  readonly awsEndpointUrl: string;
  /** An empty folder for its temporary files, removed with it. */
  readonly temporaryDirectory: string;
  /** Receives the function's output; absent if its role may not write logs. */
  readonly log?: (text: string) => void;
  /** Longest time until the runtime asks for its first invocation. Default 10 s, as on AWS. */
  readonly initTimeoutMs?: number;
}

const MEMORY_CHECK_MS = 100;

type Ending = (requestId: string) => InvocationOutcome;

/**
 * Runs a custom runtime: owns a process, its Runtime API, and a folder for temporary files.
 */
class ProcessInstance implements FunctionInstance {
  readonly #options: ProcessInstanceOptions;
  readonly #initialized = Promise.withResolvers<undefined>();
  readonly #ended = Promise.withResolvers<undefined>();
  readonly #initTimer: NodeJS.Timeout;
  readonly #memoryCheck: NodeJS.Timeout;
  /** The reason for which the instance accepts no more invocations. */
  #ending: Ending | undefined;
  #api: RuntimeApi | undefined;
  #child: RuntimeProcess | undefined;
  #requestId = '';
  #settleInvocation: ((outcome: InvocationOutcome) => void) | undefined;
  #ready: PromiseWithResolvers<undefined> | undefined;
  #deadline: NodeJS.Timeout | undefined;

  constructor(options: ProcessInstanceOptions) {
    const { definition, initTimeoutMs = 10_000 } = options;
    this.#options = options;
    this.#initTimer = this.#endAfter(initTimeoutMs, 'Init');
    this.#memoryCheck = setInterval(() => {
      const pid = this.#child?.pid;
      if (pid !== undefined && residentBytes(pid) > definition.memoryMb * 1024 * 1024) this.#child?.kill();
    }, MEMORY_CHECK_MS);
    this.#memoryCheck.unref();
  }

  get initialized(): Promise<void> {
    return this.#initialized.promise;
  }

  get usable(): boolean {
    return this.#ending === undefined;
  }

  /** Starts the process; its failure ends the instance. */
  start(): void {
    this.#launch().catch((error: unknown) => {
      this.#exited(String(error));
    });
  }

  async run(invocation: Invocation): Promise<InvocationOutcome> {
    await this.initialized;
    if (this.#ending !== undefined) return this.#ending(invocation.requestId);
    const timeoutMs = this.#options.definition.timeoutSeconds * 1000;
    this.#requestId = invocation.requestId;
    const { promise, resolve } = Promise.withResolvers<InvocationOutcome>();
    this.#settleInvocation = resolve;
    this.#ready = Promise.withResolvers();
    this.#deadline = this.#endAfter(timeoutMs, 'Task');
    this.#api?.dispatch(invocation, Date.now() + timeoutMs);
    return await promise;
  }

  async untilReady(): Promise<void> {
    await this.#ready?.promise;
  }

  async stop(): Promise<void> {
    this.#end((id) => failure('Runtime.ExitError', `RequestId: ${id} Error: the instance has stopped`));
    await this.#ended.promise;
  }

  /** Ends the instance after a time, unless what it waits for happens before. */
  #endAfter(timeoutMs: number, what: 'Init' | 'Task'): NodeJS.Timeout {
    return setTimeout(() => {
      const seconds = (timeoutMs / 1000).toFixed(2);
      this.#end((id) =>
        failure('Sandbox.Timedout', `RequestId: ${id} Error: ${what} timed out after ${seconds} seconds`),
      );
    }, timeoutMs);
  }

  #settle(outcome: InvocationOutcome): void {
    this.#settleInvocation?.(outcome);
    this.#settleInvocation = undefined;
  }

  /** The end of this instance: all waiting calls get the reason. */
  #end(reason: Ending): void {
    this.#ending ??= reason;
    clearTimeout(this.#initTimer);
    clearTimeout(this.#deadline);
    clearInterval(this.#memoryCheck);
    this.#child?.kill();
    this.#api?.close();
    this.#settle(this.#ending(this.#requestId));
    this.#initialized.resolve(undefined);
    this.#ready?.resolve(undefined);
  }

  #exited(reason: string): void {
    const described =
      reason === 'exit status 0'
        ? 'Runtime exited without providing a reason'
        : `Runtime exited with error: ${reason}`;
    this.#end((id) => failure('Runtime.ExitError', `RequestId: ${id} Error: ${described}`));
    rmSync(this.#options.temporaryDirectory, { recursive: true, force: true });
    this.#ended.resolve(undefined);
  }

  async #launch(): Promise<void> {
    const { definition, log } = this.#options;
    const api = await startRuntimeApi({
      onNext: () => {
        clearTimeout(this.#initTimer);
        clearTimeout(this.#deadline);
        this.#initialized.resolve(undefined);
        this.#ready?.resolve(undefined);
      },
      onOutcome: (outcome) => {
        this.#settle(outcome);
      },
      onInitError: (payload) => {
        this.#end(() => ({ failed: true, payload }));
      },
    });
    this.#api = api;
    if (this.#ending !== undefined) {
      api.close();
      this.#exited('signal: killed');
      return;
    }
    this.#child = startRuntimeProcess({
      codeDirectory: definition.codeDirectory,
      layerDirectories: definition.layerDirectories,
      environment: processEnvironment(definition, { ...this.#options, runtimeApi: api.address }),
      ...(log !== undefined && { log }),
      onExit: (reason) => {
        this.#exited(reason);
      },
    });
  }
}

export function startProcessInstance(options: ProcessInstanceOptions): FunctionInstance {
  const instance = new ProcessInstance(options);
  instance.start();
  return instance;
}
