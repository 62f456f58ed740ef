import { randomUUID } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { z } from 'zod';
import { errorCode, errorMessage } from '../error-code.ts';
import { livingProcess, processIdentity } from '../process-alive.ts';
import { storageReason } from '../storage-failure.ts';
import { appKey, type CdkApp } from './app-key.ts';
import { synthesize } from './synthesize.ts';

const cdkJsonSchema = z.object({ context: z.record(z.string(), z.unknown()).default({}) });

export interface SynthesizedApp {
  /** The folder that contains the templates and assets. */
  readonly directory: string;
  /** Node caches the compiled code of the app in this folder. */
  readonly compileCache: string;
  /** Marks the folders as unused by this process. */
  release(): void;
}

export interface OpenOptions {
  /** The folder that contains synthesized apps and the caches of the synthesis. */
  readonly workDirectory: string;
  /** Called before a synthesis, which takes seconds. */
  readonly onSynthesis?: () => void;
  readonly signal?: AbortSignal;
}

/** How many unused apps are cached: an app takes some 90 MB. */
const CACHED_APPS = 2;
const APP = 'app';
/** This file is next to the app, and lists its files and their sizes. */
const LISTING = 'files';
/** Prefixes of marks and folders of a process, whose identity follows. */
const USED_BY = 'used-by-';
const UNFINISHED = 'unfinished-';

/** The context that the CDK's command line would pass: feature flags change templates. */
function projectContext(root: string): Readonly<Record<string, unknown>> {
  const file = join(root, 'cdk.json');
  if (!existsSync(file)) return {};
  return cdkJsonSchema.parse(JSON.parse(readFileSync(file, 'utf8'))).context;
}

/** Whether a process runs the app; removes marks of ended processes. */
function isUsed(folder: string): boolean {
  const marks = readdirSync(folder).filter((name) => name.startsWith(USED_BY));
  const dead = marks.filter((name) => livingProcess(name.slice(USED_BY.length)) === undefined);
  for (const name of dead) rmSync(join(folder, name), { force: true });
  return dead.length < marks.length;
}

/** Renamed first: a concurrent start finds a complete app or none. */
function removeUnused(folder: string): void {
  const aside = join(dirname(folder), `${UNFINISHED}${processIdentity()}-${randomUUID()}`);
  try {
    if (isUsed(folder)) return;
    renameSync(folder, aside);
    if (isUsed(aside)) renameSync(aside, folder);
    else rmSync(aside, { recursive: true, force: true });
  } catch (error) {
    // Another start removes it too, or has already replaced it.
    if (!['ENOENT', 'ENOTEMPTY', 'EEXIST'].includes(String(errorCode(error)))) throw error;
  }
}

function lastUse(folder: string): number {
  return statSync(folder, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

/** Removes incomplete apps of killed starts, and all but the most recently used. */
function removeOld(apps: string): void {
  const names = readdirSync(apps);
  for (const name of names.filter((each) => each.startsWith(UNFINISHED)))
    if (livingProcess(name.slice(UNFINISHED.length)) === undefined)
      rmSync(join(apps, name), { recursive: true, force: true });
  const whole = names.filter((name) => /^[0-9a-f]{64}$/.test(name)).map((name) => join(apps, name));
  const oldestFirst = whole.toSorted((a, b) => lastUse(a) - lastUse(b));
  for (const folder of oldestFirst.slice(0, -CACHED_APPS)) removeUnused(folder);
}

function listing(app: string): string {
  const files = readdirSync(app, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
  const lines = files.map((file) => `${relative(app, file)} ${String(statSync(file).size)}\n`);
  return lines.toSorted().join('');
}

/** An app may be incomplete after a power cut. */
function isWhole(folder: string): boolean {
  try {
    return readFileSync(join(folder, LISTING), 'utf8') === listing(join(folder, APP));
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return false;
    throw error;
  }
}

/** `undefined` if there is no such app, or another start is about to remove it. */
function take(folder: string): SynthesizedApp | undefined {
  const mark = join(folder, `${USED_BY}${processIdentity()}-${randomUUID()}`);
  const release = (): void => {
    rmSync(mark, { force: true });
  };
  try {
    utimesSync(folder, new Date(), new Date());
    writeFileSync(mark, '');
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
  if (isWhole(folder))
    return { directory: join(folder, APP), compileCache: join(folder, 'compile-cache'), release };
  release();
  if (existsSync(folder) && isUsed(folder))
    throw new Error(`${folder} is damaged: stop the service that runs it, and remove it`);
  rmSync(folder, { recursive: true, force: true });
  return undefined;
}

/** Moves a complete app into place atomically; the same app of another start is as good. */
function publish(work: string, folder: string): void {
  writeFileSync(join(work, LISTING), listing(join(work, APP)));
  try {
    renameSync(work, folder);
  } catch (error) {
    if (errorCode(error) !== 'ENOTEMPTY' && errorCode(error) !== 'EEXIST') throw error;
  }
}

async function open(app: CdkApp, options: OpenOptions, apps: string): Promise<SynthesizedApp> {
  const context = { ...projectContext(app.root), ...app.context };
  const folder = join(apps, appKey(app, context, process.env));
  const cached = take(folder);
  if (cached !== undefined) return cached;

  options.onSynthesis?.();
  removeOld(apps);
  const work = mkdtempSync(join(apps, `${UNFINISHED}${processIdentity()}-`));
  try {
    const { root, program, build } = app;
    const { signal, workDirectory } = options;
    mkdirSync(join(work, APP));
    await synthesize({
      root,
      program,
      ...(build !== undefined && { build }),
      context,
      directory: join(work, APP),
      compileCache: join(workDirectory, 'compile-cache'),
      ...(signal !== undefined && { signal }),
    });
    // A file saved in the meantime may or may not be in it: such an app has no key.
    if (join(apps, appKey(app, context, process.env)) === folder) publish(work, folder);
    return take(folder) ?? (await open(app, options, apps));
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/**
 * The templates and assets of a CDK app: cached from an earlier start with equal inputs, or
 * synthesized now. Rejects like {@link synthesize}. Several starts may call it concurrently.
 */
export async function openSynthesizedApp(app: CdkApp, options: OpenOptions): Promise<SynthesizedApp> {
  const apps = join(options.workDirectory, 'apps');
  try {
    mkdirSync(apps, { recursive: true, mode: 0o700 });
    return await open(app, options, apps);
  } catch (error) {
    // The disk caused the error, not the app.
    const isOfDisk = errorCode(error) !== undefined || /no space left on device/i.test(errorMessage(error));
    throw isOfDisk && options.signal?.aborted !== true
      ? new Error(storageReason(options.workDirectory, error), { cause: error })
      : error;
  }
}
