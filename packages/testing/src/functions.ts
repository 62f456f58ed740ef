import type { APIGatewayProxyEventV2, SQSEvent } from 'aws-lambda';
import { dependencies as applicationsDeps } from '../../../functions/applications/dependencies.ts';
import { routes as applicationsRoutes } from '../../../functions/applications/routes.ts';
import { dependencies as logsDeps } from '../../../functions/logs/dependencies.ts';
import { routes as logsRoutes } from '../../../functions/logs/routes.ts';
import { dependencies as proxiesDeps } from '../../../functions/proxies/dependencies.ts';
import { routes as proxiesRoutes } from '../../../functions/proxies/routes.ts';
import { createHandler as createProxyHandler } from '../../../functions/proxy/create-handler.ts';
import { dependencies as proxyDeps } from '../../../functions/proxy/dependencies.ts';
import { routes as proxyRoutes } from '../../../functions/proxy/routes.ts';
import { dependencies as workerDeps } from '../../../functions/reactor-worker/dependencies.ts';
import { createHandler as createWorker } from '../../../functions/reactor-worker/handler.ts';
import { dependencies as reactorsDeps } from '../../../functions/reactors/dependencies.ts';
import { routes as reactorsRoutes } from '../../../functions/reactors/routes.ts';
import { dependencies as sweeperDeps } from '../../../functions/sweeper/dependencies.ts';
import { runSweep } from '../../../functions/sweeper/run-sweep.ts';
import { dependencies as tokensDeps } from '../../../functions/tokens/dependencies.ts';
import { routes as tokensRoutes } from '../../../functions/tokens/routes.ts';
import { dependencies as senderDeps } from '../../../functions/webhook-sender/dependencies.ts';
import { createHandler as createReactorsHandler } from '../../../functions/reactors/create-handler.ts';
import { createHandler as createSender } from '../../../functions/webhook-sender/handler.ts';
import type { EgressInstance } from '../../../src/adapters/egress/egress-instance.ts';
import { createApiHandler } from '../../../src/http/create-api-handler.ts';

/** The context that Lambda passes to a handler. */
export interface Context {
  readonly getRemainingTimeInMillis: () => number;
}

export type Handler = (event: unknown, context: Context) => Promise<unknown>;
export type Environment = Readonly<Record<string, string>>;

/** A function of the service: how an instance starts, and when Lambda ends an invocation. */
export interface FunctionDefinition {
  /** In ms (lib/). */
  readonly timeoutMs: number;
  readonly start: (env: Environment, instance: EgressInstance) => Handler;
}

/** A route of a function, as far as the gateway and a failing call need it. */
interface ServedRoute {
  readonly operation: string;
  readonly method: string;
  readonly path: string;
}

/** A function that the gateway invokes for its routes. */
export interface ApiFunctionDefinition extends FunctionDefinition {
  readonly routes: readonly ServedRoute[];
}

const API_MS = 30_000;

type ApiHandler = (event: APIGatewayProxyEventV2, context: Context) => Promise<unknown>;
const behindGateway = (
  routes: readonly ServedRoute[],
  start: (env: Environment, instance: EgressInstance) => ApiHandler,
): ApiFunctionDefinition => ({
  timeoutMs: API_MS,
  routes,
  start: (env, instance) => {
    const handle = start(env, instance);
    return (event, context) => handle(event as APIGatewayProxyEventV2, context);
  },
});

/** The functions behind the gateway, composed as their `index.ts` compose them. */
export const API_FUNCTIONS = {
  tokens: behindGateway(tokensRoutes, (env, instance) =>
    createApiHandler(tokensDeps(env, instance), tokensRoutes),
  ),
  applications: behindGateway(applicationsRoutes, (env, instance) =>
    createApiHandler(applicationsDeps(env, instance), applicationsRoutes),
  ),
  logs: behindGateway(logsRoutes, (env, instance) => createApiHandler(logsDeps(env, instance), logsRoutes)),
  proxies: behindGateway(proxiesRoutes, (env, instance) =>
    createApiHandler(proxiesDeps(env, instance), proxiesRoutes),
  ),
  proxy: behindGateway(proxyRoutes, (env, instance) => createProxyHandler(proxyDeps(env, instance))),
  reactors: behindGateway(reactorsRoutes, (env, instance) =>
    createReactorsHandler(reactorsDeps(env, instance)),
  ),
} as const satisfies Readonly<Record<string, ApiFunctionDefinition>>;

/**
 * The functions that queues and schedules invoke. A vault seals nothing: no caller sees a seal, and
 * a year has half a million.
 */
export const BACKGROUND_FUNCTIONS = {
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
} as const satisfies Readonly<Record<string, FunctionDefinition>>;

/** The variables that lib/ sets, all functions' together. */
export const ENVIRONMENT: Environment = {
  SERVICE_NAME: 'Cloakroom',
  TOKENS_TABLE: 'Tokens',
  EPHEMERAL_TABLE: 'Ephemeral',
  ACCESS_TABLE: 'Access',
  REACTORS_TABLE: 'Reactors',
  AUDIT_TABLE: 'Audit',
  AUDIT_INDEX_TABLE: 'AuditIndex',
  AUDIT_SEALS_TABLE: 'AuditSeals',
  KEY_ID: 'key',
  SEAL_KEY_ID: 'seal-key',
  AUDIT_RETENTION_DAYS: '400',
  CLIENT_COMPATIBILITY: 'strict',
  HEADER_PREFIXES: 'SVC',
  DOCS_URL: '',
  EDGE_SECRET: '',
  CVC_LIFETIME_SECONDS: '3600',
  KEY_ROTATION_DAYS: '90',
  HOT_CONCURRENCY: '0',
  HOT_INSTANCES: '0',
  REACTORS_PER_TENANT: '100',
  RESOURCE_TAGS: '',
  PUBLIC_URL: '',
  PROXY_REDIRECTS: 'told',
  EGRESS_ALLOW_LIST: '',
  INVOCATIONS_QUEUE_URL: 'invocations',
  DELIVERIES_QUEUE_URL: 'deliveries',
  REACTOR_FUNCTION_PREFIX: 'reactor',
  REACTOR_ROLE: 'role',
  REACTORS_FUNCTION: 'reactors',
  REACTOR_LAYERS: 'node16=layer:1,node24=layer:2',
  REACTOR_IMAGES: 'node16,node24',
  REACTOR_PACKAGES: 'allowed',
  REACTOR_LAYER_NAMES: 'node16=layer,node24=layer-node24',
  REACTOR_LAYER_HASHES: 'node16=hash16,node24=hash24',
  REPUBLISHER: 'republisher',
  REACTOR_ARCHITECTURE: 'arm64',
};
