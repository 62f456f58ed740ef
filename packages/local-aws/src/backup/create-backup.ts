import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { AwsError, type AwsAccess, type AwsCall, type AwsResponse, type AwsService } from '../aws-service.ts';
import { errorMessage } from '../error-code.ts';
import type { RecoveryPoint, RecoveryPoints } from './recovery-points.ts';

export interface BackupOptions {
  readonly accountId: string;
  readonly region: string;
  readonly vaults: ReadonlySet<string>;
  readonly points: RecoveryPoints;
}

const newBackup = z.strictObject({
  BackupVaultName: z.string(),
  ResourceArn: z.string(),
  IamRoleArn: z.string(),
  IdempotencyToken: z.string().optional(),
  Lifecycle: z.strictObject({ DeleteAfterDays: z.number().optional() }).default({}),
});

/** The names of the metadata have no case on AWS, and here that of its documentation. */
const newRestore = z.strictObject({
  RecoveryPointArn: z.string(),
  IamRoleArn: z.string(),
  IdempotencyToken: z.string().optional(),
  ResourceType: z.literal('DynamoDB').optional(),
  Metadata: z.strictObject({
    targetTableName: z.string(),
    encryptionType: z.enum(['Default', 'KMS']).default('Default'),
    kmsMasterKeyArn: z.string().optional(),
  }),
});

interface Job {
  readonly id: string;
  readonly point: string;
  readonly failure: string | undefined;
  readonly tableArn: string;
}

const seconds = (ms: number): number => ms / 1_000;

const presentPoint = ({ arn, vault, tableArn, createdAt, deleteAt }: RecoveryPoint) => ({
  RecoveryPointArn: arn,
  BackupVaultName: vault,
  ResourceArn: tableArn,
  ResourceType: 'DynamoDB',
  Status: 'COMPLETED',
  CreationDate: seconds(createdAt),
  ...(deleteAt !== undefined && { CalculatedLifecycle: { DeleteAt: seconds(deleteAt) } }),
});

function inputOf<T>(schema: z.ZodType<T>, { body }: AwsCall): T {
  const parsed = schema.safeParse(JSON.parse(body.toString('utf8') || '{}'));
  if (!parsed.success)
    throw new AwsError('InvalidParameterValueException', 400, z.prettifyError(parsed.error));
  return parsed.data;
}

/** A call with its operation; `values` are those of the path. */
interface Route {
  readonly action: string;
  readonly method: string;
  readonly path: RegExp;
  readonly resource: (values: readonly string[], call: AwsCall) => string;
  readonly respond: (values: readonly string[], call: AwsCall) => Promise<object> | object;
}

const respond = (status: number, body: unknown): AwsResponse => ({
  status,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
});

/** The account knows its restore jobs by their ids, and by the tokens of their callers. */
interface Jobs {
  readonly all: Map<string, Job>;
  readonly byToken: Map<string, string>;
}

const arnOf = ({ accountId, region }: BackupOptions, kind: string, name: string): string =>
  `arn:aws:backup:${region}:${accountId}:${kind}:${name}`;

function requireVault({ vaults }: BackupOptions, name: string): string {
  if (vaults.has(name)) return name;
  throw new AwsError('ResourceNotFoundException', 400, `Backup vault not found: ${name}`);
}

/** The job ends at once. One that fails says why when it is described, as on AWS. */
async function restore(
  { points, accountId, region }: BackupOptions,
  { all, byToken }: Jobs,
  call: AwsCall,
): Promise<object> {
  const { RecoveryPointArn: arn, Metadata, IdempotencyToken: token } = inputOf(newRestore, call);
  const known = token === undefined ? undefined : byToken.get(token);
  if (known !== undefined) return { RestoreJobId: known };
  points.get(arn);
  const { targetTableName: name, encryptionType, kmsMasterKeyArn: key } = Metadata;
  const id = randomUUID().toUpperCase();
  let failure: string | undefined;
  await points.restore(arn, name, encryptionType === 'KMS' ? key : undefined).catch((error: unknown) => {
    failure = errorMessage(error);
  });
  all.set(id, {
    id,
    point: arn,
    failure,
    tableArn: `arn:aws:dynamodb:${region}:${accountId}:table/${name}`,
  });
  if (token !== undefined) byToken.set(token, id);
  return { RestoreJobId: id };
}

function describeRestore({ all }: Jobs, id: string): object {
  const job = all.get(id);
  if (job === undefined) throw new AwsError('ResourceNotFoundException', 400, `Restore job not found: ${id}`);
  return {
    RestoreJobId: job.id,
    RecoveryPointArn: job.point,
    ...(job.failure === undefined
      ? { Status: 'COMPLETED', CreatedResourceArn: job.tableArn }
      : { Status: 'FAILED', StatusMessage: job.failure }),
  };
}

/** The calls about backups in vaults. */
function vaultRoutes(options: BackupOptions): readonly Route[] {
  const { points } = options;
  return [
    {
      action: 'StartBackupJob',
      method: 'PUT',
      path: /^\/backup-jobs\/?$/,
      resource: (_values, call) => arnOf(options, 'backup-vault', inputOf(newBackup, call).BackupVaultName),
      respond: async (_values, call) => {
        const { BackupVaultName, ResourceArn, Lifecycle } = inputOf(newBackup, call);
        const vault = requireVault(options, BackupVaultName);
        const point = await points.create(vault, ResourceArn, Lifecycle.DeleteAfterDays);
        return {
          BackupJobId: randomUUID().toUpperCase(),
          RecoveryPointArn: point.arn,
          CreationDate: seconds(point.createdAt),
        };
      },
    },
    {
      action: 'ListRecoveryPointsByBackupVault',
      method: 'GET',
      path: /^\/backup-vaults\/([^/]+)\/recovery-points\/?$/,
      resource: ([vault = '']) => arnOf(options, 'backup-vault', vault),
      respond: async ([vault = '']) => ({
        RecoveryPoints: (await points.in(requireVault(options, vault))).map(presentPoint),
      }),
    },
    {
      action: 'DescribeRecoveryPoint',
      method: 'GET',
      path: /^\/backup-vaults\/([^/]+)\/recovery-points\/([^/]+)$/,
      resource: ([, arn = '']) => arn,
      respond: ([vault = '', arn = '']) => {
        const point = points.get(arn);
        if (point.vault === requireVault(options, vault)) return presentPoint(point);
        throw new AwsError('ResourceNotFoundException', 400, `${vault} has no recovery point ${arn}`);
      },
    },
  ];
}

function restoreRoutes(options: BackupOptions, jobs: Jobs): readonly Route[] {
  return [
    {
      action: 'StartRestoreJob',
      method: 'PUT',
      path: /^\/restore-jobs\/?$/,
      resource: (_values, call) => inputOf(newRestore, call).RecoveryPointArn,
      respond: (_values, call) => restore(options, jobs, call),
    },
    {
      action: 'DescribeRestoreJob',
      method: 'GET',
      path: /^\/restore-jobs\/([^/]+)$/,
      resource: () => '*',
      respond: ([id = '']) => describeRestore(jobs, id),
    },
  ];
}

/**
 * AWS Backup with the calls by which an administrator makes a backup of a table, finds it, and
 * restores it.
 */
export function createBackup(options: BackupOptions): AwsService {
  const jobs: Jobs = { all: new Map(), byToken: new Map() };
  const routes = [...vaultRoutes(options), ...restoreRoutes(options, jobs)];

  function routeOf({ method, path }: AwsCall): { route: Route; values: readonly string[] } {
    for (const route of routes) {
      const found = route.method === method ? route.path.exec(path) : null;
      if (found !== null) return { route, values: found.slice(1).map((value) => decodeURIComponent(value)) };
    }
    throw new AwsError(
      'UnknownOperationException',
      404,
      `AWS Backup ${method} ${path} does not run locally.`,
    );
  }

  return {
    signingName: 'backup',
    accesses: (call): readonly AwsAccess[] => {
      const { route, values } = routeOf(call);
      return [{ action: `backup:${route.action}`, resource: route.resource(values, call) }];
    },
    handle: async (call) => {
      const { route, values } = routeOf(call);
      return respond(200, await route.respond(values, call));
    },
    failure: ({ code, status, message }) => ({
      ...respond(status, { Code: code, Message: message }),
      headers: { 'content-type': 'application/json', 'x-amzn-errortype': code },
    }),
    close: () => Promise.resolve(),
  };
}
