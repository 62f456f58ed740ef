/**
 * The parts of the assets, each with the files that it is built of, besides packages. The build
 * refuses another one (tools/build-assets.ts): a change of it would leave old assets unnoticed.
 */
export const ASSET_PARTS = {
  functions: ['functions', 'src', 'tools/assets/bundle.ts', 'tools/assets/functions.ts'],
  'reactor-layer': [
    'lib/reactor-layer.ts',
    'packages/sdk/package.json',
    'packages/sdk/src',
    'reactor-runtime',
    'src/core',
    'tools/assets/reactor-layer.ts',
  ],
  console: ['console', 'packages/sdk/src', 'src/core', 'tools/build-console.ts', 'tools/publishing'],
  fields: [
    'lib/fields-site.ts',
    'packages/fields/headers.ts',
    'packages/fields/package.json',
    'packages/fields/src',
    'packages/sdk/src',
    'src/core',
    'tools/build-fields-site.ts',
    'tools/publishing',
  ],
} as const;

export type AssetPart = keyof typeof ASSET_PARTS;

/** Every part depends on these. */
export const COMMON_INPUTS = [
  // The packages that are installed: after a pull they may not be those of the lockfile yet.
  'node_modules/.package-lock.json',
  'package-lock.json',
  'package.json',
  'tools/build-assets.ts',
  'tools/tsconfig.base.json',
  'tsconfig.json',
] as const;
