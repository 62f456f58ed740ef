import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { SignatureV4 } from '@smithy/signature-v4';
import { z } from 'zod';
import { BACKUP_OUTPUTS, backupStackName, tableNameOf } from '../../../lib/deployment-names.ts';
import { CommandFailure, UsageError } from '../../command-line/failures.ts';
import type { ClientSettings } from '../removal/aws-call.ts';

/** A recovery point of AWS Backup: a table as it was. */
export interface RecoveryPoint {
  readonly arn: string;
  readonly tableArn: string;
  readonly time: Date;
  /** Only one that is complete can be restored. */
  readonly isComplete: boolean;
}

/** The stack of a deployment with copies elsewhere has these. */
export interface BackupPlace {
  readonly vault: string;
  readonly roleArn: string;
}

export interface WantedTable {
  readonly point: string;
  readonly tableName: string;
  readonly keyArn: string;
  readonly roleArn: string;
}

export interface RestoreJob {
  readonly state: 'running' | 'done' | 'failed';
  readonly reason?: string | undefined;
}

/** The calls about backups that a restore makes. */
export interface BackupAccount {
  /** Throws {@link CommandFailure} if the deployment has no vault. */
  place(accessTable: string): Promise<BackupPlace>;
  /** Throws {@link UsageError} if the vault has no such recovery point. */
  point(vault: string, arn: string): Promise<RecoveryPoint>;
  /** Starts one job for a table name, however often it is called. Returns the id. */
  start(wanted: WantedTable): Promise<string>;
  job(id: string): Promise<RestoreJob>;
}

const point = z.object({
  RecoveryPointArn: z.string(),
  ResourceArn: z.string(),
  CreationDate: z.number(),
  Status: z.string(),
});
const job = z.object({ Status: z.string(), StatusMessage: z.string().optional() });
const started = z.object({ RestoreJobId: z.string() });
const refusal = z.object({ Message: z.string().optional(), message: z.string().optional() });

/** AWS answers with these while it is busy. */
const BUSY = new Set([429, 500, 503]);
const ATTEMPTS = 10;

interface Call {
  readonly method: 'GET' | 'PUT';
  readonly path: string;
  readonly body?: object;
}

/** A call that AWS Backup refused. */
class Refused extends Error {
  override readonly name = 'Refused';
}

/**
 * Makes the three calls of AWS Backup that a restore needs, with the credentials and the signer of
 * the client of DynamoDB: its own client is as large as all others together.
 */
function backupCalls(dynamodb: DynamoDBClient, pause: (ms: number) => Promise<void>) {
  const { config } = dynamodb;

  async function hostOf(region: string) {
    const custom = await config.endpoint?.();
    if (custom !== undefined) return custom;
    const domain = region.startsWith('cn-') ? 'amazonaws.com.cn' : 'amazonaws.com';
    return { protocol: 'https:', hostname: `backup.${region}.${domain}`, port: undefined };
  }

  async function sent({ method, path, body }: Call): Promise<Response> {
    const region = await config.region();
    const { protocol, hostname, port } = await hostOf(region);
    const host = port === undefined ? hostname : `${hostname}:${String(port)}`;
    const text = body === undefined ? undefined : JSON.stringify(body);
    const signer = new SignatureV4({
      service: 'backup',
      region,
      credentials: config.credentials,
      sha256: config.sha256,
    });
    const { headers } = await signer.sign({
      method,
      protocol,
      hostname,
      path,
      headers: { host, 'content-type': 'application/json' },
      body: text,
    });
    const { host: _, ...signed } = headers;
    return await fetch(`${protocol}//${host}${path}`, { method, headers: signed, body: text ?? null });
  }

  return async function call<T>(schema: z.ZodType<T>, request: Call): Promise<T> {
    for (let attempts = 1; ; attempts += 1) {
      const response = await sent(request);
      if (response.ok) return schema.parse(await response.json());
      if (BUSY.has(response.status) && attempts < ATTEMPTS) {
        await pause(1_000 * attempts);
        continue;
      }
      const { Message, message } = refusal.catch({}).parse(await response.json().catch(() => ({})));
      throw new Refused(`AWS Backup: ${Message ?? message ?? `status ${String(response.status)}`}`);
    }
  };
}

/** Reads the outputs of the stack by CloudFormation, whose client few commands load. */
async function placeOf(settings: ClientSettings, accessTable: string): Promise<BackupPlace> {
  const service = accessTable.slice(0, -tableNameOf('', 'Access').length);
  const StackName = backupStackName(service);
  const { CloudFormationClient, DescribeStacksCommand } = await import('@aws-sdk/client-cloudformation');
  const client = new CloudFormationClient(settings);
  const { Stacks = [] } = await client
    .send(new DescribeStacksCommand({ StackName }))
    .catch((error: unknown) => {
      if (error instanceof Error && error.name === 'ValidationError') return { Stacks: [] };
      throw error;
    });
  const outputs = new Map(
    (Stacks[0]?.Outputs ?? []).map(({ OutputKey, OutputValue }) => [OutputKey, OutputValue] as const),
  );
  const vault = outputs.get(BACKUP_OUTPUTS.vault);
  const roleArn = outputs.get(BACKUP_OUTPUTS.role);
  if (vault === undefined || roleArn === undefined)
    throw new CommandFailure(
      `the stack ${StackName} with the vault is missing: deploy with the setting backup; nothing was done`,
    );
  return { vault, roleArn };
}

export function awsBackupAccount(
  settings: ClientSettings,
  dynamodb: DynamoDBClient,
  pause: (ms: number) => Promise<void>,
): BackupAccount {
  const call = backupCalls(dynamodb, pause);
  return {
    place: (accessTable) => placeOf(settings, accessTable),
    async point(vault, arn) {
      const path = `/backup-vaults/${encodeURIComponent(vault)}/recovery-points/${encodeURIComponent(arn)}`;
      try {
        const found = await call(point, { method: 'GET', path });
        return {
          arn: found.RecoveryPointArn,
          tableArn: found.ResourceArn,
          time: new Date(found.CreationDate * 1_000),
          isComplete: found.Status === 'COMPLETED',
        };
      } catch (error) {
        if (!(error instanceof Refused)) throw error;
        throw new UsageError(`${arn} is no recovery point of the vault ${vault} (${error.message})`);
      }
    },
    async start({ point: RecoveryPointArn, tableName, keyArn, roleArn: IamRoleArn }) {
      const Metadata = { targetTableName: tableName, encryptionType: 'KMS', kmsMasterKeyArn: keyArn };
      const IdempotencyToken = `${tableName}-${RecoveryPointArn.slice(RecoveryPointArn.lastIndexOf(':') + 1)}`;
      const body = { RecoveryPointArn, IamRoleArn, IdempotencyToken, ResourceType: 'DynamoDB', Metadata };
      return (await call(started, { method: 'PUT', path: '/restore-jobs', body })).RestoreJobId;
    },
    async job(id) {
      const path = `/restore-jobs/${encodeURIComponent(id)}`;
      const { Status, StatusMessage: reason } = await call(job, { method: 'GET', path });
      if (Status === 'COMPLETED') return { state: 'done' };
      return { state: ['FAILED', 'ABORTED'].includes(Status) ? 'failed' : 'running', reason };
    },
  };
}
