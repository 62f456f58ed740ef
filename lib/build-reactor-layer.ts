import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { buildSync } from 'esbuild';
import { AUTHOR_PACKAGES, FIELD_SDK, SDK } from '../src/core/reactors/author-packages.ts';

export type ReactorArchitecture = 'arm64' | 'x86_64';

const ROOT = join(import.meta.dirname, '..');
const NO_PROCESSES = join(ROOT, 'reactor-runtime/packages/no-processes.ts');
const CACHE = join(ROOT, '.cache');

/** The target of a layer: Lambda, or the machine of `npm start` if that is not Linux. */
export type ReactorPlatform = ReactorArchitecture | 'darwin';

/**
 * The npm package of Node 16.20.2 for the platform, and the SHA-256 of the binary: reactors run
 * exactly this binary. There is none for Apple silicon, which runs the one for Intel.
 */
const NODE_16 = {
  arm64: { name: 'linux-arm64', sha256: 'd09c34f17626ab66c8906508a831ea91dab4e5982b20c4d7a567ceaed42121bb' },
  x86_64: {
    name: 'linux-x64',
    sha256: '8440cffda5a21bf7cfda43d2c396f79777585a4c5e03ed2801fe226953a7aa11',
  },
  darwin: {
    name: 'darwin-x64',
    sha256: 'b7b053d3aa4938a18213799c59e27de7df7b1286da07250a3681293285cfca5d',
  },
} as const;

const DAY_MS = 86_400_000;

/** Size and time of a file: hashing 80 MB would be the longest part of a synthesis. */
function stampOf(file: string, sha256: string): string {
  const { size, mtimeMs } = statSync(file);
  return JSON.stringify({ sha256, size, mtimeMs });
}

function isVerified(file: string, sha256: string): boolean {
  if (!existsSync(file)) return false;
  const stampFile = `${file}.stamp`;
  const stamp = stampOf(file, sha256);
  if (existsSync(stampFile) && readFileSync(stampFile, 'utf8') === stamp) return true;
  if (createHash('sha256').update(readFileSync(file)).digest('hex') !== sha256) return false;
  writeFileSync(stampFile, stamp);
  return true;
}

/** The Node 16 of the cache, fetched if it is missing or has another hash. */
function node16(platform: ReactorPlatform): string {
  const { name, sha256 } = NODE_16[platform];
  const file = join(CACHE, `node-16.20.2-${name}`, 'node');
  if (isVerified(file, sha256)) return file;
  execFileSync(process.execPath, [join(ROOT, 'tools/fetch-node-16.ts'), name], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  if (!isVerified(file, sha256)) throw new Error(`${file} is not Node 16.20.2 as it was published`);
  return file;
}

/** The deploy setting `clientCompatibility`. */
type Compatibility = 'strict' | 'lenient';

/** The part of the layer that depends on it (docs/lenient.md). */
const BY_COMPATIBILITY: Readonly<
  Record<Compatibility, readonly (readonly [file: string, source: string])[]>
> = {
  strict: [[`packages/${SDK}.cjs`, './packages/sdk/src/index.ts']],
  lenient: [
    [`packages/${SDK}.cjs`, './reactor-runtime/lenient/sdk.ts'],
    [`packages/${FIELD_SDK}.cjs`, './reactor-runtime/lenient/field-sdk.ts'],
  ],
};

/** The entry points, by the name of the bundle. */
const SOURCES: readonly (readonly [file: string, source: string])[] = [
  ['runtime/loop.cjs', './reactor-runtime/loop/loop.ts'],
  ['runtime/worker.cjs', './reactor-runtime/worker/worker.ts'],
  ...AUTHOR_PACKAGES.flatMap(({ specifiers }) => specifiers).map(
    (specifier) => [`packages/${specifier}.cjs`, specifier] as const,
  ),
];

/**
 * Corrects esbuild's helper that defines exports. The SDK may be loaded after reactor code that has
 * added members to every object.
 */
const OWN_NAMES_ALONE = ['for(var name in all)', 'for(var name of Object.keys(all))'] as const;

/** Bundles of this process, by their sources: a pipeline synthesizes several services. */
const bundles = new Map<string, Uint8Array>();

/**
 * One CommonJS file without dependencies. Names are not minified: authors see names of classes and
 * functions in errors.
 */
function bundle(source: string): Uint8Array {
  const made = bundles.get(source);
  if (made !== undefined) return made;
  const isOurs = source.startsWith('.');
  const { outputFiles } = buildSync({
    absWorkingDir: ROOT,
    // A package keeps the format that `require` returns; the project's own modules become CommonJS.
    ...(isOurs
      ? { entryPoints: [source] }
      : {
          stdin: { contents: `module.exports = require(${JSON.stringify(source)});`, resolveDir: ROOT },
          alias: { child_process: NO_PROCESSES, 'node:child_process': NO_PROCESSES },
        }),
    bundle: true,
    write: false,
    platform: 'node',
    format: 'cjs',
    target: 'node16',
    // Reactor code cannot use import(), so the code around it must not need it either.
    ...(isOurs ? { supported: { 'dynamic-import': false } } : {}),
    minifyWhitespace: true,
    minifySyntax: true,
    legalComments: 'none',
  });
  const [file] = outputFiles;
  if (file === undefined) throw new Error(`${source} was not bundled`);
  const content = isOurs ? Buffer.from(file.text.replace(...OWN_NAMES_ALONE)) : file.contents;
  bundles.set(source, content);
  return content;
}

/** Hard-linked where the file system supports it: 80 MB need not exist twice. */
function place(file: string, to: string): void {
  try {
    linkSync(file, to);
  } catch {
    copyFileSync(file, to);
  }
}

/** Deletes the layers that earlier versions of the source produced. */
function removeOldLayers(layers: string): void {
  for (const name of readdirSync(layers)) {
    const folder = join(layers, name);
    try {
      if (Date.now() - statSync(folder).mtimeMs > DAY_MS) rmSync(folder, { recursive: true, force: true });
    } catch {
      // Another build removed it.
    }
  }
}

/**
 * Builds the layer into `folder`: `bootstrap`, Node 16, the runtime and the packages for reactor
 * code. Equal inputs have an equal `hash`, and reuse the folder of an earlier build.
 */
export function buildReactorLayer(
  platform: ReactorPlatform,
  compatibility: Compatibility = 'strict',
): {
  readonly folder: string;
  readonly hash: string;
} {
  const node = node16(platform);
  const files: (readonly [name: string, content: Uint8Array])[] = [
    ['bootstrap', readFileSync(join(ROOT, 'reactor-runtime/bootstrap'))],
    ...[...SOURCES, ...BY_COMPATIBILITY[compatibility]].map(
      ([file, source]) => [file, bundle(source)] as const,
    ),
  ];
  const hash = createHash('sha256').update(NODE_16[platform].sha256);
  for (const [name, content] of files) {
    hash.update(`${name}\0${String(content.length)}\0`).update(content);
  }
  const digest = hash.digest('hex');

  const layers = join(CACHE, 'reactor-layers', platform);
  const folder = join(layers, digest);
  if (!existsSync(folder)) {
    mkdirSync(layers, { recursive: true });
    removeOldLayers(layers);
    // Two concurrent builds create the same folder; the later rename fails, and nothing is lost.
    const work = mkdtempSync(join(layers, 'build-'));
    for (const [name, content] of files) {
      mkdirSync(dirname(join(work, name)), { recursive: true });
      writeFileSync(join(work, name), content, { mode: name === 'bootstrap' ? 0o755 : 0o644 });
    }
    chmodSync(work, 0o755);
    mkdirSync(join(work, 'bin'));
    place(node, join(work, 'bin/node'));
    // Executable but not readable for other users: the kernel protects a process of such a file
    // from other processes of the same user (proc(5), ptrace(2)).
    chmodSync(join(work, 'bin/node'), 0o711);
    try {
      renameSync(work, folder);
    } catch (error) {
      rmSync(work, { recursive: true, force: true });
      if (!existsSync(folder)) throw error;
    }
  }
  return { folder, hash: digest };
}
