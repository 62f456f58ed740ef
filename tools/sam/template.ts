import type { LocalFunction } from '../bench/local-functions.ts';
import type { HttpApi } from '../../packages/local-aws/src/gateway/gateway-definition.ts';

/** A function under the plain name that it has in the template: `Tokens`, `ReactorWorker`. */
export interface NamedFunction {
  readonly id: string;
  readonly function: LocalFunction;
}

type Variables = Readonly<Record<string, string>>;
type Resources = Readonly<Record<string, { readonly Type: string; readonly Properties: object }>>;

/** Set by Lambda, and so by SAM: their values belong to one host. */
const SET_BY_LAMBDA = /^(LAMBDA_TASK_ROOT|AWS_EXECUTION_ENV|AWS_LAMBDA_.*|TZ)$/;

/** A function's configuration, credentials and endpoint; `address` replaces the endpoint's own. */
export function variablesOf({ environment }: LocalFunction, address: string): Variables {
  const endpoint = environment['AWS_ENDPOINT_URL'] ?? '';
  const own = Object.entries(environment).filter(([name]) => !SET_BY_LAMBDA.test(name));
  return Object.fromEntries(own.map(([name, value]) => [name, value.replaceAll(endpoint, address)]));
}

function functionResource({ function: lambda }: NamedFunction, address: string) {
  return {
    Type: 'AWS::Lambda::Function',
    Properties: {
      // SAM expects a path here, as `aws cloudformation package` does.
      Code: lambda.codeDirectory,
      Handler: lambda.handler,
      Runtime: lambda.runtime,
      Architectures: [process.arch === 'arm64' ? 'arm64' : 'x86_64'],
      Timeout: lambda.timeoutSeconds,
      MemorySize: lambda.memoryMb,
      Environment: { Variables: variablesOf(lambda, address) },
    },
  };
}

function corsOf({ cors }: HttpApi) {
  if (cors === undefined) return {};
  return {
    CorsConfiguration: {
      AllowCredentials: cors.allowCredentials,
      AllowHeaders: cors.allowHeaders,
      AllowMethods: cors.allowMethods,
      AllowOrigins: cors.allowOrigins,
      ExposeHeaders: cors.exposeHeaders,
      ...(cors.maxAgeSeconds !== undefined && { MaxAge: cors.maxAgeSeconds }),
    },
  };
}

/** SAM treats the last part of the ARN as the function's id in the template. */
function integrationResource({ id, function: { arn } }: NamedFunction) {
  return {
    Type: 'AWS::ApiGatewayV2::Integration',
    Properties: {
      ApiId: 'Api',
      IntegrationType: 'AWS_PROXY',
      IntegrationUri: `${arn.slice(0, arn.lastIndexOf(':'))}:${id}`,
      PayloadFormatVersion: '2.0',
    },
  };
}

function routeResources(functions: readonly NamedFunction[], { routes }: HttpApi): Resources {
  const resources: Record<string, Resources[string]> = {};
  for (const [index, { routeKey, integration }] of routes.entries()) {
    // The gateway invokes an alias, which the template does not need: there is one version.
    const target = functions.find(({ function: { arn } }) =>
      [arn, `${arn}:live`].includes(integration.functionArn),
    );
    if (target === undefined) throw new Error(`${routeKey} leads to ${integration.functionArn}`);
    const integrationId = `${target.id}Integration`;
    resources[integrationId] ??= integrationResource(target);
    resources[`Route${String(index + 1)}`] = {
      Type: 'AWS::ApiGatewayV2::Route',
      Properties: { ApiId: 'Api', RouteKey: routeKey, Target: `integrations/${integrationId}` },
    };
  }
  return resources;
}

/** All functions and the HTTP API in one template of literals: SAM resolves no other stack. */
export function samTemplate(functions: readonly NamedFunction[], api: HttpApi, address: string) {
  return {
    AWSTemplateFormatVersion: '2010-09-09',
    Description: 'The running local account, for sam local. Not to be deployed.',
    Resources: {
      ...Object.fromEntries(functions.map((named) => [named.id, functionResource(named, address)])),
      Api: {
        Type: 'AWS::ApiGatewayV2::Api',
        Properties: { Name: 'Api', ProtocolType: 'HTTP', ...corsOf(api) },
      },
      Stage: {
        Type: 'AWS::ApiGatewayV2::Stage',
        Properties: { ApiId: 'Api', StageName: '$default', AutoDeploy: true },
      },
      ...routeResources(functions, api),
    },
  };
}
