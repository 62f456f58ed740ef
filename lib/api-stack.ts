import { CfnOutput, Duration, Stack, type StackProps } from 'aws-cdk-lib';
import { AccessLogFormat } from 'aws-cdk-lib/aws-apigateway';
import {
  ApiMapping,
  CorsHttpMethod,
  DomainName,
  HttpApi,
  HttpMethod,
  HttpStage,
  LogGroupLogDestination,
  SecurityPolicy,
} from 'aws-cdk-lib/aws-apigatewayv2';
import { HttpLambdaIntegration } from 'aws-cdk-lib/aws-apigatewayv2-integrations';
import { Certificate } from 'aws-cdk-lib/aws-certificatemanager';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import type { Construct } from 'constructs';
import { INDEXES } from '../src/adapters/dynamodb/keys.ts';
import type { Environment as ApplicationsEnvironment } from '../functions/applications/config.ts';
import type { Environment as LogsEnvironment } from '../functions/logs/config.ts';
import type { Environment as ProxiesEnvironment } from '../functions/proxies/config.ts';
import type { Environment as ProxyEnvironment } from '../functions/proxy/config.ts';
import type { Environment as TokensEnvironment } from '../functions/tokens/config.ts';
import { acceptFindings } from './accept-findings.ts';
import { API_PATHS } from './api-paths.ts';
import { ApiFunction, type ApiFunctionContent } from './constructs/api-function.ts';
import { apiEnvironment, publicUrl, tokenEnvironment } from './environments.ts';
import { ServiceLog } from './constructs/service-log.ts';
import { CORS } from './cors.ts';
import { ACCESS_LINES, countLines } from './log-metrics.ts';
import type { DataStack } from './data-stack.ts';
import {
  acknowledgeFunctions,
  allowOnAccess,
  allowOnFunctions,
  allowCallNotes,
  allowOnTable,
  allowProxyFailures,
  allowQueryIndex,
  allowTokenWrites,
  denyDeploymentKey,
  denyTrailState,
} from './grants.ts';
import { VERSIONS, type ReactorStack } from './reactor-stack.ts';
import type { Settings } from './settings.ts';

export interface ApiStackProps extends StackProps {
  readonly settings: Settings;
  readonly data: DataStack;
  readonly reactors: ReactorStack;
}

type Behind = Pick<ApiFunction<Readonly<Record<string, string>>>, 'live'>;

/** Contains the HTTP API and the functions behind it, one for each group of resources. */
export class ApiStack extends Stack {
  readonly api: HttpApi;
  /** The functions behind the API, except the one that serves reactors. */
  readonly functions: readonly LambdaFunction[];
  /** They wait for no destination and no code of others. */
  readonly prompt: readonly LambdaFunction[];

  readonly #settings: Settings;
  readonly #data: DataStack;
  readonly #reactors: ReactorStack;

  constructor(scope: Construct, id: string, props: ApiStackProps) {
    super(scope, id, props);
    this.#settings = props.settings;
    this.#data = props.data;
    this.#reactors = props.reactors;
    acknowledgeFunctions(this, props.reactors.functionPrefix, VERSIONS);
    const api = this.#createApi();
    const applications = this.#applications();
    const tokens = this.#tokens();
    const proxy = this.#proxy();
    const proxies = this.#proxies();
    const logs = this.#logs();
    this.api = api;
    this.prompt = [applications, tokens, proxies, logs].map(({ lambda }) => lambda);
    this.functions = [...this.prompt, proxy.lambda];
    this.#route(api, applications, API_PATHS.applications);
    this.#route(api, tokens, API_PATHS.tokens);
    this.#route(api, proxies, API_PATHS.proxies);
    this.#route(api, proxy, API_PATHS.proxy);
    this.#route(api, logs, API_PATHS.logs);
    this.#route(api, props.reactors.api, API_PATHS.reactors);
    // Unknown paths: some function must return 404 in the API's own form.
    this.#route(api, applications, ['']);
    acceptFindings(this, {
      'AwsSolutions-APIG4':
        'Every function authenticates the API key itself, in the same read that holds the permissions and rules which decide; an authorizer in front would read it twice and remember what must be refused at once.',
    });
    const { domainName, headerPrefixes } = this.#settings;
    new CfnOutput(this, 'ApiUrl', {
      value: domainName === '' ? api.apiEndpoint : `https://${domainName}`,
      description: 'Base address of the service',
    });
    new CfnOutput(this, 'ApiKeyHeader', {
      value: `${headerPrefixes[0] ?? ''}-API-KEY`,
      description: 'Header of API keys, by the first of the prefixes',
    });
  }

  #createApi(): HttpApi {
    const { domainName, certificateArn, edge } = this.#settings;
    // With an edge, the domain belongs to the edge.
    const hasDomain = domainName !== '' && edge === 'none';
    const api = new HttpApi(this, 'Api', {
      description: 'Cloakroom',
      // The service has one address, so the domain of AWS is closed.
      disableExecuteApiEndpoint: hasDomain,
      createDefaultStage: false,
      corsPreflight: {
        allowOrigins: [CORS.allowOrigin],
        allowMethods: [CorsHttpMethod.ANY],
        allowHeaders: [...CORS.allowHeaders],
        exposeHeaders: [...CORS.exposeHeaders],
        maxAge: Duration.hours(1),
      },
    });
    const log = new ServiceLog(this, 'AccessLog', {
      key: this.#data.key,
      retentionDays: this.#settings.logRetentionDays,
    });
    countLines(log, this.#settings.serviceName, 'GatewayThrottled', ACCESS_LINES.throttled);
    const stage = new HttpStage(this, 'Stage', {
      httpApi: api,
      stageName: '$default',
      autoDeploy: true,
      throttle: { rateLimit: this.#settings.throttleRate, burstLimit: this.#settings.throttleBurst },
      accessLogSettings: { destination: new LogGroupLogDestination(log), format: this.#accessLogFormat() },
    });
    if (hasDomain) this.#addDomain(api, stage, domainName, certificateArn);
    return api;
  }

  #addDomain(api: HttpApi, stage: HttpStage, name: string, certificateArn: string): void {
    const domain = new DomainName(this, 'Domain', {
      domainName: name,
      certificate: Certificate.fromCertificateArn(this, 'Certificate', certificateArn),
      securityPolicy: SecurityPolicy.TLS_1_2,
    });
    new ApiMapping(this, 'DomainMapping', { api, domainName: domain, stage });
    new CfnOutput(this, 'DomainTarget', {
      value: domain.regionalDomainName,
      description: `Point ${name} here (CNAME or alias)`,
    });
  }

  /** No path (it may contain an id), no query, no header, no body. */
  #accessLogFormat(): AccessLogFormat {
    const fields = [
      'requestId',
      'requestTime',
      'routeKey',
      'status',
      'responseLatency',
      'responseLength',
      'integrationErrorMessage',
      'integrationStatus',
    ];
    return AccessLogFormat.custom(
      JSON.stringify(Object.fromEntries(fields.map((field) => [field, `$context.${field}`]))),
    );
  }

  #route(api: HttpApi, { live }: Behind, paths: readonly string[]): void {
    for (const path of paths) {
      const integration = new HttpLambdaIntegration(`Integration${path}`, live, {
        // One permission for each function: an API may invoke it from all its routes.
        scopePermissionToRoute: false,
      });
      api.addRoutes({ path: path === '' ? '/' : path, methods: [HttpMethod.ANY], integration });
      api.addRoutes({ path: `${path}/{proxy+}`, methods: [HttpMethod.ANY], integration });
    }
  }

  #apiFunction<Environment extends Readonly<Record<string, string>>>(
    id: string,
    props: ApiFunctionContent<Environment> & { readonly isKeyless?: boolean },
  ): ApiFunction<Environment> {
    const settings = this.#settings;
    const data = this.#data;
    return new ApiFunction<Environment>(this, id, { settings, data, ...props });
  }

  #applications(): ApiFunction<ApplicationsEnvironment> {
    return this.#apiFunction<ApplicationsEnvironment>('Applications', {
      folder: 'applications',
      description: 'Applications and their keys',
      environment: {
        ...apiEnvironment(this.#settings, this.#data),
        EGRESS_ALLOW_LIST: this.#settings.egressAllowList.join(','),
      },
      grants: [
        allowOnAccess(
          this.#data.access,
          ['tenants', 'copies', 'grants', 'keys'],
          ['ConditionCheckItem', 'PutItem', 'UpdateItem', 'DeleteItem'],
        ),
        allowOnTable(this.#data.access, ['Query']),
        denyTrailState(this.#data.access),
        denyDeploymentKey(this.#data.access),
      ],
    });
  }

  /** The only function behind the API that may read the audit trail. */
  #logs(): ApiFunction<LogsEnvironment> {
    return this.#apiFunction<LogsEnvironment>('Logs', {
      folder: 'logs',
      description: 'The audit trail, for those who may read it',
      environment: {
        ...apiEnvironment(this.#settings, this.#data),
        AUDIT_INDEX_TABLE: this.#data.auditIndex.tableName,
      },
      grants: [
        allowOnTable(this.#data.audit, ['Query', 'BatchGetItem']),
        allowOnTable(this.#data.auditIndex, ['Query']),
      ],
    });
  }

  #tokens(): ApiFunction<TokensEnvironment> {
    const { tokens } = this.#data;
    return this.#apiFunction<TokensEnvironment>('Tokens', {
      folder: 'tokens',
      description: 'Tokens',
      environment: {
        ...apiEnvironment(this.#settings, this.#data),
        ...tokenEnvironment(this.#data),
        CVC_LIFETIME_SECONDS: String(this.#settings.cvcLifetimeSeconds),
      },
      grants: [
        ...allowTokenWrites(this.#data),
        allowOnTable(tokens, ['Query']),
        allowQueryIndex(tokens, INDEXES.list),
      ],
    });
  }

  #proxies(): ApiFunction<ProxiesEnvironment> {
    return this.#apiFunction<ProxiesEnvironment>('Proxies', {
      folder: 'proxies',
      description: 'Stored proxies and their keys',
      environment: {
        ...apiEnvironment(this.#settings, this.#data),
        REACTORS_TABLE: this.#data.reactors.tableName,
        EGRESS_ALLOW_LIST: this.#settings.egressAllowList.join(','),
        PUBLIC_URL: publicUrl(this.#settings),
      },
      grants: [
        allowOnAccess(this.#data.access, ['tenants', 'keys'], ['PutItem', 'DeleteItem']),
        allowOnTable(this.#data.access, ['Query']),
        allowProxyFailures(this.#data.ephemeral),
        denyTrailState(this.#data.access),
        denyDeploymentKey(this.#data.access),
        // It pins the code of reactors that proxies run.
        allowOnTable(this.#data.reactors, ['BatchGetItem']),
      ],
    });
  }

  #proxy(): ApiFunction<ProxyEnvironment> {
    const prefix = this.#reactors.functionPrefix;
    return this.#apiFunction<ProxyEnvironment>('Proxy', {
      folder: 'proxy',
      description: 'Calls through stored proxies and the ephemeral one',
      isKeyless: true,
      environment: {
        ...apiEnvironment(this.#settings, this.#data),
        ...tokenEnvironment(this.#data),
        EGRESS_ALLOW_LIST: this.#settings.egressAllowList.join(','),
        REACTORS_TABLE: this.#data.reactors.tableName,
        REACTOR_FUNCTION_PREFIX: prefix,
        REACTORS_FUNCTION: this.#reactors.api.live.functionArn,
        CVC_LIFETIME_SECONDS: String(this.#settings.cvcLifetimeSeconds),
        PROXY_REDIRECTS: this.#settings.proxyRedirects,
        PUBLIC_URL: publicUrl(this.#settings),
      },
      grants: [
        // Transforms make tokens, and run reactors.
        ...allowTokenWrites(this.#data),
        allowOnTable(this.#data.reactors, ['BatchGetItem']),
        allowCallNotes(this.#data.reactors),
        allowOnFunctions(this, prefix, ['InvokeFunction'], VERSIONS),
        this.#reactors.allowMaking(),
      ],
    });
  }
}
