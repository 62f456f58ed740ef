import { z } from 'zod';

/** The tables that can be restored, in the order of their exchange. Ephemeral becomes empty. */
export const ROLES = ['Tokens', 'Access', 'Reactors', 'Ephemeral'] as const;

export type Role = (typeof ROLES)[number];

const units = z.strictObject({
  ReadUnitsPerSecond: z.number().int().positive(),
  WriteUnitsPerSecond: z.number().int().positive(),
});

export type Units = z.output<typeof units>;

const keySchema = z
  .array(z.strictObject({ AttributeName: z.string().min(1), KeyType: z.enum(['HASH', 'RANGE']) }))
  .min(1);

/** A complete definition: CreateTable needs nothing else for an equal table. */
export const tableDefinition = z.strictObject({
  AttributeDefinitions: z
    .array(z.strictObject({ AttributeName: z.string().min(1), AttributeType: z.enum(['S', 'N', 'B']) }))
    .min(1),
  KeySchema: keySchema,
  GlobalSecondaryIndexes: z.array(
    z.strictObject({
      IndexName: z.string().min(1),
      KeySchema: keySchema,
      Projection: z.strictObject({
        ProjectionType: z.enum(['ALL', 'KEYS_ONLY', 'INCLUDE']),
        NonKeyAttributes: z.array(z.string()).min(1).optional(),
      }),
    }),
  ),
  KmsKeyArn: z.string().startsWith('arn:'),
});

export type TableDefinition = z.output<typeof tableDefinition>;

/** Settings that a restored table does not have by itself. */
export const tableSettings = z.strictObject({
  timeToLiveAttribute: z.string().optional(),
  isProtected: z.boolean(),
  isRecoverable: z.boolean(),
  /** JSON of the resource policy. */
  policy: z.string().optional(),
  warm: units.optional(),
  warmIndexes: z.record(z.string(), units),
  /** By these, plans leave out Ephemeral, and a removal finds its tables. */
  tags: z.record(z.string(), z.string()).default({}),
});

export type TableSettings = z.output<typeof tableSettings>;

const tableState = z.strictObject({
  role: z.enum(ROLES),
  name: z.string().min(3),
  /** The table beside it, whose name contains the id of the restore. */
  copy: z.string().min(3),
  definition: tableDefinition,
  settings: tableSettings,
  /** The recovery point that the copy is made of, instead of a point in time. */
  point: z.string().startsWith('arn:').optional(),
  /** The backup of the copy: the damaged table is deleted only after it was stored here. */
  backupArn: z.string().startsWith('arn:').optional(),
});

export type TableState = z.output<typeof tableState>;

const functionState = z.strictObject({
  name: z.string().min(1),
  /** Reserved concurrency before the service was stopped. */
  reserved: z.number().int().min(0).optional(),
  provisioned: z.array(
    z.strictObject({ qualifier: z.string().min(1), instances: z.number().int().positive() }),
  ),
});

export type FunctionState = z.output<typeof functionState>;

/**
 * How far a restore is. `copying`: AWS was asked for the copies. `compared`: the lists are written.
 * `stopping`: functions are being stopped. `decided`: the copies have their final content.
 * `exchanged`: the copies have replaced the tables. `done`: the service runs again.
 */
export const PHASES = ['copying', 'compared', 'stopping', 'decided', 'exchanged', 'done'] as const;

export type Phase = (typeof PHASES)[number];

/** A restore as the file `state.json` stores it. Every run validates it before it acts. */
export const restoreState = z.strictObject({
  version: z.literal(1),
  id: z.string().regex(/^[\w.-]{8,60}$/),
  phase: z.enum(PHASES),
  /** ISO 8601. All tables are restored to this time. */
  time: z.iso.datetime(),
  operatorFunction: z.string().min(1),
  /** AWS Backup restores recovery points with this role. */
  backupRole: z.string().startsWith('arn:').optional(),
  tables: z.array(tableState).min(1),
  functions: z.array(functionState).min(1).optional(),
  /** The digest of the lines that were removed from the lists when the exchange began. */
  asked: z.string().optional(),
});

export type RestoreState = z.output<typeof restoreState>;

/** The tables with data. Ephemeral becomes empty. */
export const restoredTables = ({ tables }: RestoreState): readonly TableState[] =>
  tables.filter(({ role }) => role !== 'Ephemeral');
