import type { APIGatewayProxyEventV2, SQSEvent } from 'aws-lambda';
import type { EgressInstance } from '../../src/adapters/egress/egress-instance.ts';
import type { EgressClient } from '../../src/core/egress/egress-client.ts';
import type { ReactorFunctions } from '../../src/core/reactors/reactor-functions.ts';
import { createApiHandler } from '../../src/http/create-api-handler.ts';
import { dependencies as applicationsDeps } from '../../functions/applications/dependencies.ts';
import { routes as applicationsRoutes } from '../../functions/applications/routes.ts';
import { dependencies as sealerDeps } from '../../functions/audit-sealer/dependencies.ts';
import { runSealer } from '../../functions/audit-sealer/run-sealer.ts';
import { dependencies as logsDeps } from '../../functions/logs/dependencies.ts';
import { routes as logsRoutes } from '../../functions/logs/routes.ts';
import { dependencies as operatorDeps } from '../../functions/operator/dependencies.ts';
import { runCommand } from '../../functions/operator/run-command.ts';
import { dependencies as proxiesDeps } from '../../functions/proxies/dependencies.ts';
import { routes as proxiesRoutes } from '../../functions/proxies/routes.ts';
import { admitCall } from '../../src/core/proxies/admit-call.ts';
import { dependencies as proxyDeps } from '../../functions/proxy/dependencies.ts';
import { routes as proxyRoutes } from '../../functions/proxy/routes.ts';
import { dependencies as workerDeps } from '../../functions/reactor-worker/dependencies.ts';
import { createHandler as createWorker } from '../../functions/reactor-worker/handler.ts';
import { dependencies as reactorsDeps } from '../../functions/reactors/dependencies.ts';
import { routes as reactorsRoutes } from '../../functions/reactors/routes.ts';
import { dependencies as sweeperDeps } from '../../functions/sweeper/dependencies.ts';
import { runSweep } from '../../functions/sweeper/run-sweep.ts';
import { dependencies as tokensDeps } from '../../functions/tokens/dependencies.ts';
import { routes as tokensRoutes } from '../../functions/tokens/routes.ts';
import { dependencies as senderDeps } from '../../functions/webhook-sender/dependencies.ts';
import { createHandler as createSender } from '../../functions/webhook-sender/handler.ts';
import type { Account } from './account.ts';
import { clientConfiguration, type CallsOptions } from './calls.ts';
import type { Life } from './life.ts';
import { CVC_LIFETIME_MS } from './steps/cards.ts';

/** What Lambda reports to a handler. */
interface Context {
  readonly getRemainingTimeInMillis: () => number;
}

export type Handler = (event: unknown, context: Context) => Promise<unknown>;

/** A function of the service: how an instance starts, and when Lambda ends an invocation. */
export interface FunctionDefinition {
  /** In ms (lib/). */
  readonly timeoutMs: number;
  readonly start: (env: Environment, instance: SimulatedInstance) => Handler;
}

type Environment = Readonly<Record<string, string>>;

/** Besides what an instance takes from a machine: the control plane of Lambda, which is a model. */
export interface SimulatedInstance extends EgressInstance {
  readonly reactorFunctions: ReactorFunctions;
}

const API_MS = 30_000;

type ApiHandler = (event: APIGatewayProxyEventV2, context: Context) => Promise<unknown>;
const behindGateway = (
  start: (env: Environment, instance: SimulatedInstance) => ApiHandler,
): FunctionDefinition => ({
  timeoutMs: API_MS,
  start: (env, instance) => {
    const handle = start(env, instance);
    return (event, context) => handle(event as APIGatewayProxyEventV2, context);
  },
});

/** The functions of the service, composed as their `index.ts` compose them. */
export const FUNCTIONS = {
  tokens: behindGateway((env, instance) => createApiHandler(tokensDeps(env, instance), tokensRoutes)),
  applications: behindGateway((env, instance) =>
    createApiHandler(applicationsDeps(env, instance), applicationsRoutes),
  ),
  logs: behindGateway((env, instance) => createApiHandler(logsDeps(env, instance), logsRoutes)),
  proxies: behindGateway((env, instance) => createApiHandler(proxiesDeps(env, instance), proxiesRoutes)),
  proxy: behindGateway((env, instance) =>
    createApiHandler(proxyDeps(env, instance), proxyRoutes, {
      present: (problem) => ({ proxy_error: problem }),
      admit: admitCall,
    }),
  ),
  reactors: behindGateway((env, instance) => {
    const { reactorFunctions } = instance;
    return createApiHandler({ ...reactorsDeps(env, instance), reactorFunctions }, reactorsRoutes);
  }),
  'reactor-worker': {
    timeoutMs: 300_000,
    start: (env, instance) => {
      const handle = createWorker(workerDeps(env, instance));
      return (event) => handle(event as SQSEvent);
    },
  },
  'webhook-sender': {
    timeoutMs: 45_000,
    start: (env, instance) => {
      const handle = createSender(senderDeps(env, instance));
      return (event) => handle(event as SQSEvent);
    },
  },
  sweeper: {
    timeoutMs: 58_000,
    start: (env, instance) => {
      const deps = sweeperDeps(env, instance);
      return (_event, context) => runSweep(deps, context.getRemainingTimeInMillis());
    },
  },
  'audit-sealer': {
    timeoutMs: 58_000,
    start: (env, instance) => {
      const deps = sealerDeps(env, instance);
      return (_event, context) => runSealer(deps, context.getRemainingTimeInMillis());
    },
  },
  operator: {
    timeoutMs: 300_000,
    start: (env, instance) => {
      const deps = operatorDeps(env, instance);
      return (payload) => runCommand(deps, payload);
    },
  },
} as const satisfies Readonly<Record<string, FunctionDefinition>>;

export type FunctionName = keyof typeof FUNCTIONS;

/** The variables that lib/ sets, all functions' together. */
export const environmentOf = ({ keyId, sealKeyId }: Account): Environment => ({
  SERVICE_NAME: 'Simulation',
  TOKENS_TABLE: 'Tokens',
  EPHEMERAL_TABLE: 'Ephemeral',
  ACCESS_TABLE: 'Access',
  REACTORS_TABLE: 'Reactors',
  AUDIT_TABLE: 'Audit',
  AUDIT_INDEX_TABLE: 'AuditIndex',
  AUDIT_SEALS_TABLE: 'AuditSeals',
  KEY_ID: keyId,
  SEAL_KEY_ID: sealKeyId,
  AUDIT_RETENTION_DAYS: '400',
  CLIENT_COMPATIBILITY: 'strict',
  HEADER_PREFIXES: 'SVC',
  EDGE_SECRET: '',
  CVC_LIFETIME_SECONDS: String(CVC_LIFETIME_MS / 1_000),
  KEY_ROTATION_DAYS: '90',
  HOT_CONCURRENCY: '0',
  PUBLIC_URL: '',
  EGRESS_ALLOW_LIST: '',
  INVOCATIONS_QUEUE_URL: 'http://simulation/invocations',
  DELIVERIES_QUEUE_URL: 'http://simulation/deliveries',
  REACTOR_FUNCTION_PREFIX: 'reactor',
  REACTOR_ROLE: 'role',
  REACTOR_LAYER: 'layer',
  REACTOR_ARCHITECTURE: 'arm64',
});

/** What an instance has instead of a machine. */
export function instanceOf(
  calls: CallsOptions,
  life: Life,
  surroundings: {
    readonly print: (line: string) => void;
    readonly egress: EgressClient;
    readonly reactorFunctions: ReactorFunctions;
  },
): SimulatedInstance {
  const { draws } = life;
  const platform = {
    clock: life.clock,
    random: {
      ...draws,
      fill: (buffer: Buffer, at: number, count: number) => void draws.bytes(count).copy(buffer, at),
    },
    startTimer: (ms: number, onEnd: () => void) => life.after(ms, onEnd),
  };
  return {
    platform,
    aws: { reach: clientConfiguration(calls, life), open: () => undefined },
    ...surroundings,
    createEgress: () => surroundings.egress,
  };
}
