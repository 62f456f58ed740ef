import { z } from 'zod';
import { physicalName } from '../assembly/physical-name.ts';
import { resourceType, withoutEffect, type ResourceType } from '../assembly/resource-type.ts';
import type { RoleRegistry } from '../iam/role-registry.ts';
import type { TemplateProcess } from './control-plane/template-process.ts';
import type { FunctionHost } from './function-host.ts';
import type { LayerTable } from './layer-table.ts';

/** The parts of the account in which functions are defined. */
interface FunctionParts {
  readonly functions: FunctionHost;
  /** Receives the functions with a custom runtime. */
  readonly inProcesses: TemplateProcess[];
  readonly roles: RoleRegistry;
}

/** The part in which layers are defined, and which numbers their versions. */
interface LayerParts {
  readonly layers: LayerTable;
  /** In ms since the epoch. */
  readonly now: () => number;
}

const environmentValue = z.union([z.string(), z.number(), z.boolean()]).transform(String);

/** Finds the folder of an asset; `named` begins the message of the Error if there is none. */
function folderOf(
  assets: ReadonlyMap<string, string>,
  { S3Key: key }: { readonly S3Key: string },
  named: string,
): string {
  const folder = assets.get(key);
  if (folder === undefined || folder.endsWith('.zip'))
    throw new Error(`${named} ${key} is no asset folder of the app`);
  return folder;
}

const lambdaFunction = resourceType({
  identify: ({ stack, logicalId, text }, { accountId, region }) => {
    const name = text('FunctionName') ?? physicalName(stack.name, logicalId, 64);
    return { ref: name, attributes: { Arn: `arn:aws:lambda:${region}:${accountId}:function:${name}` } };
  },
  properties: z.strictObject({
    FunctionName: z.string().optional(),
    Code: z.strictObject({ S3Bucket: z.string(), S3Key: z.string() }),
    Handler: z.string(),
    // Functions of nodejs24.x run on the Node of this process, others in their own processes.
    Runtime: z.enum(['nodejs24.x', 'provided.al2023']),
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
    Architectures: z.array(z.string()).default(['x86_64']),
    Description: z.string().default(''),
    EphemeralStorage: withoutEffect,
    KmsKeyArn: withoutEffect,
    RecursiveLoop: withoutEffect,
    Layers: z.array(z.string()).default([]),
    RuntimeManagementConfig: withoutEffect,
    Tags: withoutEffect,
    TracingConfig: withoutEffect,
  }),
  start: (
    { stackName, logicalId, identity, properties, assets },
    { functions, inProcesses, roles }: FunctionParts,
  ) => {
    const { Architectures: architectures, Description: description, Layers: layers, Role: role } = properties;
    const isInProcesses = properties.Runtime === 'provided.al2023';
    if (layers.length > 0 && !isInProcesses)
      throw new Error(`${stackName}/${logicalId}: layers work locally for custom runtimes only`);
    const codeDirectory = folderOf(assets, properties.Code, `${stackName}/${logicalId}: its code`);
    if (!roles.trusts(properties.Role, 'lambda.amazonaws.com'))
      throw new Error(`${stackName}/${logicalId}: Lambda is not trusted by its role ${properties.Role}`);
    const common = {
      name: identity.ref,
      arn: identity.attributes['Arn'] ?? '',
      handler: properties.Handler,
      runtime: properties.Runtime,
      codeDirectory,
      environment: properties.Environment?.Variables ?? {},
      timeoutSeconds: properties.Timeout,
      memoryMb: properties.MemorySize,
    };
    if (isInProcesses) {
      inProcesses.push({ ...common, architectures, description, layers, role });
      return;
    }
    functions.define({
      ...common,
      ...(properties.ReservedConcurrentExecutions !== undefined && {
        reservedConcurrency: properties.ReservedConcurrentExecutions,
      }),
      roleArn: properties.Role,
      logGroup: properties.LoggingConfig?.LogGroup ?? `/aws/lambda/${identity.ref}`,
    });
  },
});

/** The object key of an asset contains the hash of its content. */
const keyOf = (content: unknown): string =>
  z.object({ S3Key: z.string() }).safeParse(content).data?.S3Key ?? '';

/** Another content or description of a layer is another version, and the earlier ones stay. */
const layerVersionIn = ({ layers, now }: LayerParts): ResourceType<FunctionParts> =>
  resourceType({
    identify: ({ stack, logicalId, text }, { accountId, region }) => {
      const name = text('LayerName') ?? physicalName(stack.name, logicalId, 140);
      const key = keyOf(stack.template.Resources[logicalId]?.Properties['Content']);
      const number = layers.numberOf(name, `${key} ${text('Description') ?? ''}`);
      const arn = `arn:aws:lambda:${region}:${accountId}:layer:${name}:${String(number)}`;
      return { ref: arn, attributes: { LayerVersionArn: arn } };
    },
    properties: z.strictObject({
      LayerName: z.string().optional(),
      Content: z.strictObject({ S3Bucket: z.string(), S3Key: z.string() }),
      CompatibleArchitectures: withoutEffect,
      CompatibleRuntimes: withoutEffect,
      Description: z.string().default(''),
      LicenseInfo: withoutEffect,
    }),
    start: ({ stackName, logicalId, identity, properties, assets }) => {
      const { Content, Description: description } = properties;
      const directory = folderOf(assets, Content, `${stackName}/${logicalId}: its content`);
      layers.define({
        arn: identity.ref,
        directory,
        key: `${Content.S3Key} ${description}`,
        description,
        createdAt: new Date(now()).toISOString(),
      });
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
  start: ({ properties }, { functions }: FunctionParts) => {
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
  start: ({ properties }, { functions }: FunctionParts) => {
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
  start: ({ properties }, { functions }: FunctionParts) => {
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

/** The resource types of Lambda. Functions refer to layers, which come first. */
export const lambdaResources = (
  parts: LayerParts,
): Readonly<Record<string, ResourceType<FunctionParts>>> => ({
  'AWS::Lambda::LayerVersion': layerVersionIn(parts),
  'AWS::Lambda::Function': lambdaFunction,
  'AWS::Lambda::Permission': permission,
  'AWS::Lambda::Version': version,
  'AWS::Lambda::Alias': alias,
  'AWS::Lambda::EventInvokeConfig': eventInvokeConfig,
});
