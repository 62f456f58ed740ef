import { mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { errorCode } from '../../../packages/local-aws/src/error-code.ts';
import type { JsonObject } from '../../../src/core/shared/json.ts';
import type { ConnectionFlags } from '../../command-line/connection.ts';
import { CommandFailure, UsageError } from '../../command-line/failures.ts';
import { callService } from '../../command-line/service-call.ts';
import type { ConfigSurroundings } from '../config-surroundings.ts';
import { isOwner } from '../file/names.ts';
import { NamedFileError, placeBelow } from '../file/named-files.ts';
import type { Kind } from '../model.ts';
import { textIn } from '../plan/bodies.ts';
import { sdkService } from '../sdk-service.ts';
import { CallFailed, type ConfigService } from '../service.ts';
import { exportTenant, type ExportedResource, type ExportedTenant } from './export-tenant.ts';
import { yamlText } from './yaml-text.ts';

export interface ExportFlags extends ConnectionFlags {
  readonly to: string;
}

const FILE = 'cloakroom.yaml';

/** `undefined` for a key that may only review. */
async function codeOf(service: ConfigService, id: string): Promise<string | undefined> {
  try {
    return (await service.retrieveCode(id)).code;
  } catch (error) {
    if (error instanceof CallFailed && error.status === 403) return undefined;
    throw error;
  }
}

async function readKind(service: ConfigService, kind: Kind): Promise<readonly ExportedResource[]> {
  const found: ExportedResource[] = [];
  for (const body of await service.list(kind)) {
    const id = textIn(body, 'id') ?? '';
    const keys: readonly JsonObject[] = isOwner(kind) ? await service.keys(kind, id) : [];
    const code = isOwner(kind) ? undefined : await codeOf(service, id);
    found.push({ body, keys, ...(code !== undefined && { code }) });
  }
  return found;
}

/** Reads everything that an export writes down. */
export const readTenant = async (service: ConfigService, now: number): Promise<ExportedTenant> => ({
  tenant: (await service.tenant()).body,
  now,
  applications: await readKind(service, 'applications'),
  proxies: await readKind(service, 'proxies'),
  reactors: await readKind(service, 'reactors'),
});

/** Writes new files. Throws {@link UsageError} for one that exists. */
function writeFiles(folder: string, files: ReadonlyMap<string, string>): void {
  const hasCode = [...files.keys()].some((path) => path.startsWith('reactors/'));
  mkdirSync(hasCode ? join(folder, 'reactors') : folder, { recursive: true });
  for (const [path, text] of files)
    try {
      writeFileSync(placeBelow(folder, path), text, { flag: 'wx' });
    } catch (error) {
      if (error instanceof NamedFileError) throw new UsageError(`${path} ${error.message}`);
      const code = errorCode(error);
      throw new UsageError(`${path} ${code === 'EEXIST' ? 'exists' : `cannot be written (${String(code)})`}`);
    }
}

/** `config export`. */
export async function runExport(flags: ExportFlags, surroundings: ConfigSurroundings): Promise<void> {
  const { clock = Date.now, print } = surroundings;
  const { content, comments, code } = await callService(flags, surroundings, async (client) => {
    try {
      return exportTenant(await readTenant(sdkService(client), clock()));
    } catch (error) {
      throw error instanceof CallFailed ? new CommandFailure(error.message) : error;
    }
  });
  // The configuration comes last: with it the folder counts as written.
  writeFiles(resolve(flags.to), new Map([...code, [FILE, yamlText(content, comments)]]));
  const count = [...comments.values()].filter((sentences) => sentences.length > 0).length;
  print(`wrote ${FILE} and ${String(code.size)} files of code\n`);
  if (count > 0) print(`${String(count)} reactors need a file: see the comments above them\n`);
}
