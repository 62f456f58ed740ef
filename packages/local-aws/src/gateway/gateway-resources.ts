import { z } from 'zod';
import { physicalId } from '../assembly/physical-name.ts';
import { resourceType, withoutEffect, type ResourceType } from '../assembly/resource-type.ts';
import type { GatewayDefinition } from './gateway-definition.ts';

const throttling = z
  .strictObject({
    ThrottlingBurstLimit: z.coerce.number().optional(),
    ThrottlingRateLimit: z.coerce.number().optional(),
    DataTraceEnabled: withoutEffect,
    DetailedMetricsEnabled: withoutEffect,
    LoggingLevel: withoutEffect,
  })
  .transform(({ ThrottlingBurstLimit, ThrottlingRateLimit }) => ({
    ...(ThrottlingRateLimit !== undefined && { ratePerSecond: ThrottlingRateLimit }),
    ...(ThrottlingBurstLimit !== undefined && { burst: ThrottlingBurstLimit }),
  }));

const cors = z.strictObject({
  AllowCredentials: z.boolean().default(false),
  AllowHeaders: z.array(z.string()).default([]),
  AllowMethods: z.array(z.string()).default([]),
  AllowOrigins: z.array(z.string()).default([]),
  ExposeHeaders: z.array(z.string()).default([]),
  MaxAge: z.coerce.number().optional(),
});

const api = resourceType({
  identify: ({ stack, logicalId }, { baseUrl }) => {
    const id = physicalId(stack.name, logicalId);
    // The endpoint has a numeric address, because clients resolve a local name differently.
    const endpoint = baseUrl.replace('//localhost:', '//127.0.0.1:');
    return { ref: id, attributes: { ApiId: id, ApiEndpoint: endpoint } };
  },
  properties: z.strictObject({
    Name: z.string(),
    ProtocolType: z.literal('HTTP'),
    CorsConfiguration: cors.optional(),
    DisableExecuteApiEndpoint: z.literal(false).optional(),
    Description: withoutEffect,
    IpAddressType: withoutEffect,
    Tags: withoutEffect,
  }),
  start: ({ identity, properties }, gateway: GatewayDefinition) => {
    const input = properties.CorsConfiguration;
    gateway.defineApi({
      id: identity.ref,
      ...(input !== undefined && {
        cors: {
          allowCredentials: input.AllowCredentials,
          allowHeaders: input.AllowHeaders,
          allowMethods: input.AllowMethods,
          allowOrigins: input.AllowOrigins,
          exposeHeaders: input.ExposeHeaders,
          ...(input.MaxAge !== undefined && { maxAgeSeconds: input.MaxAge }),
        },
      }),
    });
  },
});

const stage = resourceType({
  identify: ({ text }) => ({ ref: text('StageName') ?? '$default', attributes: {} }),
  properties: z.strictObject({
    ApiId: z.string(),
    StageName: z.literal('$default'),
    AutoDeploy: z.literal(true),
    DefaultRouteSettings: throttling.optional(),
    RouteSettings: z.record(z.string(), throttling).default({}),
    StageVariables: z.record(z.string(), z.string()).optional(),
    AccessLogSettings: z.strictObject({ DestinationArn: z.string(), Format: z.string() }).optional(),
    Description: withoutEffect,
    Tags: withoutEffect,
  }),
  start: ({ properties }, gateway: GatewayDefinition) => {
    const { DestinationArn: logArn = '', Format: format = '' } = properties.AccessLogSettings ?? {};
    const [, logGroup] = /:log-group:([^:]+)/.exec(logArn) ?? [];
    gateway.defineStage({
      ...(logGroup !== undefined && { accessLog: { logGroup, format } }),
      apiId: properties.ApiId,
      defaultThrottling: properties.DefaultRouteSettings ?? {},
      routeThrottling: properties.RouteSettings,
      ...(properties.StageVariables !== undefined && { variables: properties.StageVariables }),
    });
  },
});

const route = resourceType({
  identify: ({ stack, logicalId }) => {
    const id = physicalId(stack.name, logicalId);
    return { ref: id, attributes: { RouteId: id } };
  },
  properties: z.strictObject({
    ApiId: z.string(),
    RouteKey: z.string(),
    Target: z.string().startsWith('integrations/'),
    AuthorizationType: z.literal('NONE').optional(),
    OperationName: withoutEffect,
  }),
  start: ({ properties }, gateway: GatewayDefinition) => {
    gateway.defineRoute({
      apiId: properties.ApiId,
      routeKey: properties.RouteKey,
      integrationId: properties.Target.slice('integrations/'.length),
    });
  },
});

/**
 * Accepts an ARN, also within
 * `arn:aws:apigateway:<region>:lambda:path/2015-03-31/functions/<function ARN>/invocations`.
 */
function functionOf(integrationUri: string): string {
  return /\/functions\/(.+)\/invocations$/.exec(integrationUri)?.[1] ?? integrationUri;
}

const integration = resourceType({
  identify: ({ stack, logicalId }) => {
    const id = physicalId(stack.name, logicalId);
    return { ref: id, attributes: { IntegrationId: id } };
  },
  properties: z.strictObject({
    ApiId: z.string(),
    IntegrationType: z.literal('AWS_PROXY'),
    IntegrationUri: z.string(),
    PayloadFormatVersion: z.literal('2.0'),
    // 30 s is the most that API Gateway allows.
    TimeoutInMillis: z.coerce.number().min(50).max(30_000).default(30_000),
    ConnectionType: z.literal('INTERNET').optional(),
    Description: withoutEffect,
    IntegrationMethod: withoutEffect,
  }),
  start: ({ identity, properties }, gateway: GatewayDefinition) => {
    gateway.defineIntegration({
      id: identity.ref,
      apiId: properties.ApiId,
      functionArn: functionOf(properties.IntegrationUri),
      timeoutMs: properties.TimeoutInMillis,
    });
  },
});

export const gatewayResources: Readonly<Record<string, ResourceType<GatewayDefinition>>> = {
  'AWS::ApiGatewayV2::Api': api,
  'AWS::ApiGatewayV2::Stage': stage,
  'AWS::ApiGatewayV2::Route': route,
  'AWS::ApiGatewayV2::Integration': integration,
};
