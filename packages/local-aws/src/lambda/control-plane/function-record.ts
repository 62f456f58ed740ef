import { createHash } from 'node:crypto';
import { z } from 'zod';

/** The settings of a version; versions with equal settings run the same. */
const settings = z.object({
  codeSha256: z.string(),
  codeSize: z.number(),
  sourceKmsKeyArn: z.string().exactOptional(),
  role: z.string(),
  runtime: z.string(),
  handler: z.string(),
  timeoutSeconds: z.number(),
  memoryMb: z.number(),
  architectures: z.array(z.string()),
  layers: z.array(z.string()),
  environment: z.record(z.string(), z.string()),
  ephemeralStorageMb: z.number(),
  logGroup: z.string(),
  description: z.string(),
});

const version = z.object({
  /** `$LATEST` or a number. */
  version: z.string(),
  revisionId: z.string(),
  lastModified: z.string(),
  /** Milliseconds since the epoch: Pending until then. */
  activeFrom: z.number(),
  /** Milliseconds since the epoch: its last update is InProgress until then. */
  updatedFrom: z.number(),
  settings,
});

const alias = z.object({
  name: z.string(),
  functionVersion: z.string(),
  description: z.string(),
  revisionId: z.string(),
});

const provisioned = z.object({
  /** Is an alias or a version number. */
  qualifier: z.string(),
  instances: z.number(),
  lastModified: z.string(),
  readyFrom: z.number(),
});

/** The stored record of a function that CreateFunction created. */
export const functionRecord = z.object({
  name: z.string(),
  arn: z.string(),
  latest: version,
  /** Published versions, the oldest first. */
  versions: z.array(version),
  /** The number of the newest version ever: numbers are not reused. */
  lastVersion: z.number(),
  aliases: z.array(alias),
  provisioned: z.array(provisioned),
  tags: z.record(z.string(), z.string()),
});

export type FunctionRecord = z.infer<typeof functionRecord>;
export type VersionRecord = z.infer<typeof version>;
export type VersionSettings = z.infer<typeof settings>;
export type AliasRecord = z.infer<typeof alias>;
export type ProvisionedRecord = z.infer<typeof provisioned>;

/** Equal for versions of equal code and configuration; a description changes nothing. */
export function settingsDigest({ description: _description, ...value }: VersionSettings): string {
  const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return createHash('sha256').update(JSON.stringify(entries)).digest('hex');
}
