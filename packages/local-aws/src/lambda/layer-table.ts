import {
  copyFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { errorCode } from '../error-code.ts';
import { damaged } from '../storage-failure.ts';

/** A version of a layer: the content that `/opt` has on AWS. */
export interface Layer {
  readonly arn: string;
  readonly directory: string;
  readonly description?: string | undefined;
  /** ISO 8601. */
  readonly createdAt?: string | undefined;
  /** Equal for equal content and description, by which a template's version is recognised. */
  readonly key?: string | undefined;
}

/** The versions of layers last as long as the account, since functions run on their own one. */
export interface LayerTable {
  /**
   * Returns the number of the version that a template's resource has: CloudFormation publishes
   * another one if the resource has changed since the last.
   */
  numberOf(layerName: string, key: string): number;
  /** Defines a version, unless the table has it. */
  define(layer: Layer): void;
  find(arn: string): Layer | undefined;
  /** Returns all versions that a layer has, the newest first. */
  versions(layerName: string): readonly Layer[];
  remove(arn: string): void;
}

const FILE = 'layers.json';

const stored = z.array(
  z.object({
    arn: z.string(),
    description: z.string().optional(),
    createdAt: z.string().optional(),
    key: z.string().optional(),
  }),
);

const nameIn = (arn: string): string => arn.split(':').at(-2) ?? '';
const numberIn = (arn: string): number => Number(arn.split(':').at(-1));

/** Links a file, which takes no space, or copies it from another file system. */
function link(from: string, to: string): void {
  try {
    linkSync(from, to);
  } catch (error) {
    if (errorCode(error) !== 'EXDEV' && errorCode(error) !== 'EPERM') throw error;
    copyFileSync(from, to);
  }
}

/** Makes another folder of the same files: the app's own is removed with the app. */
function linkFolder(from: string, to: string): void {
  mkdirSync(to, { recursive: true, mode: 0o755 });
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const source = join(from, entry.name);
    const target = join(to, entry.name);
    if (entry.isDirectory()) linkFolder(source, target);
    else if (entry.isSymbolicLink()) symlinkSync(readlinkSync(source), target);
    else link(source, target);
  }
}

function readLayers(dataDir: string, folderOf: (arn: string) => string): readonly Layer[] {
  const file = join(dataDir, FILE);
  if (!existsSync(file)) return [];
  try {
    const layers = stored.parse(JSON.parse(readFileSync(file, 'utf8')));
    return layers.map((layer) => ({ ...layer, directory: folderOf(layer.arn) }));
  } catch (error) {
    throw damaged(file, 'it does not hold a list of layers', error);
  }
}

/** The layers of an account; those of a folder are in it, and last. */
export function createLayerTable(dataDir?: string): LayerTable {
  const folderOf = (arn: string): string => join(dataDir ?? '', nameIn(arn), String(numberIn(arn)));
  const read = dataDir === undefined ? [] : readLayers(dataDir, folderOf);
  const layers = new Map(read.map((layer) => [layer.arn, layer]));

  const versions = (layerName: string): readonly Layer[] =>
    [...layers.values()]
      .filter(({ arn }) => nameIn(arn) === layerName)
      .toSorted((a, b) => numberIn(b.arn) - numberIn(a.arn));

  function save(): void {
    if (dataDir === undefined) return;
    mkdirSync(dataDir, { recursive: true, mode: 0o700 });
    const file = join(dataDir, FILE);
    const text = JSON.stringify([...layers.values()].map(({ directory: _, ...layer }) => layer));
    writeFileSync(`${file}.new`, text, { mode: 0o600 });
    renameSync(`${file}.new`, file);
  }

  /** A folder without a record is a leftover of a start that was killed. */
  function lasting(layer: Layer): Layer {
    if (dataDir === undefined) return layer;
    const directory = folderOf(layer.arn);
    rmSync(directory, { recursive: true, force: true });
    linkFolder(layer.directory, directory);
    return { ...layer, directory };
  }

  return {
    numberOf: (layerName, key) => {
      const [newest] = versions(layerName);
      if (newest === undefined) return 1;
      return numberIn(newest.arn) + (newest.key === key ? 0 : 1);
    },
    define: (layer) => {
      if (layers.has(layer.arn)) return;
      layers.set(layer.arn, lasting(layer));
      save();
    },
    find: (arn) => layers.get(arn),
    versions,
    remove: (arn) => {
      if (dataDir !== undefined && layers.has(arn)) rmSync(folderOf(arn), { recursive: true, force: true });
      layers.delete(arn);
      save();
    },
  };
}
