import { join } from 'node:path';
import type { CdkApp } from '../../packages/local-aws/src/assembly/app-key.ts';
import { SYNTHESIS_INPUTS } from './synthesis-inputs.ts';

export const ROOT = join(import.meta.dirname, '../..');
export const WORK_DIRECTORY = join(ROOT, '.local');

/**
 * Functions and reactors run on this machine, so they are built for it unless `--set` overrides it
 * (lib/build-reactor-layer.ts).
 */
const PLATFORM = {
  architecture: process.arch === 'arm64' ? 'arm64' : 'x86_64',
  ...(process.platform === 'darwin' && { 'cloakroom:reactor-platform': 'darwin' }),
};

/** Errors name pages below this path, which the API redirects to the documentation. */
export const DOCS_PATH = '/docs';
const DOCS = { 'cloakroom:docs-path': DOCS_PATH };

export const localApp = (settings: Readonly<Record<string, string>>): CdkApp => ({
  root: ROOT,
  program: 'bin/cloakroom.ts',
  context: { ...PLATFORM, ...DOCS, ...settings },
  inputs: SYNTHESIS_INPUTS,
});
