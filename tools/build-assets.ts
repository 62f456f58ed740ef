// `npm run build -- assets [PART...] [--node PLATFORM]`: what a synthesis reads (lib/assets.ts),
// built of the sources into `.cache/assets`. cdk.json runs it before each synthesis. A part that
// is built of the present sources is not built again. Without `--node` it fetches the Node of
// reactors for both architectures of Lambda.
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Metafile } from 'esbuild';
import { folderOfSources } from '../lib/asset-folder.ts';
import { ASSET_PARTS, COMMON_INPUTS, type AssetPart } from '../lib/asset-parts.ts';
import { PLATFORM_NAMES, type ReactorPlatform } from '../lib/reactor-node.ts';
import { fetchReactorNodes } from './assets/reactor-node.ts';
import { endMisused, readArguments } from './read-arguments.ts';

const WEEK_MS = 7 * 86_400_000;
const UNFINISHED = 'unfinished-';

type Builds = Readonly<Record<AssetPart, (folder: string) => Promise<readonly Metafile[]>>>;

/** Loaded by the first build: most synthesis finds everything built. */
const BUILDS: Builds = {
  functions: async (folder) => (await import('./assets/functions.ts')).buildFunctions(folder),
  'reactor-layer': async (folder) => (await import('./assets/reactor-layer.ts')).buildReactorLayer(folder),
  console: async (folder) => {
    const { buildConsole } = await import('./build-console.ts');
    return [(await buildConsole(folder)).metafile];
  },
  fields: async (folder) => (await import('./build-fields-site.ts')).buildFieldsSite(folder),
};

/** Throws for a source whose change would not change the key of the part. */
function checkInputs(part: AssetPart, metafiles: readonly Metafile[]): void {
  const known: readonly string[] = [...COMMON_INPUTS, ...ASSET_PARTS[part]];
  const isKnown = (file: string) =>
    /^(?:.*\/)?node_modules\/|^<|^\(/.test(file) ||
    known.some((path) => file === path || file.startsWith(`${path}/`));
  const unknown = metafiles.flatMap(({ inputs }) => Object.keys(inputs)).find((file) => !isKnown(file));
  if (unknown !== undefined)
    throw new Error(`${part} is built of ${unknown}, which lib/asset-parts.ts does not name`);
}

/** Removes what earlier versions of the sources, and interrupted builds, have left. */
function removeOld(folder: string, current: string): void {
  for (const name of readdirSync(folder)) {
    const each = join(folder, name);
    const { mtimeMs } = statSync(each, { throwIfNoEntry: false }) ?? { mtimeMs: Date.now() };
    if (each !== current && Date.now() - mtimeMs > WEEK_MS) rmSync(each, { recursive: true, force: true });
  }
}

/**
 * Builds a part unless it is built. Two builds at a time make the same folder, and one of them
 * counts.
 */
async function buildPart(part: AssetPart): Promise<void> {
  const folder = folderOfSources(part);
  if (existsSync(folder)) return;
  const parts = dirname(folder);
  mkdirSync(parts, { recursive: true });
  removeOld(parts, folder);
  const work = mkdtempSync(join(parts, UNFINISHED));
  try {
    checkInputs(part, await BUILDS[part](work));
    // A file that was saved in the meantime may or may not be in it: such a build has no key.
    if (folderOfSources(part) === folder) renameSync(work, folder);
    else await buildPart(part);
  } catch (error) {
    if (!existsSync(folder)) throw error;
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/** Builds the parts, and fetches the Node of reactors for the platforms. */
export async function buildAssets(
  parts: readonly AssetPart[] = Object.keys(ASSET_PARTS) as AssetPart[],
  platforms: readonly ReactorPlatform[] = ['arm64', 'x86_64'],
): Promise<void> {
  for (const platform of platforms) await fetchReactorNodes(platform);
  // A part that fails stops no other half-way.
  const ended = await Promise.allSettled(parts.map(buildPart));
  const failed = ended.find((each) => each.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
}

// Also where the folder of the repository is called by another name.
if (import.meta.main) {
  const usage = `npm run build -- assets [${Object.keys(ASSET_PARTS).join('|')}...] [--node ${Object.keys(PLATFORM_NAMES).join('|')}|none]`;
  const { values, positionals } = readArguments(usage, {
    options: { node: { type: 'string', multiple: true } },
    allowPositionals: true,
  });
  const known = <Name extends string>(names: Readonly<Record<Name, unknown>>, asked: readonly string[]) =>
    asked.map((name) => (Object.hasOwn(names, name) ? (name as Name) : endMisused(usage, `no ${name}`)));
  await buildAssets(
    positionals.length > 0 ? known(ASSET_PARTS, positionals) : undefined,
    values.node === undefined
      ? undefined
      : known(
          PLATFORM_NAMES,
          values.node.filter((name) => name !== 'none'),
        ),
  );
}
