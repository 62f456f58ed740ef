import { randomUUID } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { z } from 'zod';
import { errorCode, errorMessage } from '../../packages/local-aws/src/error-code.ts';

const tenantSchema = z.object({
  tenant_id: z.string(),
  management_key: z.string(),
  webhook_secret: z.string(),
});

/** A tenant as the operator function creates it. */
export type TenantCredentials = z.infer<typeof tenantSchema>;

/** What `npm start` leaves behind for programs that want to talk to it. */
export interface LocalCredentials extends TenantCredentials {
  readonly base_url: string;
  readonly aws_endpoint_url: string;
}

/** Throws an Error that lists what is wrong, without the values. */
export function parseTenantCredentials(json: string): TenantCredentials {
  const parsed = tenantSchema.safeParse(JSON.parse(json));
  if (!parsed.success) throw new Error(`not a tenant's credentials: ${z.prettifyError(parsed.error)}`);
  return parsed.data;
}

/**
 * `undefined` if there is no such file. Throws an Error if it holds anything but a tenant's
 * credentials.
 */
export function readTenantCredentials(file: string): TenantCredentials | undefined {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
  try {
    return parseTenantCredentials(text);
  } catch (error) {
    throw new Error(`${file} is damaged: ${errorMessage(error)}`, {
      cause: error,
    });
  }
}

/** Writes credentials so that nobody else can read them and no reader ever sees half a file. */
export function writeCredentials(file: string, credentials: TenantCredentials | LocalCredentials): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const unfinished = `${file}.${randomUUID()}`;
  try {
    writeFileSync(unfinished, `${JSON.stringify(credentials, undefined, 2)}\n`, { mode: 0o600, flag: 'wx' });
    renameSync(unfinished, file);
  } catch (error) {
    rmSync(unfinished, { force: true });
    throw error;
  }
}
