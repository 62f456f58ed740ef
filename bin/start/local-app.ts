import { join } from 'node:path';
import type { CdkApp } from '../../packages/local-aws/src/assembly/app-key.ts';
import { SYNTHESIS_INPUTS } from './synthesis-inputs.ts';

export const ROOT = join(import.meta.dirname, '../..');
export const WORK_DIRECTORY = join(ROOT, '.local');

/** People write it before its options. */
export const START = 'npm start --';

/** Builds the assets that a synthesis and the pages of a start read, by its path from the root. */
export const ASSETS_BUILD = 'tools/build-assets.ts';

/** Functions and reactors run on this machine, so they are for it unless `--set` overrides it. */
const ARCHITECTURE = process.arch === 'arm64' ? 'arm64' : 'x86_64';
const PLATFORM = {
  architecture: ARCHITECTURE,
  ...(process.platform === 'darwin' && { 'cloakroom:reactor-platform': 'darwin' }),
};

/** Node takes compiled code from here without a check. */
export const compileCache = (): string => join(WORK_DIRECTORY, 'compile-cache');

/** Errors name pages below this path, which the API redirects to the documentation. */
export const DOCS_PATH = '/docs';
const DOCS = { 'cloakroom:docs-path': DOCS_PATH };

type Settings = Readonly<Record<string, string>>;

/** The parts that a synthesis with these settings reads, and the Node of its reactors. */
const buildOf = ({ architecture = ARCHITECTURE, ...settings }: Settings): readonly string[] => [
  ASSETS_BUILD,
  'functions',
  'reactor-layer',
  ...(['console', 'fields'] as const).filter((site) => (settings[site] ?? '') !== ''),
  '--node',
  process.platform === 'darwin' ? 'darwin' : architecture,
];

/** A package refuses settings that its built app cannot have; here every one has its effect. */
export const refusalOf = (_setting: string): string | undefined => undefined;

export const localApp = (settings: Settings): CdkApp => ({
  root: ROOT,
  build: buildOf(settings),
  program: 'bin/cloakroom.ts',
  context: { ...PLATFORM, ...DOCS, ...settings },
  inputs: SYNTHESIS_INPUTS,
});
