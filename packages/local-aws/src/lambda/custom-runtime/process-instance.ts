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

/**
 * An execution environment that runs a custom runtime: a process, its Runtime API, and a folder for
 * temporary files.
 */
// oxlint-disable-next-line max-lines-per-function -- one owner of the state of a process
export function startProcessInstance(options: ProcessInstanceOptions): FunctionInstance {
  const { definition, temporaryDirectory, log, initTimeoutMs = 10_000 } = options;
  const { promise: initialized, resolve: settleInitialized } = Promise.withResolvers<undefined>();
  const { promise: ended, resolve: settleEnded } = Promise.withResolvers<undefined>();
  /** The reason for which the instance accepts no more invocations. */
  let ending: ((requestId: string) => InvocationOutcome) | undefined;
  let api: RuntimeApi | undefined;
  let child: RuntimeProcess | undefined;
  let requestId = '';
  let settleInvocation: ((outcome: InvocationOutcome) => void) | undefined;
  let ready: PromiseWithResolvers<undefined> | undefined;
  let deadline: NodeJS.Timeout | undefined;

  const initTimer = setTimeout(() => {
    const seconds = (initTimeoutMs / 1000).toFixed(2);
    end((id) =>
      failure('Sandbox.Timedout', `RequestId: ${id} Error: Init timed out after ${seconds} seconds`),
    );
  }, initTimeoutMs);

  const memoryCheck = setInterval(() => {
    if (child?.pid !== undefined && residentBytes(child.pid) > definition.memoryMb * 1024 * 1024)
      child.kill();
  }, MEMORY_CHECK_MS);
  memoryCheck.unref();

  function settle(outcome: InvocationOutcome): void {
    settleInvocation?.(outcome);
    settleInvocation = undefined;
  }

  /** The end of this instance: all waiting calls get the reason. */
  function end(reason: (requestId: string) => InvocationOutcome): void {
    ending ??= reason;
    clearTimeout(initTimer);
    clearTimeout(deadline);
    clearInterval(memoryCheck);
    child?.kill();
    api?.close();
    settle(ending(requestId));
    settleInitialized(undefined);
    ready?.resolve(undefined);
  }

  function exited(reason: string): void {
    const described =
      reason === 'exit status 0'
        ? 'Runtime exited without providing a reason'
        : `Runtime exited with error: ${reason}`;
    end((id) => failure('Runtime.ExitError', `RequestId: ${id} Error: ${described}`));
    rmSync(temporaryDirectory, { recursive: true, force: true });
    settleEnded(undefined);
  }

  async function start(): Promise<void> {
    const opened = await startRuntimeApi({
      onNext: () => {
        clearTimeout(initTimer);
        clearTimeout(deadline);
        settleInitialized(undefined);
        ready?.resolve(undefined);
      },
      onOutcome: settle,
      onInitError: (payload) => {
        end(() => ({ failed: true, payload }));
      },
    });
    api = opened;
    if (ending !== undefined) {
      opened.close();
      exited('signal: killed');
      return;
    }
    child = startRuntimeProcess({
      codeDirectory: definition.codeDirectory,
      layerDirectories: definition.layerDirectories,
      environment: processEnvironment(definition, {
        ...options,
        runtimeApi: opened.address,
      }),
      ...(log !== undefined && { log }),
      onExit: exited,
    });
  }

  function startDeadline(): void {
    deadline = setTimeout(() => {
      const seconds = definition.timeoutSeconds.toFixed(2);
      end((id) =>
        failure('Sandbox.Timedout', `RequestId: ${id} Error: Task timed out after ${seconds} seconds`),
      );
    }, definition.timeoutSeconds * 1000);
  }

  async function run(invocation: Invocation): Promise<InvocationOutcome> {
    await initialized;
    if (ending !== undefined) return ending(invocation.requestId);
    requestId = invocation.requestId;
    const { promise, resolve } = Promise.withResolvers<InvocationOutcome>();
    settleInvocation = resolve;
    ready = Promise.withResolvers();
    startDeadline();
    api?.dispatch(invocation, Date.now() + definition.timeoutSeconds * 1000);
    return await promise;
  }

  void start().catch((error: unknown) => {
    exited(String(error));
  });

  return {
    initialized,
    get usable() {
      return ending === undefined;
    },
    run,
    untilReady: async () => {
      await ready?.promise;
    },
    stop: async () => {
      end((id) => failure('Runtime.ExitError', `RequestId: ${id} Error: the instance has stopped`));
      await ended;
    },
  };
}
