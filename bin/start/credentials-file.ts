import { randomUUID } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { z } from 'zod';
import { holdLock, LockedError } from '../../packages/local-aws/src/data-lock.ts';
import { errorCode, errorMessage } from '../../packages/local-aws/src/error-code.ts';
import { damaged } from '../../packages/local-aws/src/storage-failure.ts';
import { UsageError } from '../command-line/failures.ts';

/** Where local programs look for the service of `npm start`. */
const DEFAULT_CREDENTIALS_FILE = '.local/credentials.json';

const tenantSchema = z.object({
  tenant_id: z.string(),
  management_key: z.string(),
  webhook_secret: z.string(),
  /** A key that sees the sample data, once all of that is there. */
  sample_key: z.string().optional(),
});

/** A tenant as the operator function returns it. */
export type TenantCredentials = z.infer<typeof tenantSchema>;

/** The file that `npm start` writes for its clients. */
export interface LocalCredentials extends TenantCredentials {
  readonly base_url: string;
  /** The console has an origin of its own. */
  readonly console_url: string;
  /** So have the card fields, the documentation and the start page. */
  readonly fields_url: string;
  readonly docs_url: string;
  readonly start_url: string;
  readonly aws_endpoint_url: string;
  readonly aws_region: string;
  readonly aws_access_key_id: string;
  readonly aws_secret_access_key: string;
  /** The app may have a serviceName of its own. */
  readonly operator_function: string;
  /** A data folder stores its tenant there, for the next start. */
  readonly tenant_file?: string;
}

/** Throws an Error that lists the problems, without values. */
export function parseTenantCredentials(json: string): TenantCredentials {
  const parsed = tenantSchema.safeParse(JSON.parse(json));
  if (!parsed.success) throw new Error(`not a tenant's credentials: ${z.prettifyError(parsed.error)}`);
  return parsed.data;
}

function contentOf(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw new Error(`${file}: ${errorMessage(error)}`, { cause: error });
  }
}

/**
 * `undefined` if there is no such file. Throws an Error for any other content than a tenant's
 * credentials.
 */
export function readTenantCredentials(file: string): TenantCredentials | undefined {
  const text = contentOf(file);
  if (text === undefined) return undefined;
  try {
    return parseTenantCredentials(text);
  } catch {
    // The error has no cause, because the parser's message may quote a part of a key.
    throw damaged(file, "it does not contain a tenant's credentials");
  }
}

/**
 * Writes credentials that only the user can read, atomically. Throws an Error that names the file.
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

/** `undefined` for any other text. A parser's message may quote a part of a key. */
function jsonOf(text: string | undefined): unknown {
  try {
    return JSON.parse(text ?? '');
  } catch {
    return undefined;
  }
}

const storedTenant = z.looseObject({
  tenant_id: z.string(),
  webhook_secret: z.string(),
  tenant_file: z.optional(z.string()),
});

/**
 * Stores what changed in the credentials of a tenant, in the credentials file of a running service
 * and in its data folder. Returns whether the file is about this tenant. Throws an Error that names
 * the file.
 */
export function storeCredentials(
  file: string,
  tenantId: string,
  changed: Partial<Pick<TenantCredentials, 'webhook_secret' | 'sample_key'>>,
): boolean {
  const { success, data } = storedTenant.safeParse(jsonOf(contentOf(file)));
  if (!success || data.tenant_id !== tenantId) return false;
  // The schema is loose: every other member stays.
  writeCredentials(file, { ...data, ...changed } as unknown as TenantCredentials);
  if (data.tenant_file !== undefined) storeCredentials(data.tenant_file, tenantId, changed);
  return true;
}

/** Every credentials file that a start has written has these. */
const runningService = z.looseObject({ base_url: z.string(), management_key: z.string() });

/** A credentials file that belongs to this process. */
export interface ClaimedFile {
  readonly file: string;
  write(credentials: LocalCredentials): void;
  /** Removes the file, unless another process has replaced it. */
  release(): void;
}

/** The file is of something else, and stays. */
class ForeignFileError extends UsageError {}

/** Throws unless a start wrote the file, or none did: it is replaced now, and deleted later. */
function requireReplaceable(file: string): void {
  const found = statSync(file, { throwIfNoEntry: false });
  if (found === undefined) return;
  const isOwn =
    found.isFile() && (found.size === 0 || runningService.safeParse(jsonOf(contentOf(file))).success);
  if (!isOwn)
    throw new ForeignFileError(`${file} is not a credentials file of cloakroom start: name another file`);
}

function claim(file: string): ClaimedFile {
  if (statSync(file, { throwIfNoEntry: false })?.isDirectory() === true)
    throw new UsageError(`${file} is a folder`);
  const unlock = holdLock(`${file}.lock`, file);
  try {
    requireReplaceable(file);
  } catch (error) {
    unlock();
    throw error;
  }
  /** Each start has an access key of its own. An operator command may change other members. */
  let accessKey: string | undefined;
  return {
    file,
    write: (credentials) => {
      writeCredentials(file, credentials);
      accessKey = JSON.stringify(credentials.aws_secret_access_key);
    },
    release: () => {
      try {
        if (accessKey !== undefined && contentOf(file)?.includes(accessKey) === true)
          rmSync(file, { force: true });
      } finally {
        unlock();
      }
    },
  };
}

/** Its folder may be reached through links. */
function realPath(file: string): string {
  const folder = dirname(file);
  return existsSync(folder) ? join(realpathSync(folder), basename(file)) : file;
}

/** The file in a data folder with its first tenant: it stays when the service ends. */
export const tenantFile = (dataDirectory: string): string => join(dataDirectory, 'credentials.json');

/**
 * Claims a credentials file: the default one, or, if a service or a data folder's tenant uses that,
 * one named by the port (or the process). Throws if a requested file is in use.
 */
export function claimCredentialsFile(
  wanted: string | undefined,
  { port, dataDirectory }: { readonly port: number; readonly dataDirectory?: string },
): ClaimedFile {
  const isTenants = (file: string): boolean =>
    dataDirectory !== undefined && realPath(file) === realPath(tenantFile(dataDirectory));
  if (wanted !== undefined) {
    if (isTenants(wanted))
      throw new Error(`${wanted} contains the tenant of the data folder: name another file`);
    return claim(wanted);
  }
  const usual = resolve(DEFAULT_CREDENTIALS_FILE);
  const name = String(port === 0 ? process.pid : port);
  const other = resolve(dirname(DEFAULT_CREDENTIALS_FILE), `credentials-${name}.json`);
  if (isTenants(usual)) return claim(other);
  try {
    return claim(usual);
  } catch (error) {
    if (!(error instanceof LockedError || error instanceof ForeignFileError)) throw error;
    return claim(other);
  }
}
