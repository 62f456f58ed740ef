import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { zipSync } from 'fflate';
import { codeDigest } from './code-archive.ts';
import type { VersionSettings } from './function-record.ts';
import type { FunctionRegistry } from './function-registry.ts';

/** A function of a template that has a custom runtime, and so runs in processes of its own. */
export interface TemplateProcess {
  readonly name: string;
  readonly arn: string;
  readonly handler: string;
  readonly runtime: string;
  readonly codeDirectory: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly timeoutSeconds: number;
  readonly memoryMb: number;
  readonly architectures: readonly string[];
  readonly description: string;
  readonly layers: readonly string[];
  readonly role: string;
}

const EPHEMERAL_STORAGE_MB = 512;
/** A constant time, so that equal files are an equal zip. */
const MODIFIED = new Date('2020-01-01T00:00:00Z');

function zipped(directory: string): Uint8Array {
  const files = readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .toSorted();
  return zipSync(
    Object.fromEntries(files.map((file) => [relative(directory, file), new Uint8Array(readFileSync(file))])),
    { mtime: MODIFIED },
  );
}

/** Makes `$LATEST` of a function as the template has it. Versions are from calls, and stay. */
export async function defineProcess(registry: FunctionRegistry, made: TemplateProcess): Promise<void> {
  const { name, arn, codeDirectory, environment, architectures, layers } = made;
  const zip = zipped(codeDirectory);
  const settings: VersionSettings = {
    codeSha256: codeDigest(zip),
    codeSize: zip.length,
    role: made.role,
    runtime: made.runtime,
    handler: made.handler,
    timeoutSeconds: made.timeoutSeconds,
    memoryMb: made.memoryMb,
    architectures: [...architectures],
    layers: [...layers],
    environment: { ...environment },
    ephemeralStorageMb: EPHEMERAL_STORAGE_MB,
    logGroup: `/aws/lambda/${name}`,
    description: made.description,
  };
  const none = { versions: [], lastVersion: 0, aliases: [], provisioned: [], tags: {} };
  const found = registry.find(name) ?? { name, arn, ...none };
  await registry.put({ ...found, latest: registry.versionOf(settings, '$LATEST') }, zip);
}
