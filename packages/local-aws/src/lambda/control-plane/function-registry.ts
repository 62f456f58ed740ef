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
import type { StateTime } from './state-time.ts';
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
  readonly time: StateTime;
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
  readonly time: StateTime;
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

function versionNamed(record: FunctionRecord, version: string): VersionRecord | undefined {
  return version === '$LATEST' ? record.latest : record.versions.find((one) => one.version === version);
}

function aliasNamed(record: FunctionRecord, name: string): AliasRecord | undefined {
  return record.aliases.find((alias) => alias.name === name);
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

/** Owns the states of the functions that the store has. */
class StoredFunctions implements FunctionRegistry {
  readonly #options: FunctionRegistryOptions;
  readonly time: StateTime;
  readonly #store: FunctionStore;
  /**
   * The state of `$LATEST` before the update in progress: invocations run it until the update is
   * done.
   */
  readonly #replaced = new Map<string, Replaced>();
  readonly #inactive = new Set<string>();
  readonly #wakingUntil = new Map<string, number>();

  constructor(options: FunctionRegistryOptions) {
    this.#options = options;
    this.time = options.time;
    this.#store = options.store;
  }

  all(): readonly FunctionRecord[] {
    return this.#store.all();
  }

  find(name: string): FunctionRecord | undefined {
    return this.#store.get(name);
  }

  get(name: string): FunctionRecord {
    const record = this.#store.get(name);
    if (record === undefined) throw notFound(`Function not found: ${name}`);
    return record;
  }

  resolve(name: string, qualifier: string | undefined): FoundVersion {
    const record = this.get(name);
    const wanted = qualifier ?? '$LATEST';
    const version = versionNamed(record, aliasNamed(record, wanted)?.functionVersion ?? wanted);
    const arn = qualified(record, qualifier);
    if (version === undefined) throw notFound(`Function not found: ${arn}`);
    return { record, version, arn };
  }

  state(record: FunctionRecord, version: VersionRecord): FunctionState {
    if (this.#inactive.has(record.name)) return 'Inactive';
    const now = this.time.now();
    const isWaking = (this.#wakingUntil.get(record.name) ?? 0) > now;
    return version.activeFrom > now || isWaking ? 'Pending' : 'Active';
  }

  isUpdating({ updatedFrom }: VersionRecord): boolean {
    return updatedFrom > this.time.now();
  }

  requireUpdatable(record: FunctionRecord): void {
    if (this.state(record, record.latest) === 'Pending') throw busyState('Pending');
    if (this.isUpdating(record.latest))
      throw conflict(
        `The operation cannot be performed at this time. An update is in progress for resource: ${record.arn}`,
      );
  }

  versionOf(settings: VersionSettings, version: string, updates?: VersionRecord): VersionRecord {
    const now = this.time.now();
    const soon = now + this.#options.pendingMs();
    return {
      version,
      revisionId: randomUUID(),
      lastModified: new Date(now).toISOString().replace('Z', '+0000'),
      activeFrom: updates?.activeFrom ?? soon,
      updatedFrom: updates === undefined ? now : soon,
      settings,
    };
  }

  async put(record: FunctionRecord, zip?: Uint8Array): Promise<void> {
    this.#rememberReplaced(record);
    this.#inactive.delete(record.name);
    await this.#store.put(record, zip);
    this.#announceOne(record.name);
  }

  async delete(name: string): Promise<void> {
    this.#replaced.delete(name);
    this.#inactive.delete(name);
    this.#wakingUntil.delete(name);
    const deleted = this.#store.delete(name);
    this.#announceOne(name);
    // It exists again if the disk refused the deletion.
    await deleted.finally(() => {
      this.#announceOne(name);
    });
  }

  runnable({ record, version }: FoundVersion): RunnableVersion {
    const current = this.state(record, version);
    if (current === 'Inactive') this.#wake(record.name);
    if (current !== 'Active') throw busyState(current);
    const before = version.version === '$LATEST' ? this.#previous(record) : undefined;
    return before ?? this.#runnableVersion(record, version);
  }

  deactivate(names: readonly string[]): void {
    this.#inactive.clear();
    for (const name of names) this.#inactive.add(name);
  }

  inactive(): readonly string[] {
    return [...this.#inactive];
  }

  announce(): void {
    for (const { name } of this.#store.all()) this.#announceOne(name);
  }

  #runnableVersion(
    record: FunctionRecord,
    version: VersionRecord,
    zip: () => Uint8Array = () => this.#store.code(record.name, version.settings.codeSha256),
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
  #previous(record: FunctionRecord): RunnableVersion | undefined {
    const before = this.#replaced.get(record.name);
    if (before === undefined || before.until <= this.time.now()) return undefined;
    return this.#runnableVersion(record, before.version, () => before.zip);
  }

  #runnableVersions(record: FunctionRecord): readonly RunnableVersion[] {
    const versions = [record.latest, ...record.versions];
    const current = versions.map((version) => this.#runnableVersion(record, version));
    const before = this.#previous(record);
    return before === undefined ? current : [before, ...current];
  }

  #announceOne(name: string): void {
    const record = this.#store.get(name);
    this.#options.onChange(name, record === undefined ? [] : this.#runnableVersions(record));
  }

  #rememberReplaced(record: FunctionRecord): void {
    const before = this.#store.get(record.name)?.latest;
    if (before === undefined || before.settings === record.latest.settings) return;
    const zip = this.#store.code(record.name, before.settings.codeSha256);
    this.#replaced.set(record.name, { version: before, zip, until: record.latest.updatedFrom });
    // The previous version's code is not needed once the update is done.
    const settled = (): void => {
      this.#announceOne(record.name);
    };
    this.time.after(record.latest.updatedFrom, settled);
  }

  #wake(name: string): void {
    this.#inactive.delete(name);
    this.#wakingUntil.set(name, this.time.now() + this.#options.pendingMs());
  }
}

export function createFunctionRegistry(options: FunctionRegistryOptions): FunctionRegistry {
  return new StoredFunctions(options);
}
