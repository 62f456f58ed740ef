import { z } from 'zod';
import { AwsError } from '../../aws-service.ts';
import { invalidParameter } from './lambda-failures.ts';

const functionName = z.string().min(1).max(170);
const zipFile = z.base64().transform((text) => Buffer.from(text, 'base64'));
const architectures = z.array(z.enum(['x86_64', 'arm64'])).length(1);
const tags = z.record(z.string().min(1).max(128), z.string().max(256));
const description = z.string().max(256);

/** A value that means the same as an absent member. */
const packageType = z.literal('Zip').exactOptional();

const configuration = {
  Role: z.string(),
  Handler: z.string().max(128),
  Runtime: z.literal('provided.al2023'),
  Description: description,
  Timeout: z.number().int().min(1).max(900),
  MemorySize: z.number().int().min(128).max(10_240),
  Layers: z.array(z.string()).max(5),
  Environment: z.strictObject({ Variables: z.record(z.string(), z.string()).default({}) }),
  EphemeralStorage: z.strictObject({ Size: z.number().int().min(512).max(10_240) }),
  LoggingConfig: z.strictObject({
    LogGroup: z.string().exactOptional(),
    LogFormat: z.unknown().optional(),
    ApplicationLogLevel: z.unknown().optional(),
    SystemLogLevel: z.unknown().optional(),
  }),
  TracingConfig: z.strictObject({ Mode: z.literal('PassThrough') }),
};

/** The bodies of the calls. Strict: a member that is not implemented is refused, not ignored. */
export const requestSchemas = {
  createFunction: z.strictObject({
    ...configuration,
    FunctionName: functionName,
    Code: z.strictObject({ ZipFile: zipFile, SourceKMSKeyArn: z.string().exactOptional() }),
    Handler: configuration.Handler.default(''),
    Description: description.default(''),
    Timeout: configuration.Timeout.default(3),
    MemorySize: configuration.MemorySize.default(128),
    Layers: configuration.Layers.default([]),
    Environment: configuration.Environment.default({ Variables: {} }),
    EphemeralStorage: configuration.EphemeralStorage.default({ Size: 512 }),
    LoggingConfig: configuration.LoggingConfig.default({}),
    TracingConfig: configuration.TracingConfig.exactOptional(),
    Architectures: architectures.default(['x86_64']),
    Tags: tags.default({}),
    Publish: z.boolean().default(false),
    PackageType: packageType,
  }),
  updateFunctionCode: z.strictObject({
    ZipFile: zipFile,
    SourceKMSKeyArn: z.string().exactOptional(),
    Architectures: architectures.exactOptional(),
    Publish: z.boolean().default(false),
    DryRun: z.literal(false).exactOptional(),
    RevisionId: z.string().exactOptional(),
  }),
  updateFunctionConfiguration: z.strictObject({ ...configuration, RevisionId: z.string() }).partial(),
  publishVersion: z.strictObject({
    CodeSha256: z.string().exactOptional(),
    Description: description.exactOptional(),
    RevisionId: z.string().exactOptional(),
  }),
  createAlias: z.strictObject({
    Name: z
      .string()
      .min(1)
      .max(128)
      .regex(/^(?!\d+$)[A-Za-z0-9_-]+$/),
    FunctionVersion: z.string(),
    Description: description.default(''),
  }),
  updateAlias: z.strictObject({
    FunctionVersion: z.string().exactOptional(),
    Description: description.exactOptional(),
    RevisionId: z.string().exactOptional(),
  }),
  putProvisionedConcurrencyConfig: z.strictObject({
    ProvisionedConcurrentExecutions: z.number().int().min(1),
  }),
  tagResource: z.strictObject({ Tags: tags }),
  putFunctionConcurrency: z.strictObject({ ReservedConcurrentExecutions: z.number().int().min(0) }),
} as const;

export type RequestName = keyof typeof requestSchemas;
export type RequestOf<N extends RequestName> = z.output<(typeof requestSchemas)[N]>;

function json(body: Buffer): unknown {
  if (body.length === 0) return {};
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    throw new AwsError('SerializationException', 400, 'Could not parse request body into json');
  }
}

/**
 * A body is parsed for the access check and again for the response, and may contain 50 MB of code.
 */
const parsedBodies = new WeakMap<Buffer, unknown>();

/**
 * Parses a body. Throws AwsError: SerializationException, or InvalidParameterValueException naming
 * the member.
 */
export function parseBody<N extends RequestName>(name: N, body: Buffer): RequestOf<N> {
  const known = parsedBodies.get(body);
  if (known !== undefined) return known as RequestOf<N>;
  const parsed = requestSchemas[name].safeParse(json(body));
  if (!parsed.success) throw invalidParameter(z.prettifyError(parsed.error));
  parsedBodies.set(body, parsed.data);
  return parsed.data as RequestOf<N>;
}
