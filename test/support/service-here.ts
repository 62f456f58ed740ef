import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2 } from 'aws-lambda';
import { dependencies as reactorsDeps } from '../../functions/reactors/dependencies.ts';
import { routes as reactorsRoutes } from '../../functions/reactors/routes.ts';
import { authorize } from '../../packages/local-aws/src/aws-endpoint/authorize.ts';
import type { Caller } from '../../packages/local-aws/src/aws-endpoint/authenticate.ts';
import type { CallRecord } from '../../packages/local-aws/src/aws-endpoint/call-counter.ts';
import {
  AwsError,
  type AwsAccess,
  type AwsCall,
  type AwsResponse,
  type AwsService,
} from '../../packages/local-aws/src/aws-service.ts';
import { createDynamoDb } from '../../packages/local-aws/src/dynamodb/create-dynamodb.ts';
import { createKms } from '../../packages/local-aws/src/kms/create-kms.ts';
import {
  API_FUNCTIONS,
  BACKGROUND_FUNCTIONS,
  type FunctionDefinition,
  type Handler,
} from '../../packages/testing/src/functions.ts';
import { eventOf, integrated, route } from '../../packages/testing/src/gateway.ts';
import { createRounds } from './rounds.ts';
import { VirtualClock } from '../../packages/testing/src/virtual-clock.ts';
import type { EgressClient } from '../../src/core/egress/egress-client.ts';
import type { EgressInstance } from '../../src/adapters/egress/egress-instance.ts';
import { reactorFunctionName } from '../../src/adapters/lambda/reactor-function-name.ts';
import { createClient, USUAL } from '../../src/adapters/aws/client-settings.ts';
import { createApiHandler } from '../../src/http/create-api-handler.ts';
import { createRunnerModel } from '../simulation/models/runner-model.ts';
import { ACCOUNT, deployedHere } from './deployed-here.ts';
import { reactorFunctions, type CloudFunction } from './fakes/reactor-functions.ts';
import { fetchBy } from './http-client.ts';
import { inProcess, respond, type HttpRequest } from './in-process-dynamodb.ts';
import { OPERATING_FUNCTIONS } from './operating-functions.ts';
import { runnerOf } from './runner-of.ts';
import { bytesOfBody } from '../../src/core/shared/utf8.ts';

/** The functions that reactors have, by the ids of these. */
const OF_REACTORS = new Map<string, CloudFunction>();

/** All functions that the service has. */
const FUNCTIONS = {
  ...API_FUNCTIONS,
  ...BACKGROUND_FUNCTIONS,
  ...OPERATING_FUNCTIONS,
  reactors: {
    timeoutMs: API_FUNCTIONS.reactors.timeoutMs,
    start: (env, instance) => {
      const deps = { ...reactorsDeps(env, instance), reactorFunctions: reactorFunctions(OF_REACTORS) };
      const handle = createApiHandler(deps, reactorsRoutes);
      return (event, context) => handle(event as APIGatewayProxyEventV2, context);
    },
  },
} as const satisfies Readonly<Record<string, FunctionDefinition>>;

type FunctionName = keyof typeof FUNCTIONS;

/** The services by the prefix of `X-Amz-Target`. Lambda has none. */
const SERVICES: Readonly<Record<string, string>> = { DynamoDB_20120810: 'dynamodb', TrentService: 'kms' };

const ADMINISTRATOR: Caller = {
  principal: { kind: 'administrator' },
  name: 'administrator',
  arn: `arn:aws:iam::${ACCOUNT.accountId}:root`,
};

/** Every destination returns what it gets. */
const ECHO: EgressClient = {
  send: ({ body }) =>
    Promise.resolve({
      status: 200,
      headers: [['content-type', 'application/json']],
      body: bytesOfBody(body.reveal()),
    }),
};

/** The code of every reactor returns its arguments. */
const runner = (prefix: string) =>
  createRunnerModel({
    find: (name) => [...OF_REACTORS].find(([id]) => name === reactorFunctionName(prefix, id))?.[1],
    pause: () => Promise.resolve(),
    runMs: () => 0,
    onRun: () => undefined,
  });

/** The service in this process, as its callers and the administrator of its account reach it. */
export interface ServiceHere {
  /** A client of test/support/http-client.ts reaches the service by `base_url`. */
  readonly credentials: {
    readonly base_url: string;
    readonly tenant_id: string;
    readonly management_key: string;
  };
  /** It begins with an hour of 2030, and stands still, but that each request takes a ms. */
  readonly clock: Pick<VirtualClock, 'now'>;
  /** Moves the clock. No schedule runs. */
  readonly advance: (seconds: number) => void;
  /** The client of an administrator, who may do everything that no policy of a table denies. */
  readonly dynamodb: DynamoDBClient;
  /** Invokes a function as a schedule or an operator does, under the rights of its role. */
  readonly invoke: (name: FunctionName, payload: object) => Promise<unknown>;
  /** Starts another instance of a function, and returns what invokes it. */
  readonly startInstance: (name: FunctionName) => (event: object) => Promise<unknown>;
  /** Runs a command as the operator's command line does. A failure is its `errorMessage`. */
  readonly operator: (command: object) => Promise<Readonly<Record<string, any>>>;
  /**
   * The calls of functions since the last read of this list. Each begins and ends with a round of
   * calls: a call that did not wait for another one is in the same round.
   */
  readonly takeCalls: () => readonly CallRecord[];
  readonly close: () => Promise<void>;
}

type Deployed = ReturnType<typeof deployedHere>;

/** The record of a call, as the endpoint of the local account makes it. */
const recordOf = (
  { name: principal }: Caller,
  { service, target = '', body: request }: AwsCall,
  accesses: readonly AwsAccess[],
  { status, body, consumedCapacity }: AwsResponse,
  round: number,
): CallRecord => ({
  service,
  action: `${service}:${target}`,
  principal,
  resources: accesses.map(({ resource }) => resource),
  status,
  startedMs: round,
  durationMs: 1,
  requestBytes: request.length,
  responseBytes: Buffer.byteLength(body),
  ...(consumedCapacity !== undefined && { consumedCapacity }),
});

/** The tables and keys of a deployment, and how a caller reaches them. */
async function accountHere({ tables, keys, functionOf }: Deployed, now: () => number) {
  const { REACTOR_FUNCTION_PREFIX: prefix = '' } = functionOf('reactors').environment;
  const dynamodb = await createDynamoDb({ ...ACCOUNT, now });
  for (const table of tables) await dynamodb.createTable(table);
  const kms = await createKms(ACCOUNT);
  for (const key of keys) await kms.createKey(key);
  const services = new Map<string, AwsService>(
    [dynamodb, kms, runner(prefix)].map((each) => [each.signingName, each]),
  );
  const policyOf = (arn: string) => services.get(arn.split(':')[2] ?? '')?.resourcePolicy?.(arn);
  const inRounds = createRounds();
  const calls: CallRecord[] = [];

  /** A service as a caller reaches it, whose rights are checked. */
  const guarded = (service: AwsService, caller: Caller): AwsService => ({
    ...service,
    handle: async (call) => {
      let accesses: readonly AwsAccess[] = [];
      let response: AwsResponse;
      try {
        accesses = service.accesses(call);
        authorize(caller, service.signingName, accesses, policyOf);
        const work = () => service.handle({ ...call, principal: caller.principal });
        response = await (caller.role === undefined ? work() : inRounds.carryOut(work));
      } catch (error) {
        if (!(error instanceof AwsError)) throw error;
        response = service.failure(error);
      }
      if (caller.role !== undefined) calls.push(recordOf(caller, call, accesses, response, inRounds.count()));
      return response;
    },
  });

  return {
    reachedBy: (caller: Caller) =>
      inProcess((request: HttpRequest) => {
        const [prefix = ''] = (request.headers['x-amz-target'] ?? '').split('.');
        const service = services.get(SERVICES[prefix] ?? 'lambda');
        if (service === undefined) throw new Error(`no service here has ${prefix}${request.path}`);
        return respond(guarded(service, caller), request);
      }),
    takeCalls: () => calls.splice(0),
    async close() {
      await dynamodb.close();
      await kms.close();
    },
  };
}

type Account = Awaited<ReturnType<typeof accountHere>>;

/** Starts an instance of a function, which has the rights of its role. */
function startInstance(
  name: FunctionName,
  { functionOf }: Deployed,
  { reachedBy }: Account,
  platform: EgressInstance['platform'],
): Handler {
  const { role, environment } = functionOf(name);
  const roleName = role.arn.slice(role.arn.lastIndexOf('/') + 1);
  const caller: Caller = {
    principal: { kind: 'role', roleArn: role.arn },
    role,
    name: roleName,
    arn: `arn:aws:sts::${ACCOUNT.accountId}:assumed-role/${roleName}/${roleName}`,
  };
  return FUNCTIONS[name].start(environment, {
    platform,
    print: () => undefined,
    aws: { ...reachedBy(caller), open: () => undefined },
    createEgress: () => ECHO,
  });
}

/** The same hour and minute in each run: indexes end with hours, and marks with minutes. */
const START = Date.UTC(2030, 0, 1, 12);

const contextOf = (name: FunctionName) => ({
  getRemainingTimeInMillis: () => FUNCTIONS[name].timeoutMs,
});

let opened = 0;

/**
 * The functions of the service over the engines of the local account, in this process: each call
 * needs the rights that the templates give, but crosses no wire. There are no queues.
 */
export async function serviceHere(): Promise<ServiceHere> {
  const clock = new VirtualClock(START);
  const platform = clock.platform();
  const deployed = deployedHere();
  const account = await accountHere(deployed, clock.now);
  const handlers = new Map<FunctionName, Handler>();

  function invoke(name: FunctionName, payload: unknown): Promise<unknown> {
    const handle = handlers.get(name) ?? startInstance(name, deployed, account, platform);
    handlers.set(name, handle);
    return handle(payload, contextOf(name));
  }

  async function answer(request: Request): Promise<Response> {
    clock.tick();
    const body = Buffer.from(await request.arrayBuffer());
    const { method, headers } = request;
    const call = { method, url: new URL(request.url), headers: [...headers], body };
    const routed = route(call);
    if ('answer' in routed) throw new Error(`the gateway refuses ${method} ${request.url}`);
    const result = await invoke(routed.name, eventOf(call, routed.path, clock.now()));
    const answered = integrated(result as APIGatewayProxyStructuredResultV2);
    const content = answered.body.length === 0 ? null : new Uint8Array(answered.body);
    const named = answered.headers.map(([name, value]): [string, string] => [name, value]);
    return new Response(content, { status: answered.status, headers: named });
  }

  async function operator(command: object): Promise<Readonly<Record<string, any>>> {
    clock.tick();
    try {
      return (await invoke(runnerOf(command), command)) as Readonly<Record<string, any>>;
    } catch (error) {
      return { errorMessage: error instanceof Error ? error.message : String(error) };
    }
  }

  opened += 1;
  const baseUrl = `https://service-${String(opened)}.test`;
  const forget = fetchBy(baseUrl, (url, init) => answer(new Request(url, init)));
  const tenant = await operator({ command: 'create-tenant', name: 'Test' });
  const dynamodb = createClient(DynamoDBClient, account.reachedBy(ADMINISTRATOR), {
    ...USUAL,
    maxAttempts: 1,
  });
  return {
    credentials: {
      base_url: baseUrl,
      tenant_id: String(tenant['tenant_id']),
      management_key: String(tenant['management_key']),
    },
    clock,
    advance: (seconds) => clock.moveTo(clock.now() + seconds * 1_000),
    dynamodb,
    invoke,
    startInstance(name) {
      const handle = startInstance(name, deployed, account, platform);
      return (event) => handle(event, contextOf(name));
    },
    operator,
    takeCalls: account.takeCalls,
    async close() {
      forget();
      clock.endTimers();
      dynamodb.destroy();
      await account.close();
    },
  };
}
