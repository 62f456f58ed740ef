import { z } from 'zod';
import { physicalName } from '../assembly/physical-name.ts';
import { resourceType, withoutEffect, type ResourceType } from '../assembly/resource-type.ts';
import type { RoleRegistry } from '../iam/role-registry.ts';
import type { FunctionHost } from './function-host.ts';
import type { LayerTable } from './layer-table.ts';

/** The parts of the account in which the resources of Lambda are defined. */
interface LambdaParts {
  readonly functions: FunctionHost;
  readonly layers: LayerTable;
  readonly roles: RoleRegistry;
}

const environmentValue = z.union([z.string(), z.number(), z.boolean()]).transform(String);

const lambdaFunction = resourceType({
  identify: ({ stack, logicalId, text }, { accountId, region }) => {
    const name = text('FunctionName') ?? physicalName(stack.name, logicalId, 64);
    return { ref: name, attributes: { Arn: `arn:aws:lambda:${region}:${accountId}:function:${name}` } };
  },
  properties: z.strictObject({
    FunctionName: z.string().optional(),
    Code: z.strictObject({ S3Bucket: z.string(), S3Key: z.string() }),
    Handler: z.string(),
    // Functions run on the Node of this process.
    Runtime: z.literal('nodejs24.x'),
    Role: z.string(),
    Environment: z.strictObject({ Variables: z.record(z.string(), environmentValue).default({}) }).optional(),
    Timeout: z.coerce.number().default(3),
    MemorySize: z.coerce.number().default(128),
    ReservedConcurrentExecutions: z.coerce.number().optional(),
    LoggingConfig: z
      .strictObject({
        LogGroup: z.string().optional(),
        // The host writes the output of functions, and no lines of its own.
        LogFormat: withoutEffect,
        ApplicationLogLevel: withoutEffect,
        SystemLogLevel: withoutEffect,
      })
      .optional(),
    PackageType: z.literal('Zip').optional(),
    Architectures: withoutEffect,
    Description: withoutEffect,
    EphemeralStorage: withoutEffect,
    KmsKeyArn: withoutEffect,
    RecursiveLoop: withoutEffect,
    // Layers of the templates' functions are not unpacked: these functions run in threads of this
    // process.
    Layers: z.never('layers work locally for functions made at run time only').optional(),
    RuntimeManagementConfig: withoutEffect,
    Tags: withoutEffect,
    TracingConfig: withoutEffect,
  }),
  start: ({ stackName, logicalId, identity, properties, assets }, { functions, roles }: LambdaParts) => {
    const codeDirectory = assets.get(properties.Code.S3Key);
    if (codeDirectory === undefined || codeDirectory.endsWith('.zip'))
      throw new Error(
        `${stackName}/${logicalId}: its code ${properties.Code.S3Key} is no asset folder of the app`,
      );
    if (!roles.trusts(properties.Role, 'lambda.amazonaws.com'))
      throw new Error(`${stackName}/${logicalId}: Lambda is not trusted by its role ${properties.Role}`);
    functions.define({
      name: identity.ref,
      arn: identity.attributes['Arn'] ?? '',
      handler: properties.Handler,
      runtime: properties.Runtime,
      codeDirectory,
      environment: properties.Environment?.Variables ?? {},
      timeoutSeconds: properties.Timeout,
      memoryMb: properties.MemorySize,
      ...(properties.ReservedConcurrentExecutions !== undefined && {
        reservedConcurrency: properties.ReservedConcurrentExecutions,
      }),
      roleArn: properties.Role,
      logGroup: properties.LoggingConfig?.LogGroup ?? `/aws/lambda/${identity.ref}`,
    });
  },
});

const layerVersion = resourceType({
  // A layer has one version on one machine: the synthesized one.
  identify: ({ stack, logicalId, text }, { accountId, region }) => {
    const name = text('LayerName') ?? physicalName(stack.name, logicalId, 140);
    const arn = `arn:aws:lambda:${region}:${accountId}:layer:${name}:1`;
    return { ref: arn, attributes: { LayerVersionArn: arn } };
  },
  properties: z.strictObject({
    LayerName: z.string().optional(),
    Content: z.strictObject({ S3Bucket: z.string(), S3Key: z.string() }),
    CompatibleArchitectures: withoutEffect,
    CompatibleRuntimes: withoutEffect,
    Description: withoutEffect,
    LicenseInfo: withoutEffect,
  }),
  start: ({ stackName, logicalId, identity, properties, assets }, { layers }: LambdaParts) => {
    const directory = assets.get(properties.Content.S3Key);
    if (directory === undefined || directory.endsWith('.zip'))
      throw new Error(
        `${stackName}/${logicalId}: its content ${properties.Content.S3Key} is no asset folder of the app`,
      );
    layers.define({ arn: identity.ref, directory });
  },
});

const permission = resourceType({
  identify: ({ stack, logicalId }) => ({ ref: physicalName(stack.name, logicalId, 100), attributes: {} }),
  properties: z.strictObject({
    Action: z.literal('lambda:InvokeFunction'),
    FunctionName: z.string(),
    Principal: z.string(),
    SourceArn: z.string().optional(),
    SourceAccount: withoutEffect,
  }),
  start: ({ properties }, { functions }: LambdaParts) => {
    functions.permit({
      functionName: properties.FunctionName,
      principal: properties.Principal,
      ...(properties.SourceArn !== undefined && { sourceArn: properties.SourceArn }),
    });
  },
});

function functionNameOf(nameOrArn: string): string {
  return nameOrArn.slice(nameOrArn.lastIndexOf(':') + 1);
}

const version = resourceType({
  // One machine has one version of the code.
  identify: ({ text }, { accountId, region }) => {
    const arn = `arn:aws:lambda:${region}:${accountId}:function:${functionNameOf(text('FunctionName') ?? '')}`;
    return { ref: `${arn}:1`, attributes: { Version: '1', FunctionArn: `${arn}:1` } };
  },
  properties: z.strictObject({
    FunctionName: z.string(),
    CodeSha256: withoutEffect,
    Description: withoutEffect,
  }),
  start: ({ properties }, { functions }: LambdaParts) => {
    functions.defineQualifier(properties.FunctionName, '1');
  },
});

const alias = resourceType({
  identify: ({ text }, { accountId, region }) => {
    const name = functionNameOf(text('FunctionName') ?? '');
    const arn = `arn:aws:lambda:${region}:${accountId}:function:${name}:${text('Name') ?? ''}`;
    return { ref: arn, attributes: { AliasArn: arn } };
  },
  properties: z.strictObject({
    FunctionName: z.string(),
    FunctionVersion: z.string(),
    Name: z.string(),
    Description: withoutEffect,
    // Instances stay warm anyway.
    ProvisionedConcurrencyConfig: withoutEffect,
  }),
  start: ({ properties }, { functions }: LambdaParts) => {
    functions.defineQualifier(properties.FunctionName, properties.Name);
  },
});

const eventInvokeConfig = resourceType({
  identify: ({ logicalId }) => ({ ref: logicalId, attributes: {} }),
  properties: z.strictObject({
    FunctionName: z.string(),
    Qualifier: z.string(),
    // The local schedules repeat nothing.
    MaximumRetryAttempts: z.literal(0),
    MaximumEventAgeInSeconds: withoutEffect,
  }),
  start: () => undefined,
});

export const lambdaResources: Readonly<Record<string, ResourceType<LambdaParts>>> = {
  'AWS::Lambda::LayerVersion': layerVersion,
  'AWS::Lambda::Function': lambdaFunction,
  'AWS::Lambda::Permission': permission,
  'AWS::Lambda::Version': version,
  'AWS::Lambda::Alias': alias,
  'AWS::Lambda::EventInvokeConfig': eventInvokeConfig,
};
