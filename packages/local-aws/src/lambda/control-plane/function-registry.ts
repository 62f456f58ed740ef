import { randomUUID } from 'node:crypto';
import type { RunnableVersion } from '../custom-runtime/process-host.ts';
import {
  settingsDigest,
  type AliasRecord,
  type FunctionRecord,
  type VersionRecord,
  type VersionSettings,
} from './function-record.ts';
import type { FunctionStore } from './function-store.ts';
import { busyState, conflict, notFound } from './lambda-failures.ts';

export type FunctionState = 'Pending' | 'Active' | 'Inactive';

/** A version that a caller asked for. */
export interface FoundVersion {
  readonly record: FunctionRecord;
  readonly version: VersionRecord;
  /** The ARN contains the qualifier if the caller named one. */
  readonly arn: string;
}

export interface FunctionRegistryOptions {
  readonly store: FunctionStore;
  /** How long a new version is Pending and an update InProgress. */
  readonly pendingMs: () => number;
  /** Called with the runnable versions of a function whenever they change. */
  readonly onChange: (functionName: string, versions: readonly RunnableVersion[]) => void;
}

/** The functions of CreateFunction: their versions, aliases and states. */
export interface FunctionRegistry {
  all(): readonly FunctionRecord[];
  find(name: string): FunctionRecord | undefined;
  /** Throws AwsError `ResourceNotFoundException`. */
  get(name: string): FunctionRecord;
  /**
   * Accepts no qualifier, `$LATEST`, a version or an alias. Throws AwsError
   * `ResourceNotFoundException`.
   */
  resolve(name: string, qualifier: string | undefined): FoundVersion;
  state(record: FunctionRecord, version: VersionRecord): FunctionState;
  isUpdating(version: VersionRecord): boolean;
  /**
   * Throws AwsError `ResourceConflictException` while the function is Pending or an update is
   * InProgress.
   */
  requireUpdatable(record: FunctionRecord): void;
  /** Creates a version, or the next state of `$LATEST`. It applies from now on. */
  versionOf(settings: VersionSettings, version: string, updates?: VersionRecord): VersionRecord;
  put(record: FunctionRecord, zip?: Uint8Array): Promise<void>;
  delete(name: string): Promise<void>;
  /**
   * The code and settings of an invocation now. Throws AwsError `ResourceConflictException` for a
   * version that is not Active; an Inactive one wakes.
   */
  runnable(found: FoundVersion): RunnableVersion;
  /** Makes functions Inactive, as AWS does after weeks without an invocation. */
  deactivate(names: readonly string[]): void;
  inactive(): readonly string[];
  /** Calls `onChange` for every function. */
  announce(): void;
}

interface Replaced {
  readonly version: VersionRecord;
  readonly zip: Uint8Array;
  readonly until: number;
}

function qualified(record: FunctionRecord, qualifier: string | undefined): string {
  return qualifier === undefined ? record.arn : `${record.arn}:${qualifier}`;
}

// oxlint-disable-next-line max-lines-per-function -- one owner of the records and their versions
export function createFunctionRegistry(options: FunctionRegistryOptions): FunctionRegistry {
  const { store } = options;
  /**
   * The state of `$LATEST` before the update in progress: invocations run it until the update is
   * done.
   */
  const replaced = new Map<string, Replaced>();
  const inactive = new Set<string>();
  const wakingUntil = new Map<string, number>();

  function get(name: string): FunctionRecord {
    const record = store.get(name);
    if (record === undefined) throw notFound(`Function not found: ${name}`);
    return record;
  }

  function versionNamed(record: FunctionRecord, version: string): VersionRecord | undefined {
    return version === '$LATEST' ? record.latest : record.versions.find((one) => one.version === version);
  }

  function aliasNamed(record: FunctionRecord, name: string): AliasRecord | undefined {
    return record.aliases.find((alias) => alias.name === name);
  }

  function resolve(name: string, qualifier: string | undefined): FoundVersion {
    const record = get(name);
    const wanted = qualifier ?? '$LATEST';
    const version = versionNamed(record, aliasNamed(record, wanted)?.functionVersion ?? wanted);
    const arn = qualified(record, qualifier);
    if (version === undefined) throw notFound(`Function not found: ${arn}`);
    return { record, version, arn };
  }

  function state(record: FunctionRecord, version: VersionRecord): FunctionState {
    if (inactive.has(record.name)) return 'Inactive';
    const now = Date.now();
    return version.activeFrom > now || (wakingUntil.get(record.name) ?? 0) > now ? 'Pending' : 'Active';
  }

  /** How many instances of a version stay warm: its own and its aliases' provisioned ones. */
  function reservedFor(record: FunctionRecord, version: string): number {
    const qualifiers = record.aliases
      .filter(({ functionVersion }) => functionVersion === version)
      .map(({ name }) => name);
    return record.provisioned
      .filter(({ qualifier }) => qualifier === version || qualifiers.includes(qualifier))
      .reduce((sum, { instances }) => sum + instances, 0);
  }

  function runnableVersion(
    record: FunctionRecord,
    version: VersionRecord,
    zip: () => Uint8Array = () => store.code(record.name, version.settings.codeSha256),
  ): RunnableVersion {
    const { settings } = version;
    return {
      functionName: record.name,
      version: version.version,
      key: `${version.version}/${settingsDigest(settings)}`,
      settings,
      reserved: reservedFor(record, version.version),
      zip,
    };
  }

  /** Returns the state that `$LATEST` had before the update in progress. */
  function previous(record: FunctionRecord): RunnableVersion | undefined {
    const before = replaced.get(record.name);
    if (before === undefined || before.until <= Date.now()) return undefined;
    return runnableVersion(record, before.version, () => before.zip);
  }

  function runnableVersions(record: FunctionRecord): readonly RunnableVersion[] {
    const current = [record.latest, ...record.versions].map((version) => runnableVersion(record, version));
    const before = previous(record);
    return before === undefined ? current : [before, ...current];
  }

  function announceOne(name: string): void {
    const record = store.get(name);
    options.onChange(name, record === undefined ? [] : runnableVersions(record));
  }

  function rememberReplaced(record: FunctionRecord): void {
    const before = store.get(record.name)?.latest;
    if (before === undefined || before.settings === record.latest.settings) return;
    const zip = store.code(record.name, before.settings.codeSha256);
    replaced.set(record.name, { version: before, zip, until: record.latest.updatedFrom });
    // The previous version's code is not needed once the update is done.
    const settled = (): void => {
      announceOne(record.name);
    };
    setTimeout(settled, record.latest.updatedFrom - Date.now() + 1).unref();
  }

  function wake(name: string): void {
    inactive.delete(name);
    wakingUntil.set(name, Date.now() + options.pendingMs());
  }

  return {
    all: () => store.all(),
    find: (name) => store.get(name),
    get,
    resolve,
    state,
    isUpdating: ({ updatedFrom }) => updatedFrom > Date.now(),
    requireUpdatable: (record) => {
      if (state(record, record.latest) === 'Pending') throw busyState('Pending');
      if (record.latest.updatedFrom > Date.now())
        throw conflict(
          `The operation cannot be performed at this time. An update is in progress for resource: ${record.arn}`,
        );
    },
    versionOf: (settings, version, updates) => {
      const now = Date.now();
      const soon = now + options.pendingMs();
      return {
        version,
        revisionId: randomUUID(),
        lastModified: new Date(now).toISOString().replace('Z', '+0000'),
        activeFrom: updates?.activeFrom ?? soon,
        updatedFrom: updates === undefined ? now : soon,
        settings,
      };
    },
    put: async (record, zip) => {
      rememberReplaced(record);
      inactive.delete(record.name);
      await store.put(record, zip);
      announceOne(record.name);
    },
    delete: async (name) => {
      replaced.delete(name);
      inactive.delete(name);
      wakingUntil.delete(name);
      const deleted = store.delete(name);
      announceOne(name);
      // It exists again if the disk refused the deletion.
      await deleted.finally(() => {
        announceOne(name);
      });
    },
    runnable: ({ record, version }) => {
      const current = state(record, version);
      if (current === 'Inactive') wake(record.name);
      if (current !== 'Active') throw busyState(current);
      const before = version.version === '$LATEST' ? previous(record) : undefined;
      return before ?? runnableVersion(record, version);
    },
    deactivate: (names) => {
      inactive.clear();
      for (const name of names) inactive.add(name);
    },
    inactive: () => [...inactive],
    announce: () => {
      for (const { name } of store.all()) announceOne(name);
    },
  };
}
