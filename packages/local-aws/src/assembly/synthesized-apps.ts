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
import { join } from 'node:path';
import { z } from 'zod';
import { errorCode } from '../error-code.ts';
import { isAlive } from '../process-alive.ts';
import { appKey, type CdkApp } from './app-key.ts';
import { synthesize } from './synthesize.ts';

const cdkJsonSchema = z.object({ context: z.record(z.string(), z.unknown()).default({}) });

export interface SynthesizedApp {
  /** The folder of the templates and assets. */
  readonly directory: string;
  /** Where Node may keep what it compiled of the app's code. */
  readonly compileCache: string;
  /** Says that this process needs the folders no longer. */
  release(): void;
}

export interface OpenOptions {
  /** Holds the synthesized apps, and what makes a synthesis quicker. */
  readonly workDirectory: string;
  /** Told before a synthesis, which takes seconds. */
  readonly onSynthesis?: () => void;
  readonly signal?: AbortSignal;
}

/** So many apps are kept, those aside that a process runs: an app takes some 90 MB. */
const KEPT_APPS = 2;
const APP = 'app';
const USED_BY = 'used-by-';

/** The context that the CDK's command line would hand on: feature flags change templates. */
function projectContext(root: string): Readonly<Record<string, unknown>> {
  const file = join(root, 'cdk.json');
  if (!existsSync(file)) return {};
  return cdkJsonSchema.parse(JSON.parse(readFileSync(file, 'utf8'))).context;
}

function processIn(name: string, prefix: string): number | undefined {
  return name.startsWith(prefix) ? Number.parseInt(name.slice(prefix.length), 10) : undefined;
}

function isUsed(folder: string): boolean {
  return readdirSync(folder).some((name) => {
    const pid = processIn(name, USED_BY);
    return pid !== undefined && isAlive(pid);
  });
}

/** Renamed first: a start that comes in between finds all of an app or nothing. */
function removeUnused(folder: string, aside: string): void {
  try {
    if (isUsed(folder)) return;
    renameSync(folder, aside);
    if (isUsed(aside)) renameSync(aside, folder);
    else rmSync(aside, { recursive: true, force: true });
  } catch (error) {
    // Another start removes it as well.
    if (errorCode(error) !== 'ENOENT') throw error;
  }
}

function lastUse(folder: string): number {
  return statSync(folder, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

/** Removes what killed starts left half made, and all but the apps that were used last. */
function removeOld(apps: string): void {
  const names = readdirSync(apps);
  for (const name of names) {
    const pid = processIn(name, 'new-') ?? processIn(name, 'old-');
    if (pid !== undefined && !isAlive(pid)) rmSync(join(apps, name), { recursive: true, force: true });
  }
  const whole = names.filter((name) => /^[0-9a-f]{64}$/.test(name)).map((name) => join(apps, name));
  const oldestFirst = whole.toSorted((a, b) => lastUse(a) - lastUse(b));
  for (const folder of oldestFirst.slice(0, -KEPT_APPS))
    removeUnused(folder, join(apps, `old-${String(process.pid)}-${randomUUID()}`));
}

/** `undefined` if there is no such app, or another start is about to remove it. */
function take(folder: string): SynthesizedApp | undefined {
  const mark = join(folder, `${USED_BY}${String(process.pid)}-${randomUUID()}`);
  try {
    utimesSync(folder, new Date(), new Date());
    writeFileSync(mark, '');
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
  if (!existsSync(mark)) return undefined;
  return {
    directory: join(folder, APP),
    compileCache: join(folder, 'compile-cache'),
    release: () => {
      rmSync(mark, { force: true });
    },
  };
}

/** Puts a whole app in its place at once; the same app of another start is as good. */
function publish(work: string, folder: string): void {
  try {
    renameSync(work, folder);
  } catch (error) {
    if (errorCode(error) !== 'ENOTEMPTY' && errorCode(error) !== 'EEXIST') throw error;
  }
}

/**
 * A CDK app as templates and assets: what an earlier start synthesized out of equal inputs, or the
 * result of a synthesis. Rejects as {@link synthesize} does. Several starts may ask at once.
 */
export async function openSynthesizedApp(app: CdkApp, options: OpenOptions): Promise<SynthesizedApp> {
  const apps = join(options.workDirectory, 'apps');
  mkdirSync(apps, { recursive: true, mode: 0o700 });
  const context = { ...projectContext(app.root), ...app.context };
  const folder = join(apps, appKey(app, context, process.env));
  const kept = take(folder);
  if (kept !== undefined) return kept;

  options.onSynthesis?.();
  removeOld(apps);
  const work = mkdtempSync(join(apps, `new-${String(process.pid)}-`));
  try {
    const { root, program } = app;
    const { signal, workDirectory } = options;
    mkdirSync(join(work, APP));
    await synthesize({
      root,
      program,
      context,
      directory: join(work, APP),
      compileCache: join(workDirectory, 'compile-cache'),
      ...(signal !== undefined && { signal }),
    });
    // A file that was saved meanwhile may be in it or not: such an app has no key.
    if (join(apps, appKey(app, context, process.env)) !== folder)
      return await openSynthesizedApp(app, options);
    publish(work, folder);
    return take(folder) ?? (await openSynthesizedApp(app, options));
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}
