import { mkdir, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { errorCode } from '../../error-code.ts';
import { damaged, type StorageFailure } from '../../storage-failure.ts';
import { writeFileWhole } from '../../write-file-whole.ts';
import { codeDigest } from './code-archive.ts';
import { functionRecord, type FunctionRecord } from './function-record.ts';

/** Functions with the zips of their versions. */
export interface FunctionStore {
  all(): readonly FunctionRecord[];
  get(name: string): FunctionRecord | undefined;
  /** The zip by its `CodeSha256`. Throws an Error if no version of the function has it. */
  code(name: string, codeSha256: string): Uint8Array;
  /**
   * Replaces a record: visible immediately, on disk when it resolves. Deletes zips without a
   * version. Rejects with AwsError if the disk refuses it; the record is then unchanged.
   */
  put(record: FunctionRecord, zip?: Uint8Array): Promise<void>;
  /** Rejects like `put`. */
  delete(name: string): Promise<void>;
}

interface Stored {
  readonly record: FunctionRecord;
  readonly zips: ReadonlyMap<string, Uint8Array>;
}

const RECORD_FILE = 'function.json';

function zipFile(codeSha256: string): string {
  return `${Buffer.from(codeSha256, 'base64').toString('hex')}.zip`;
}

function digestsOf({ latest, versions }: FunctionRecord): ReadonlySet<string> {
  return new Set([latest, ...versions].map(({ settings }) => settings.codeSha256));
}

function absent(error: unknown): undefined {
  if (errorCode(error) === 'ENOENT') return undefined;
  throw error;
}

function parseRecord(file: string, text: string): FunctionRecord {
  try {
    return functionRecord.parse(JSON.parse(text));
  } catch {
    // The error has no cause, because the parser's message may quote a part of the environment.
    throw damaged(file, 'it does not hold the JSON of a function');
  }
}

async function readFunction(directory: string): Promise<Stored | undefined> {
  const file = join(directory, RECORD_FILE);
  const text = await readFile(file, 'utf8').catch(absent);
  if (text === undefined) return undefined;
  const record = parseRecord(file, text);
  const zips = new Map<string, Uint8Array>();
  for (const digest of digestsOf(record)) {
    const name = zipFile(digest);
    const zip = await readFile(join(directory, name)).catch(absent);
    if (zip === undefined) throw damaged(directory, `${name} is missing`);
    if (codeDigest(zip) !== digest) throw damaged(join(directory, name), 'its hash is not that of its name');
    zips.set(digest, zip);
  }
  return { record, zips };
}

/** A function that a killed start left incomplete has no record, and was never acknowledged. */
async function readFunctions(directory: string): Promise<Map<string, Stored>> {
  const functions = new Map<string, Stored>();
  const entries = await readdir(directory, { withFileTypes: true });
  // Skips files of a file manager.
  for (const { name } of entries.filter((entry) => entry.isDirectory())) {
    const found = await readFunction(join(directory, name));
    if (found === undefined) await rm(join(directory, name), { recursive: true, force: true });
    else functions.set(name, found);
  }
  return functions;
}

async function writeFunction(directory: string, { record, zips }: Stored): Promise<void> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const present = new Set(await readdir(directory));
  // Zips first: a record never refers to a missing one.
  for (const [digest, zip] of zips)
    if (!present.has(zipFile(digest))) await writeFileWhole(join(directory, zipFile(digest)), zip);
  await writeFileWhole(join(directory, RECORD_FILE), JSON.stringify(record, undefined, 2));
  const wanted = new Set([RECORD_FILE, ...[...zips.keys()].map(zipFile)]);
  for (const name of present) if (!wanted.has(name)) await rm(join(directory, name), { force: true });
}

/** The record first: without it the rest is a leftover. */
async function removeFunction(directory: string): Promise<void> {
  await rm(join(directory, RECORD_FILE), { force: true });
  await rm(directory, { recursive: true, force: true });
}

/**
 * Functions in `<dataDir>/<name>/` (readable by their owner only); without a directory, in memory.
 */
export async function openFunctionStore(
  dataDir: string | undefined,
  failure: StorageFailure,
): Promise<FunctionStore> {
  if (dataDir !== undefined) await mkdir(dataDir, { recursive: true, mode: 0o700 });
  const functions = dataDir === undefined ? new Map<string, Stored>() : await readFunctions(dataDir);
  let written: Promise<void> = Promise.resolve();

  /**
   * Makes a change visible immediately, so that the next one builds on it, and reverts it if the
   * disk refuses it. Writes are sequential, whatever the outcome of the previous one.
   */
  async function change(
    name: string,
    stored: Stored | undefined,
    write: (directory: string) => Promise<void>,
  ): Promise<void> {
    const before = functions.get(name);
    const set = (value: Stored | undefined): void => {
      if (value === undefined) functions.delete(name);
      else functions.set(name, value);
    };
    set(stored);
    if (dataDir === undefined) return;
    const mine = written.then(() => write(join(dataDir, name)));
    written = mine.catch(() => undefined);
    await mine.catch((error: unknown) => {
      if (functions.get(name) === stored) set(before);
      throw failure(error);
    });
  }

  return {
    all: () => [...functions.values()].map(({ record }) => record),
    get: (name) => functions.get(name)?.record,
    code: (name, codeSha256) => {
      const zip = functions.get(name)?.zips.get(codeSha256);
      if (zip === undefined) throw new Error(`function ${name} has no code ${codeSha256}`);
      return zip;
    },
    put: async (record, zip) => {
      const known = new Map(functions.get(record.name)?.zips);
      if (zip !== undefined) known.set(codeDigest(zip), zip);
      const wanted = digestsOf(record);
      const zips = new Map([...known].filter(([digest]) => wanted.has(digest)));
      const stored = { record, zips };
      await change(record.name, stored, (directory) => writeFunction(directory, stored));
    },
    delete: (name) => change(name, undefined, removeFunction),
  };
}
