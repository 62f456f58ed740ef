import { CfnOutput, Duration, RemovalPolicy, Stack, type StackProps } from 'aws-cdk-lib';
import { AccessLogFormat } from 'aws-cdk-lib/aws-apigateway';
import {
  CorsHttpMethod,
  HttpApi,
  HttpMethod,
  HttpStage,
  LogGroupLogDestination,
} from 'aws-cdk-lib/aws-apigatewayv2';
import { HttpLambdaIntegration } from 'aws-cdk-lib/aws-apigatewayv2-integrations';
import type { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import { INDEXES } from '../adapters/dynamodb/keys.ts';
import type { Environment as ApplicationsEnvironment } from '../functions/applications/config.ts';
import { routes as applicationsRoutes } from '../functions/applications/routes.ts';
import type { Environment as ProxyEnvironment } from '../functions/proxy/config.ts';
import { routes as proxyRoutes } from '../functions/proxy/routes.ts';
import type { Environment as TokensEnvironment } from '../functions/tokens/config.ts';
import { routes as tokensRoutes } from '../functions/tokens/routes.ts';
import { ServiceFunction, type ServiceFunctionProps } from './constructs/service-function.ts';
import type { DataStack } from './data-stack.ts';
import { allowOnTable, allowQueryIndex, allowTenantKeys } from './grants.ts';
import { logRetention } from './log-retention.ts';
import type { Settings } from './settings.ts';

export interface ApiStackProps extends StackProps {
  readonly settings: Settings;
  readonly data: DataStack;
}

/** Longer than this the gateway does not wait for a function. */
const GATEWAY_TIMEOUT_SECONDS = 30;

/** Reserved headers that browsers may send and read, under every configured prefix. */
const REQUEST_HEADERS = ['api-key', 'trace-id', 'idempotency-key'];
const RESPONSE_HEADERS = ['trace-id', 'proxy-destination-status'];

/** The first segments of a function's paths: the gateway sends everything below them to it. */
function resources(routes: readonly { readonly path: string }[]): readonly string[] {
  return [...new Set(routes.map(({ path }) => `/${path.split('/')[1] ?? ''}`))];
}

/** The HTTP API and one Lambda per resource group behind it. */
export class ApiStack extends Stack {
  readonly #settings: Settings;
  readonly #data: DataStack;

  constructor(scope: Construct, id: string, props: ApiStackProps) {
    super(scope, id, props);
    this.#settings = props.settings;
    this.#data = props.data;
    const api = this.#createApi();
    const applications = this.#applications();
    this.#route(api, applications, resources(applicationsRoutes));
    this.#route(api, this.#tokens(), resources(tokensRoutes));
    this.#route(api, this.#proxy(), resources(proxyRoutes));
    // Paths that nobody has: some function must say 404 in the interface's own form.
    api.addRoutes({
      path: '/',
      methods: [HttpMethod.ANY],
      integration: new HttpLambdaIntegration('Root', applications),
    });
    api.addRoutes({
      path: '/{proxy+}',
      methods: [HttpMethod.ANY],
      integration: new HttpLambdaIntegration('Fallback', applications),
    });
    new CfnOutput(this, 'ApiUrl', { value: api.apiEndpoint, description: 'Base address of the service' });
  }

  #createApi(): HttpApi {
    const api = new HttpApi(this, 'Api', {
      description: 'Cloakroom',
      createDefaultStage: false,
      corsPreflight: {
        allowOrigins: ['*'],
        allowMethods: [CorsHttpMethod.ANY],
        allowHeaders: ['content-type', ...this.#reservedHeaders(REQUEST_HEADERS)],
        exposeHeaders: this.#reservedHeaders(RESPONSE_HEADERS),
        maxAge: Duration.hours(1),
      },
    });
    const log = new LogGroup(this, 'AccessLog', {
      retention: logRetention(this.#settings.logRetentionDays),
      removalPolicy: RemovalPolicy.RETAIN,
    });
    new HttpStage(this, 'Stage', {
      httpApi: api,
      stageName: '$default',
      autoDeploy: true,
      throttle: { rateLimit: this.#settings.throttleRate, burstLimit: this.#settings.throttleBurst },
      accessLogSettings: { destination: new LogGroupLogDestination(log), format: this.#accessLogFormat() },
    });
    return api;
  }

  #reservedHeaders(names: readonly string[]): string[] {
    return this.#settings.headerPrefixes.flatMap((prefix) =>
      names.map((name) => `${prefix.toLowerCase()}-${name}`),
    );
  }

  /** Neither a path (it may hold an id), nor a query, nor a header, nor a body. */
  #accessLogFormat(): AccessLogFormat {
    const fields = [
      'requestId',
      'requestTime',
      'routeKey',
      'status',
      'responseLatency',
      'responseLength',
      'integrationErrorMessage',
    ];
    return AccessLogFormat.custom(
      JSON.stringify(Object.fromEntries(fields.map((field) => [field, `$context.${field}`]))),
    );
  }

  #route(api: HttpApi, lambda: LambdaFunction, paths: readonly string[]): void {
    for (const path of paths) {
      const integration = new HttpLambdaIntegration(`Integration${path}`, lambda);
      api.addRoutes({ path, methods: [HttpMethod.ANY], integration });
      api.addRoutes({ path: `${path}/{proxy+}`, methods: [HttpMethod.ANY], integration });
    }
  }

  #function<Environment extends Readonly<Record<string, string>>>(
    id: string,
    props: Pick<ServiceFunctionProps<Environment>, 'folder' | 'description' | 'environment'> & {
      readonly grants: readonly PolicyStatement[];
    },
  ): LambdaFunction {
    const { access, ephemeral, key } = this.#data;
    return new ServiceFunction<Environment>(this, id, {
      timeoutSeconds: GATEWAY_TIMEOUT_SECONDS,
      memoryMegabytes: 1024,
      logRetentionDays: this.#settings.logRetentionDays,
      ...props,
      grants: [
        // Authentication, tenant keys, and the records of idempotency keys: what the edge of every function needs.
        allowOnTable(access, ['GetItem', 'BatchGetItem']),
        allowOnTable(ephemeral, ['GetItem', 'PutItem', 'UpdateItem']),
        allowTenantKeys(key, 'Decrypt'),
        ...props.grants,
      ],
    }).lambda;
  }

  #edgeEnvironment() {
    const { access, ephemeral, key } = this.#data;
    return {
      ACCESS_TABLE: access.tableName,
      EPHEMERAL_TABLE: ephemeral.tableName,
      KEY_ID: key.keyArn,
      HEADER_PREFIXES: this.#settings.headerPrefixes.join(','),
    };
  }

  #applications(): LambdaFunction {
    return this.#function<ApplicationsEnvironment>('Applications', {
      folder: 'applications',
      description: 'Applications and their keys',
      environment: { ...this.#edgeEnvironment(), CLIENT_COMPATIBILITY: this.#settings.clientCompatibility },
      grants: [allowOnTable(this.#data.access, ['PutItem', 'UpdateItem', 'DeleteItem', 'Query'])],
    });
  }

  #tokens(): LambdaFunction {
    const { tokens, ephemeral } = this.#data;
    return this.#function<TokensEnvironment>('Tokens', {
      folder: 'tokens',
      description: 'Tokens',
      environment: {
        ...this.#edgeEnvironment(),
        TOKENS_TABLE: tokens.tableName,
        LIST_SHARDS: String(this.#settings.listShards),
        CVC_LIFETIME_SECONDS: String(this.#settings.cvcLifetimeSeconds),
      },
      grants: [
        allowOnTable(tokens, [
          'GetItem',
          'BatchGetItem',
          'PutItem',
          'UpdateItem',
          'DeleteItem',
          'BatchWriteItem',
          'Query',
        ]),
        allowQueryIndex(tokens, INDEXES.list),
        allowQueryIndex(tokens, INDEXES.fingerprint),
        allowOnTable(ephemeral, ['BatchGetItem', 'DeleteItem']),
      ],
    });
  }

  #proxy(): LambdaFunction {
    const { tokens, ephemeral } = this.#data;
    return this.#function<ProxyEnvironment>('Proxy', {
      folder: 'proxy',
      description: 'The ephemeral proxy',
      environment: {
        ...this.#edgeEnvironment(),
        TOKENS_TABLE: tokens.tableName,
        LIST_SHARDS: String(this.#settings.listShards),
        EGRESS_ALLOW_LIST: this.#settings.egressAllowList.join(','),
      },
      grants: [allowOnTable(tokens, ['GetItem', 'BatchGetItem']), allowOnTable(ephemeral, ['BatchGetItem'])],
    });
  }
}
