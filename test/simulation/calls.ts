import type { ClientLimits } from '../../src/adapters/aws/client-settings.ts';
import {
  AwsError,
  type AwsCall,
  type AwsResponse,
  type AwsService,
} from '../../packages/local-aws/src/aws-service.ts';
import { busy, conflicting, failed, throttled } from '../../packages/local-aws/src/faults/fault-failures.ts';
import { PARTIAL_ACTIONS, partialBatch } from '../../packages/local-aws/src/faults/partial-batch.ts';
import type { Life } from './life.ts';
import type { Draws } from './seeded.ts';
import type { World } from './world.ts';

/** How likely a call meets each fault, from 0 to 1. */
export interface CallFaults {
  readonly throttle: number;
  /** The service itself fails, before it has done anything. */
  readonly error: number;
  /** The call is carried out, and its response is lost. */
  readonly lost: number;
  /** The connection is cut before the call arrives. */
  readonly cut: number;
  /** A write conflicts with another transaction on its item. */
  readonly conflict: number;
  /** Parts of a batch are left out. */
  readonly partial: number;
  /** The call, or its response, takes up to some seconds: longer than the client waits. */
  readonly slow: number;
}

export const NO_FAULTS: CallFaults = {
  throttle: 0,
  error: 0,
  lost: 0,
  cut: 0,
  conflict: 0,
  partial: 0,
  slow: 0,
};

/** Which faults there are at the moment, and how an account hands out those of each call. */
export interface FaultSource {
  /** The faults of an action of a service. The actions of Lambda have no names. */
  readonly of: (service: string, action: string) => CallFaults;
  /** Whether a fault that was drawn happens. A shrunk run leaves out some. */
  readonly happens: () => boolean;
  /** How long a slow call takes in one direction, at most, in ms. */
  readonly slowestMs?: number;
}

/** The SDK passes this to its request handler. */
interface SdkRequest {
  readonly method: string;
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
}

interface HandlerOptions {
  readonly abortSignal?: AbortSignal;
}

const SLOWEST_MS = 6_000;

const WRITES = /^(?:Transact|PutItem|UpdateItem|DeleteItem|ExecuteStatement)/;

/** The faults that one call meets, all drawn before it is sent. */
interface Fate {
  readonly thereMs: number;
  readonly backMs: number;
  readonly fault: keyof CallFaults | undefined;
  readonly which: number;
}

function applies(kind: keyof CallFaults, { service, target = '' }: AwsCall): boolean {
  if (kind === 'conflict') return service === 'dynamodb' && WRITES.test(target);
  if (kind === 'partial') return service === 'dynamodb' && PARTIAL_ACTIONS.includes(target);
  return true;
}

function drawFate(draws: Draws, call: AwsCall, source: FaultSource): Fate {
  const faults = source.of(call.service, call.target ?? '');
  const kinds = Object.keys(faults) as (keyof CallFaults)[];
  const drawn = kinds.filter((kind) => draws.chance(faults[kind])).find((kind) => applies(kind, call));
  const fault = drawn !== undefined && source.happens() ? drawn : undefined;
  const usual = () => draws.between(0.5, 4) * (draws.chance(0.05) ? 20 : 1);
  const there = usual();
  const back = usual();
  const slowMs = draws.between(0, source.slowestMs ?? SLOWEST_MS);
  const isThere = draws.chance(0.5);
  const which = draws.fraction();
  const isSlow = fault === 'slow';
  return {
    thereMs: there + (isSlow && isThere ? slowMs : 0),
    backMs: back + (isSlow && !isThere ? slowMs : 0),
    fault,
    which,
  };
}

function refusal(call: AwsCall, { fault, which }: Fate): AwsError | undefined {
  const { target = '', service } = call;
  if (fault === 'throttle' && service === 'lambda' && target === 'Invoke') return busy();
  if (fault === 'throttle') return throttled(call, target, which);
  if (fault === 'conflict') return conflicting(call, target, which);
  return fault === 'error' ? failed(call) : undefined;
}

function awsCall(service: AwsService, { method, path, query, headers, body = '' }: SdkRequest): AwsCall {
  const target = headers['x-amz-target']?.split('.').at(-1);
  const bytes =
    typeof body === 'string' ? Buffer.from(body) : Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  const principal = { kind: 'administrator' } as const;
  return {
    service: service.signingName,
    method,
    path,
    headers,
    query: new URLSearchParams(query),
    target,
    body: bytes,
    principal,
  };
}

/** Carries a call out, with the parts that a fault leaves. */
async function carryOut(service: AwsService, call: AwsCall, fate: Fate, draws: Draws): Promise<AwsResponse> {
  try {
    const refused = refusal(call, fate);
    if (refused !== undefined) throw refused;
    if (fate.fault !== 'partial') return await service.handle(call);
    const { target = '' } = call;
    const mayLoseAll = target === 'BatchExecuteStatement';
    const isLeftOut = (isFirst: boolean) => (mayLoseAll || !isFirst) && draws.chance(0.5);
    return await partialBatch(call, target, isLeftOut, (part) => service.handle(part));
  } catch (error) {
    if (!(error instanceof AwsError)) throw error;
    return service.failure(error);
  }
}

const connectionReset = () => Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' });
const timedOut = (ms: number) =>
  Object.assign(new Error(`no response within ${String(ms)} ms`), { name: 'TimeoutError' });
const aborted = () => Object.assign(new Error('Request aborted'), { name: 'AbortError' });

/** The services by the prefix of `X-Amz-Target`; Lambda has none. */
const TARGETS: Readonly<Record<string, string>> = {
  DynamoDB_20120810: 'dynamodb',
  TrentService: 'kms',
  AmazonSQS: 'sqs',
};

const RETRY_CAPACITY = 500;
const RETRY_COST = 5;
const RETRY_BASE_MS = 50;

/**
 * The SDK's standard retry strategy, which draws its pauses and waits by the timers of an instance:
 * the SDK's own uses those of Node.
 */
function retryStrategy(life: Life, maxAttempts: number) {
  let capacity = RETRY_CAPACITY;
  const draws = life.draws.fork('retries');
  const token = (count: number) => ({
    getRetryCount: () => count,
    getRetryDelay: () => 0,
    getRetryCost: () => (count === 0 ? undefined : RETRY_COST),
  });
  return {
    mode: 'standard',
    acquireInitialRetryToken: () => Promise.resolve(token(0)),
    refreshRetryTokenForRetry: async (
      { getRetryCount }: ReturnType<typeof token>,
      { errorType }: { readonly errorType: string },
    ) => {
      const count = getRetryCount() + 1;
      const isRetryable = errorType === 'THROTTLING' || errorType === 'TRANSIENT';
      if (!isRetryable || count >= maxAttempts || capacity < RETRY_COST)
        throw new Error('No retry token available');
      capacity -= RETRY_COST;
      await new Promise<void>((resolve) => {
        life.after(draws.fraction() * RETRY_BASE_MS * 2 ** count, resolve);
      });
      return token(count);
    },
    recordSuccess: ({ getRetryCost }: ReturnType<typeof token>) => {
      capacity = Math.min(RETRY_CAPACITY, capacity + (getRetryCost() ?? 1));
    },
  };
}

/** The simulated account, which clients reach without sockets, and with faults. */
export interface CallsOptions {
  readonly world: World;
  readonly services: readonly AwsService[];
  readonly faults: FaultSource;
}

/**
 * The configuration by which the SDK's clients of one instance reach the simulated account.
 */
export function clientConfiguration({ world, services, faults }: CallsOptions, life: Life) {
  const byName = new Map(services.map((service) => [service.signingName, service]));
  const draws = life.draws.fork('calls');

  function serviceOf({ headers, path }: SdkRequest): AwsService {
    const [prefix = ''] = (headers['x-amz-target'] ?? '').split('.');
    const service = byName.get(TARGETS[prefix] ?? 'lambda');
    if (service === undefined) throw new Error(`the simulation has no ${prefix}${path}`);
    return service;
  }

  function send(request: SdkRequest, { responseWithinMs }: ClientLimits, signal: AbortSignal | undefined) {
    const service = serviceOf(request);
    const call = awsCall(service, request);
    const fate = drawFate(draws, call, faults);
    const label = `${call.target ?? call.path}${fate.fault === undefined ? '' : ` (${fate.fault})`}`;
    return new Promise<{ readonly response: object }>((resolve, reject) => {
      const cancel = life.after(responseWithinMs, () => {
        reject(timedOut(responseWithinMs));
      });
      const fail = (because: () => Error) => () => {
        cancel();
        reject(because());
      };
      signal?.addEventListener('abort', fail(aborted), { once: true });
      // A call that is on its way arrives although its instance has died.
      world.after(fate.thereMs, async () => {
        if (fate.fault === 'cut') {
          world.happened(life.name, label);
          life.after(fate.backMs, fail(connectionReset));
          return;
        }
        const carried = carryOut(service, call, fate, draws).then(({ status, headers, body }) => {
          world.happened(life.name, `${label} ${String(status)}`);
          life.after(fate.backMs, () => {
            cancel();
            if (fate.fault === 'lost') reject(connectionReset());
            else
              resolve({ response: { statusCode: status, headers: { ...headers }, body: Buffer.from(body) } });
          });
        });
        // Code that runs takes its time; everything else happens at once.
        if (service.signingName !== 'lambda') await carried;
      });
    });
  }

  return (limits: ClientLimits) => ({
    region: 'eu-west-1',
    endpoint: 'http://simulation',
    credentials: { accessKeyId: 'simulation', secretAccessKey: 'simulation' },
    signer: { sign: (request: unknown) => Promise.resolve(request) },
    retryStrategy: retryStrategy(life, limits.maxAttempts),
    requestHandler: {
      handle: (request: SdkRequest, { abortSignal }: HandlerOptions = {}) =>
        send(request, limits, abortSignal),
      destroy: () => undefined,
    },
  });
}
