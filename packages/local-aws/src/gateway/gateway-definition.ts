import type { Throttling } from '../token-bucket.ts';

export interface CorsConfiguration {
  readonly allowCredentials: boolean;
  readonly allowHeaders: readonly string[];
  readonly allowMethods: readonly string[];
  readonly allowOrigins: readonly string[];
  readonly exposeHeaders: readonly string[];
  readonly maxAgeSeconds?: number;
}

export interface ApiDefinition {
  readonly id: string;
  readonly cors?: CorsConfiguration;
}

export interface StageDefinition {
  readonly apiId: string;
  readonly defaultThrottling: Throttling;
  /** Each key is a route key. */
  readonly routeThrottling: Readonly<Record<string, Throttling>>;
  readonly variables?: Readonly<Record<string, string>>;
  readonly accessLog?: AccessLog;
}

/** The log has one line for each request. */
export interface AccessLog {
  readonly logGroup: string;
  /** Has a name such as `$context.status` in the place of each value. */
  readonly format: string;
}

export interface RouteDefinition {
  readonly apiId: string;
  /** `GET /tokens/{id}`, `ANY /proxy/{path+}`, `$default`. */
  readonly routeKey: string;
  readonly integrationId: string;
}

export interface IntegrationDefinition {
  readonly id: string;
  readonly apiId: string;
  readonly functionArn: string;
  readonly timeoutMs: number;
}

/** An HTTP API that has all its parts. */
export interface HttpApi {
  readonly id: string;
  readonly cors?: CorsConfiguration;
  readonly stage: StageDefinition;
  readonly routes: readonly { readonly routeKey: string; readonly integration: IntegrationDefinition }[];
}

/** Collects an HTTP API from its separate resources, which arrive in any order. */
export interface GatewayDefinition {
  defineApi(api: ApiDefinition): void;
  defineStage(stage: StageDefinition): void;
  defineRoute(route: RouteDefinition): void;
  defineIntegration(integration: IntegrationDefinition): void;
  /**
   * The app's HTTP API. Throws an Error if there is none or more than one, or if a part of it is
   * missing.
   */
  httpApi(): HttpApi;
}

export function createGatewayDefinition(): GatewayDefinition {
  const apis: ApiDefinition[] = [];
  const stages = new Map<string, StageDefinition>();
  const routes: RouteDefinition[] = [];
  const integrations = new Map<string, IntegrationDefinition>();

  function integrationOf({ routeKey, integrationId }: RouteDefinition): IntegrationDefinition {
    const integration = integrations.get(integrationId);
    if (integration === undefined) throw new Error(`route ${routeKey} has no integration`);
    return integration;
  }

  return {
    defineApi: (api) => {
      apis.push(api);
    },
    defineStage: (stage) => {
      stages.set(stage.apiId, stage);
    },
    defineRoute: (route) => {
      routes.push(route);
    },
    defineIntegration: (integration) => {
      integrations.set(integration.id, integration);
    },
    httpApi: () => {
      const [api, ...others] = apis;
      if (api === undefined || others.length > 0)
        throw new Error(
          `the app has ${String(apis.length)} HTTP APIs: the local account supports exactly one`,
        );
      const stage = stages.get(api.id);
      if (stage === undefined) throw new Error('the HTTP API has no $default stage');
      const own = routes.filter((route) => route.apiId === api.id);
      return {
        ...api,
        stage,
        routes: own.map((route) => ({ routeKey: route.routeKey, integration: integrationOf(route) })),
      };
    },
  };
}
