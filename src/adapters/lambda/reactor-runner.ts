import { InvokeCommand, type InvokeCommandOutput } from '@aws-sdk/client-lambda';
import type { ReactorRunner, RunOutcome, RunRequest } from '../../core/reactors/reactor-runner.ts';
import { admittedLocalPorts, type EgressAllowList } from '../../core/egress/destination.ts';
import { withTimeout } from '../../core/shared/platform.ts';
import { ServiceError } from '../../core/shared/service-error.ts';
import type { Lambda } from './lambda.ts';
import { LIVE, reactorFunctionName } from './reactor-function-name.ts';
import { parseRunOutcome } from './parse-run-outcome.ts';

/** Largest payload that a synchronous invocation may have, in bytes (AWS Lambda quotas: 6 MB). */
const PAYLOAD_MAX_BYTES = 6_000_000;

/** Lambda errors that prove that the code was not started, and that are transient. */
const NOT_STARTED = new Set([
  'TooManyRequestsException',
  'ResourceConflictException',
  'ResourceNotReadyException',
  'CodeArtifactUserPendingException',
  'EC2ThrottledException',
  'KMSNotFoundException',
  'KMSInvalidStateException',
  'KMSDisabledException',
  'KMSAccessDeniedException',
]);

const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 1_000;
/** How long the service tries to start a run, in ms. The rest of the time is for the code. */
const START_WITHIN_MS = 8_000;

function payloadOf(
  { codeHash, args, configuration, client, timeoutMs }: RunRequest,
  localPorts: readonly number[],
): Buffer {
  const payload = Buffer.from(
    JSON.stringify({
      version: 1,
      code_sha256: codeHash,
      request: { args: args.reveal(), configuration: configuration.reveal() },
      client:
        client === undefined
          ? null
          : {
              base_url: client.baseUrl,
              api_key: client.apiKey.reveal(),
              header_prefix: client.headerPrefix,
            },
      timeout_ms: timeoutMs,
      ...(localPorts.length > 0 && { local_ports: localPorts }),
    }),
  );
  if (payload.length > PAYLOAD_MAX_BYTES)
    throw new ServiceError('payload_too_large', 'The detokenized arguments are larger than 6 MB.');
  return payload;
}

export interface ReactorRunnerSettings {
  readonly namePrefix: string;
  /**
   * Local origins that the deployer allows for a reactor's client. Only the local account has them.
   */
  readonly egressAllowList: EgressAllowList;
}

function unavailable(cause: unknown): ServiceError {
  return new ServiceError('dependency_unavailable', 'No instance of the reactor is available.', {
    cause,
    headers: { 'Retry-After': '2' },
  });
}

/** The outcome of an invocation that Lambda accepted. */
function outcomeOfResponse({ FunctionError: error, Payload: payload }: InvokeCommandOutput): RunOutcome {
  if (error === undefined) return parseRunOutcome(payload);
  // The instance died. Lambda reports the cause in words, except for memory, where it reports none.
  return { outcome: 'exited' };
}

/** The outcome of an invocation that Lambda did not accept, or that has no response. */
function outcomeOfError(error: unknown): RunOutcome | { readonly notStarted: unknown } {
  if (!(error instanceof Error)) throw error;
  if (NOT_STARTED.has(error.name)) return { notStarted: error };
  // The function was deleted after the record was read, or a restore brought the record alone.
  if (error.name === 'ResourceNotFoundException') return { outcome: 'gone' };
  const status = (error as { $metadata?: { httpStatusCode?: number } }).$metadata?.httpStatusCode;
  // A refusal (AccessDenied, not found) is a fault of the service and started nothing. Without a
  // response, or after a 5xx, the code may have run.
  if (status !== undefined && status < 500) throw error;
  return { outcome: 'unknown' };
}

/**
 * Invokes a reactor's function once, by its alias or a version. The client must not retry: after an
 * ambiguous response the code may have run, and it runs at most once.
 */
export function createReactorRunner(
  { client, platform }: Lambda,
  { namePrefix, egressAllowList }: ReactorRunnerSettings,
): ReactorRunner {
  const { clock, random } = platform;
  const localPorts = admittedLocalPorts(egressAllowList);

  /** The outcome (see {@link RunOutcome}), or the error of a call that started nothing. */
  async function attempt(
    request: RunRequest,
    payload: Buffer,
  ): Promise<RunOutcome | { readonly notStarted: unknown }> {
    const command = new InvokeCommand({
      FunctionName: reactorFunctionName(namePrefix, request.reactorId),
      Qualifier: request.functionVersion ?? LIVE,
      Payload: payload,
    });
    return withTimeout(platform, Math.max(0, request.deadline - clock()), async (abortSignal) => {
      try {
        return outcomeOfResponse(await client.send(command, { abortSignal }));
      } catch (error) {
        return abortSignal.aborted ? { outcome: 'timed_out' } : outcomeOfError(error);
      }
    });
  }

  return {
    async run(request) {
      const payload = payloadOf(request, localPorts);
      const until = Math.min(clock() + START_WITHIN_MS, request.deadline);
      for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(LONGEST_PAUSE_MS, pauseMs * 2)) {
        const result = await attempt(request, payload);
        if (!('notStarted' in result)) return result;
        if (clock() + pauseMs > until) throw unavailable(result.notStarted);
        await platform.pause(pauseMs * (0.5 + random.fraction() / 2));
      }
    },
  };
}
