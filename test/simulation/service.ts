import type { AwsService } from '../../packages/local-aws/src/aws-service.ts';
import type { ReactorFunctions } from '../../src/core/reactors/reactor-functions.ts';
import type { Account } from './account.ts';
import type { FaultSource } from './calls.ts';
import { environmentOf, FUNCTIONS, instanceOf, type FunctionName, type Handler } from './functions.ts';
import { createLife, type Life } from './life.ts';
import type { Internet } from './models/internet-model.ts';
import type { World } from './world.ts';

/** How instances live. Probabilities are from 0 to 1. */
export interface LifeFaults {
  /** An invocation ends with the death of its instance. */
  readonly death: number;
  /** How far the clock of an instance may be from the world's, in ms, either way. */
  readonly skewMs: number;
  /** The caller of the API gets no answer, although there was one. */
  readonly unanswered: number;
}

interface Instance {
  readonly life: Life;
  readonly handle: Handler;
}

export interface ServiceRequest {
  readonly method: string;
  /** Contains the query. */
  readonly path: string;
  readonly key: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** Whether its instance dies before it has answered, where instances die at all. */
  readonly isFatal?: boolean;
}

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: any;
}

/** The deployed service, as callers, schedules and operators reach it. */
export interface Service {
  /** Resolves to undefined if no answer reached the caller. */
  readonly request: (who: string, request: ServiceRequest) => Promise<Answer | undefined>;
  /** Invokes a function without a gateway. Rejects if it fails or dies. */
  readonly invoke: (name: FunctionName, payload: unknown) => Promise<unknown>;
  /** Every line that an instance has printed. */
  readonly lines: readonly string[];
}

/** An invocation that has no result. */
class InvocationFailure extends Error {
  override readonly name = 'InvocationFailure';
}

const DEAD = 'the instance died';
/** How long an invocation may last before its instance dies, if it does, in ms. */
const LONGEST_LIFE_MS = 60;
/** When a fatal request ends its instance, in ms from its start: in the middle of its calls. */
const FATAL_MS = [6, 24] as const;

export interface ServiceOptions {
  readonly world: World;
  readonly account: Account;
  readonly faults: FaultSource;
  readonly internet: Internet;
  readonly reactorFunctions: ReactorFunctions;
  /** Services that are models, besides the engines of the account. */
  readonly models: readonly AwsService[];
  /** Faults at the moment. */
  readonly lifeFaults: () => LifeFaults;
}

const FUNCTION_OF: Readonly<Record<string, FunctionName>> = {
  tokens: 'tokens',
  tokenize: 'tokens',
  detokenize: 'tokens',
  applications: 'applications',
  permissions: 'applications',
  sessions: 'applications',
  tenants: 'applications',
  logs: 'logs',
  access: 'applications',
  proxies: 'proxies',
  proxy: 'proxy',
  reactors: 'reactors',
};

/** Makes an event of API Gateway, in payload format 2.0. */
function eventOf(world: World, { method, path, key, body, headers }: ServiceRequest): object {
  const [rawPath = '', rawQueryString = ''] = path.split('?');
  const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
  return {
    rawPath,
    rawQueryString,
    headers: { 'svc-api-key': key, ...(body !== undefined && { 'content-type': type }), ...headers },
    requestContext: {
      http: { method, sourceIp: '203.0.113.1' },
      timeEpoch: Math.floor(world.now()),
      domainName: 'api.example.com',
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    isBase64Encoded: false,
  };
}

export function createService(options: ServiceOptions): Service {
  const { world, account, faults, internet, reactorFunctions, models, lifeFaults } = options;
  const { happens } = faults;
  const calls = { world, services: [...account.services, ...models], faults };
  const draws = world.draws('service');
  const env = environmentOf(account);
  const idle = new Map<FunctionName, Instance[]>();
  const lines: string[] = [];
  let started = 0;

  function startInstance(name: FunctionName): Instance {
    started += 1;
    const { skewMs } = lifeFaults();
    const life = createLife(world, `${name} ${String(started)}`, draws.between(-skewMs, skewMs));
    const print = (line: string) => lines.push(line);
    const handle: Handler = FUNCTIONS[name].start(
      env,
      instanceOf(calls, life, { print, egress: internet.egressOf(life), reactorFunctions }),
    );
    return { life, handle };
  }

  /** Lambda prefers no instance in particular. */
  function anInstance(name: FunctionName): Instance {
    const waiting = idle.get(name) ?? [];
    const known = waiting.length > 0 && !draws.chance(0.1) ? waiting : [];
    if (known.length === 0) return startInstance(name);
    const [instance] = waiting.splice(draws.integer(waiting.length), 1) as [Instance];
    instance.life.thaw();
    return instance;
  }

  function run(name: FunctionName, event: unknown, isFatal = false): Promise<unknown> {
    const instance = anInstance(name);
    const { life, handle } = instance;
    const { timeoutMs } = FUNCTIONS[name];
    const endsAt = world.now() + timeoutMs;
    return new Promise((resolve, reject) => {
      let isOver = false;
      const end = (finish: () => void) => {
        if (isOver) return;
        isOver = true;
        finish();
      };
      const die = (reason: string) => () => {
        end(() => {
          world.happened(life.name, reason);
          life.die();
          reject(new InvocationFailure(`${life.name}: ${reason}`));
        });
      };
      world.after(timeoutMs, die('was ended by its timeout'));
      const { death } = lifeFaults();
      const isDying = (draws.chance(death) || (isFatal && death > 0)) && happens();
      const [from, to] = isFatal ? FATAL_MS : [0, LONGEST_LIFE_MS];
      if (isDying) world.after(draws.between(from, to), die(DEAD));
      const finish = (settle: () => void) => {
        if (life.isDead()) return;
        end(() => {
          life.freeze();
          idle.set(name, [...(idle.get(name) ?? []), instance]);
          settle();
        });
      };
      handle(event, { getRemainingTimeInMillis: () => Math.max(0, endsAt - world.now()) }).then(
        (result) => finish(() => resolve(result)),
        (error: unknown) => finish(() => reject(error instanceof Error ? error : new Error(String(error)))),
      );
    });
  }

  async function answer(request: ServiceRequest): Promise<Answer> {
    const name = FUNCTION_OF[request.path.split(/[/?]/)[1] ?? ''];
    if (name === undefined) throw new Error(`no function serves ${request.path}`);
    try {
      const { statusCode, headers, body } = (await run(name, eventOf(world, request), request.isFatal)) as {
        statusCode: number;
        headers?: Record<string, string>;
        body?: string;
      };
      const named = Object.entries(headers ?? {}).map(([key, value]) => [key.toLowerCase(), value]);
      return {
        status: statusCode,
        headers: Object.fromEntries(named) as Record<string, string>,
        body: body === undefined || body === '' ? undefined : JSON.parse(body),
      };
    } catch (error) {
      // API Gateway answers so for a function that failed.
      if (!(error instanceof InvocationFailure)) throw error;
      return { status: 500, headers: {}, body: { message: 'Internal Server Error' } };
    }
  }

  return {
    request: async (who, request) => {
      const label = `${request.method} ${request.path}`;
      await world.pause(draws.between(1, 10));
      world.happened(who, label);
      const response = await answer(request);
      const isUnanswered = draws.chance(lifeFaults().unanswered) && happens();
      await world.pause(draws.between(1, 10));
      world.happened(who, `${label} ${isUnanswered ? 'gets no answer' : String(response.status)}`);
      return isUnanswered ? undefined : response;
    },
    invoke: (name, payload) => run(name, payload),
    lines,
  };
}
