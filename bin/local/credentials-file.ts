import { randomUUID } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { z } from 'zod';
import { holdLock, LockedError } from '../../packages/local-aws/src/data-lock.ts';
import { errorCode, errorMessage } from '../../packages/local-aws/src/error-code.ts';
import { damaged } from '../../packages/local-aws/src/storage-failure.ts';

/** Where programs on this machine look for the service of `npm start`. */
const DEFAULT_CREDENTIALS_FILE = '.local/credentials.json';

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
  } catch {
    // No cause: what the parser says of the text may hold a part of a key.
    throw damaged(file, "it does not hold a tenant's credentials");
  }
}

/**
 * Writes credentials so that nobody else can read them and no reader ever sees half a file. Throws
 * an Error that names the file.
 */
export function writeCredentials(file: string, credentials: TenantCredentials | LocalCredentials): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const unfinished = `${file}.${randomUUID()}`;
  try {
    writeFileSync(unfinished, `${JSON.stringify(credentials, undefined, 2)}\n`, { mode: 0o600, flag: 'wx' });
    renameSync(unfinished, file);
  } catch (error) {
    rmSync(unfinished, { force: true });
    throw new Error(`cannot write ${file}: ${errorMessage(error)}`, { cause: error });
  }
}

/** A credentials file of this process alone, and what removes it at the end. */
export interface ClaimedFile {
  readonly file: string;
  release(): void;
}

/**
 * Claims a credentials file for a service that is about to start. While another service has the
 * default file, one named by the port (or, without one, the process) takes its place; a file that
 * was asked for is refused then, with {@link LockedError}.
 */
export function claimCredentialsFile(wanted: string | undefined, port: number): ClaimedFile {
  const claim = (file: string): ClaimedFile => {
    const unlock = holdLock(`${file}.lock`, file);
    return {
      file,
      release: () => {
        rmSync(file, { force: true });
        unlock();
      },
    };
  };
  if (wanted !== undefined) return claim(wanted);
  try {
    return claim(resolve(DEFAULT_CREDENTIALS_FILE));
  } catch (error) {
    if (!(error instanceof LockedError)) throw error;
    const name = String(port === 0 ? process.pid : port);
    return claim(resolve(dirname(DEFAULT_CREDENTIALS_FILE), `credentials-${name}.json`));
  }
}
