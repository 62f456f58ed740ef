import { z } from 'zod';
import type { Stack } from '../../packages/local-aws/src/assembly/read-assembly.ts';
import { tagList } from '../../src/lambda/tag-list.ts';

type Resource = Stack['template']['Resources'][string];

/** A resource of the app, with the stack that it is in. */
interface Placed<Properties> {
  readonly stack: string;
  /** The Region that the app names. */
  readonly region: string | undefined;
  readonly logicalId: string;
  readonly properties: Properties;
}

/** A certificate, and where a domain uses it. */
export interface CertificateUse {
  readonly arn: string;
  readonly domain: string;
}

const literal = z.string().optional().catch(undefined);
const count = z.coerce.number().optional().catch(undefined);
const rate = z.looseObject({ ThrottlingRateLimit: count, ThrottlingBurstLimit: count });
const throughput = z
  .looseObject({ WriteUnitsPerSecond: count, MaxWriteRequestUnits: count })
  .optional()
  .catch(undefined);
const capacity = { WarmThroughput: throughput, OnDemandThroughput: throughput };

const lambdaFunction = z.looseObject({
  FunctionName: literal,
  ReservedConcurrentExecutions: count,
  Environment: z
    .looseObject({ Variables: z.record(z.string(), z.unknown()).default({}) })
    .optional()
    .catch(undefined),
});

const table = z.looseObject({
  TableName: literal,
  ...capacity,
  GlobalSecondaryIndexes: z.array(z.looseObject(capacity)).default([]),
});

const alarm = z.looseObject({ AlarmName: literal, Threshold: count });
const firewall = z.looseObject({ Scope: literal, Rules: z.array(z.unknown()).default([]) });
const stage = z.looseObject({ DefaultRouteSettings: rate.optional() });

const domain = z.looseObject({
  DomainName: literal,
  DomainNameConfigurations: z.array(z.looseObject({ CertificateArn: literal })).default([]),
});

const distribution = z.looseObject({
  DistributionConfig: z.looseObject({
    Aliases: z.array(z.string()).default([]),
    ViewerCertificate: z.looseObject({ AcmCertificateArn: literal }).optional(),
  }),
});

function resourcesOf<Properties>(
  stacks: readonly Stack[],
  type: string,
  schema: z.ZodType<Properties>,
): readonly Placed<Properties>[] {
  return stacks.flatMap(({ name, region, template }) =>
    Object.entries(template.Resources)
      .filter(([, { Type }]: readonly [string, Resource]) => Type === type)
      .map(([logicalId, { Properties }]) => ({
        stack: name,
        region,
        logicalId,
        properties: schema.parse(Properties),
      })),
  );
}

const certificatesIn = (stacks: readonly Stack[]): readonly CertificateUse[] =>
  [
    ...resourcesOf(stacks, 'AWS::ApiGatewayV2::DomainName', domain).flatMap(({ properties }) =>
      properties.DomainNameConfigurations.map(
        (each) => [each.CertificateArn, properties.DomainName] as const,
      ),
    ),
    ...resourcesOf(stacks, 'AWS::CloudFront::Distribution', distribution).flatMap(({ properties }) => {
      const { Aliases: aliases, ViewerCertificate: viewer } = properties.DistributionConfig;
      return aliases.map((alias) => [viewer?.AcmCertificateArn, alias] as const);
    }),
  ].flatMap(([arn, name]) => (arn === undefined || name === undefined ? [] : [{ arn, domain: name }]));

/** Finds the largest figure of a table and its indexes. */
const mostOf = (
  { properties }: Placed<z.output<typeof table>>,
  figure: (one: z.output<z.ZodObject<typeof capacity>>) => number | undefined,
): number =>
  Math.max(0, ...[properties, ...properties.GlobalSecondaryIndexes].map((one) => figure(one) ?? 0));

/** Finds the logical id of the layer of an image in a text that has each behind its image. */
const layerOf = (parts: readonly (string | { readonly Ref: string })[], image: string): string =>
  parts.flatMap((part, at) => {
    const before = parts[at - 1];
    const isIts = typeof before === 'string' && before.endsWith(`${image}=`);
    return typeof part === 'object' && isIts ? [part.Ref] : [];
  })[0] ?? '';

/** The function of the API that makes those of reactors, by its variables. */
function reactorsIn(stacks: readonly Stack[]) {
  const [found] = resourcesOf(stacks, 'AWS::Lambda::Function', lambdaFunction).flatMap((one) => {
    const variables = one.properties.Environment?.Variables ?? {};
    const parsed = z
      .looseObject({
        REACTOR_FUNCTION_PREFIX: z.string(),
        REACTOR_ARCHITECTURE: z.enum(['arm64', 'x86_64']),
        RESOURCE_TAGS: tagList,
        REACTOR_ROLE: z.object({ 'Fn::GetAtt': z.tuple([z.string(), z.string()]) }),
        REACTOR_IMAGES: z.string(),
        // ARNs of the layers behind the names of their images.
        REACTOR_LAYERS: z.object({
          'Fn::Join': z.tuple([z.literal(''), z.array(z.union([z.string(), z.object({ Ref: z.string() })]))]),
        }),
      })
      .safeParse(variables);
    return parsed.success ? [{ stack: one.stack, region: one.region, ...parsed.data }] : [];
  });
  return found === undefined
    ? undefined
    : {
        stack: found.stack,
        region: found.region,
        prefix: found.REACTOR_FUNCTION_PREFIX,
        architecture: found.REACTOR_ARCHITECTURE,
        tags: found.RESOURCE_TAGS,
        roleId: found.REACTOR_ROLE['Fn::GetAtt'][0],
        layerId: layerOf(found.REACTOR_LAYERS['Fn::Join'][1], found.REACTOR_IMAGES.split(',')[0] ?? ''),
      };
}

/** Reads from the templates of an app all that it needs of its account. */
export function needsOf(stacks: readonly Stack[]) {
  const functions = resourcesOf(stacks, 'AWS::Lambda::Function', lambdaFunction);
  const tables = resourcesOf(stacks, 'AWS::DynamoDB::Table', table);
  const [api] = resourcesOf(stacks, 'AWS::ApiGatewayV2::Stage', stage);
  const alarms = resourcesOf(stacks, 'AWS::CloudWatch::Alarm', alarm);
  const [high] = alarms.filter(
    ({ properties }) => properties.AlarmName?.endsWith('-ConcurrencyHigh') === true,
  );
  return {
    stacks,
    reserved: functions.flatMap(({ stack, region, logicalId, properties }) => {
      const { ReservedConcurrentExecutions: reserved } = properties;
      return reserved === undefined ? [] : [{ stack, region, logicalId, count: reserved }];
    }),
    functions: functions.map(({ stack, region, logicalId }) => ({ stack, region, logicalId })),
    names: [
      ...tables.map(({ stack, region, properties }) => ({
        kind: 'table' as const,
        stack,
        region,
        name: properties.TableName,
      })),
      ...functions.map(({ stack, region, properties }) => ({
        kind: 'function' as const,
        stack,
        region,
        name: properties.FunctionName,
      })),
    ].flatMap(({ name, ...one }) => (name === undefined ? [] : [{ ...one, name }])),
    /** The alarm ConcurrencyHigh rings at this many. */
    concurrencyHigh: high?.properties.Threshold,
    rate: api?.properties.DefaultRouteSettings?.ThrottlingRateLimit,
    burst: api?.properties.DefaultRouteSettings?.ThrottlingBurstLimit,
    warmWrites: Math.max(
      0,
      ...tables.map((one) => mostOf(one, (of) => of.WarmThroughput?.WriteUnitsPerSecond)),
    ),
    maxWrites: Math.max(
      0,
      ...tables.map((one) => mostOf(one, (of) => of.OnDemandThroughput?.MaxWriteRequestUnits)),
    ),
    certificates: certificatesIn(stacks),
    distributions: resourcesOf(stacks, 'AWS::CloudFront::Distribution', z.unknown()).length,
    firewalls: resourcesOf(stacks, 'AWS::WAFv2::WebACL', firewall).map(({ stack, properties }) => ({
      stack,
      rules: properties.Rules,
    })),
    reactors: reactorsIn(stacks),
  };
}

export type Needs = ReturnType<typeof needsOf>;
