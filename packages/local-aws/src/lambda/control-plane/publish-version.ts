import { settingsDigest, type FunctionRecord, type VersionRecord } from './function-record.ts';
import type { FunctionRegistry } from './function-registry.ts';

export interface Published {
  readonly record: FunctionRecord;
  readonly version: VersionRecord;
}

/**
 * Publishes `$LATEST` as a version; returns the last version if neither code nor configuration has
 * changed since.
 */
export function publishVersion(
  registry: FunctionRegistry,
  record: FunctionRecord,
  description?: string,
): Published {
  const { settings } = record.latest;
  const last = record.versions.at(-1);
  if (last !== undefined && settingsDigest(last.settings) === settingsDigest(settings))
    return { record, version: last };
  const number = record.lastVersion + 1;
  const described = { ...settings, description: description ?? settings.description };
  const version = registry.versionOf(described, String(number));
  return { record: { ...record, versions: [...record.versions, version], lastVersion: number }, version };
}
