import { createRequire } from 'node:module';
import { compileFunction } from 'node:vm';
import { build } from 'esbuild';
import type * as sdk from '../src/index.ts';

/** The SDK as it ships, in CommonJS, which this test can load. */
export async function bundled(platform: 'node' | 'browser'): Promise<typeof sdk> {
  const { outputFiles } = await build({
    // esbuild remembers the folder in which it was first loaded, which may be that of another test.
    absWorkingDir: process.cwd(),
    entryPoints: ['packages/sdk/src/index.ts'],
    bundle: true,
    write: false,
    format: 'cjs',
    platform,
    supported: { 'dynamic-import': false },
    plugins: [
      {
        name: 'for-browsers',
        setup(building) {
          const path = `${process.cwd()}/packages/sdk/src/platform.browser.ts`;
          if (platform === 'browser') building.onResolve({ filter: /^\.\/platform\.ts$/ }, () => ({ path }));
        },
      },
    ],
  });
  const module = { exports: {} };
  compileFunction(outputFiles[0]?.text ?? '', ['module', 'require'])(module, createRequire(import.meta.url));
  return module.exports as typeof sdk;
}
