// `npm run build -- testing`: builds the package `@cloakroom/testing` into `packages/testing/dist`
// and packs it into `packages/testing/cloakroom-testing-<version>.tgz`.
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build, type BuildOptions, type Plugin } from 'esbuild';
import { filesOf, noticesOf, noticesText } from './publishing/third-party.ts';
import { writeDeclarations } from './publishing/declarations.ts';
import { loadLater } from './assets/bundle.ts';
import { packPackage } from './publishing/pack-package.ts';
import { writePackageTexts } from './publishing/package-texts.ts';

const root = join(import.meta.dirname, '..');
const testing = join(root, 'packages/testing');
const source = join(testing, 'src');
const SDK = '@cloakroom/sdk';

/** The package depends on the SDK, so that a test knows the errors of its clients. */
const sdkOfTheTest: Plugin = {
  name: 'sdk-of-the-test',
  setup(building) {
    building.onResolve({ filter: /\/sdk\/src\/index\.ts$/ }, () => ({ path: SDK, external: true }));
  },
};

const AWS_SDK = join(source, 'bundle/aws-sdk.ts');
const LOGGING = join(source, 'bundle/logging.ts');

const OPTIONS: BuildOptions = {
  absWorkingDir: root,
  bundle: true,
  platform: 'node',
  format: 'cjs',
  target: 'node20',
  mainFields: ['module', 'main'],
  minifySyntax: true,
  minifyWhitespace: true,
  legalComments: 'none',
  define: { 'import.meta.filename': '__filename' },
};

/** Packages that most vaults do not need, or not at their start. Each is a file of its own. */
const LOADED_LATER = ['acorn', 'fflate', 'ipaddr.js', 'json-p3', 'liquidjs', 're2js'];

/** `index.cjs`, and the thread of reactors next to it, which has the SDK in it. */
const BUILDS: readonly BuildOptions[] = [
  {
    entryPoints: [join(source, 'index.ts')],
    outfile: 'index.cjs',
    define: { ...OPTIONS.define, 'process.nextTick': 'nextTick' },
    inject: [join(source, 'bundle/real-timers.ts')],
    alias: {
      '@aws-sdk/client-dynamodb': AWS_SDK,
      '@aws-sdk/client-kms': AWS_SDK,
      '@aws-sdk/client-lambda': AWS_SDK,
      '@aws-sdk/client-sqs': AWS_SDK,
      '@aws-sdk/lib-dynamodb': AWS_SDK,
      '@smithy/node-http-handler': AWS_SDK,
      '@aws-lambda-powertools/logger': LOGGING,
      '@aws-lambda-powertools/metrics': LOGGING,
    },
    plugins: [sdkOfTheTest],
    external: [...LOADED_LATER],
    banner: { js: loadLater(LOADED_LATER) },
  },
  ...LOADED_LATER.map((name) => ({
    stdin: { contents: `export * from '${name}';`, resolveDir: root },
    outfile: `${name}.cjs`,
    // Errors show no names of theirs.
    minifyIdentifiers: true,
  })),
  { entryPoints: [join(source, 'reactors/reactor-thread.ts')], outfile: 'reactor-thread.cjs' },
];

/** One build is CommonJS, and ES modules import it: a program that has both has one vault. */
const WRAPPER = `import testing from './index.cjs';
export const { createVault, vaultMatchers } = testing;
`;

/**
 * Declarations that add the matchers to those of a runner. They are texts, since a file of the
 * repository would add them here.
 */
const MATCHER_TYPES: Readonly<Record<string, string>> = {
  jest: `import type { VaultMatchers } from './index.js';
declare global {
  namespace jest {
    interface Matchers<R, T> extends VaultMatchers<R> {}
  }
}
declare module 'expect' {
  interface Matchers<R extends void | Promise<void>, T> extends VaultMatchers<R> {}
}
`,
  vitest: `import type { VaultMatchers } from './index.js';
declare module 'vitest' {
  interface Matchers<R extends void | Promise<void>, T> extends VaultMatchers<R> {}
}
`,
  // Before version 5 vitest had other parameters, and took the matchers of jest.
  'vitest-4': `import type { VaultMatchers } from './index.js';
declare global {
  namespace jest {
    interface Matchers<R, T> extends VaultMatchers<R> {}
  }
}
`,
};

/**
 * Builds the package into `folder`, which then contains everything that `npm pack` needs.
 * `packages/testing/` itself is such a folder.
 */
export async function buildTesting(folder: string): Promise<void> {
  const dist = join(folder, 'dist');
  rmSync(dist, { recursive: true, force: true });
  const built = await Promise.all(
    BUILDS.map(({ outfile = '', ...options }) =>
      build({ ...OPTIONS, ...options, metafile: true, outfile: join(dist, outfile) }),
    ),
  );
  const files = built.flatMap(({ metafile }) => filesOf(metafile));
  writeFileSync(join(dist, 'THIRD-PARTY-NOTICES.txt'), noticesText(noticesOf(files)));
  writeFileSync(join(dist, 'index.js'), WRAPPER);
  writeFileSync(join(dist, 'types-only.js'), 'export {};\n');
  writeFileSync(join(dist, 'types-only.cjs'), '');
  const types = join(dist, 'types');
  writeDeclarations(testing, types, {
    isStated: true,
    rewrite: (text) => text.replaceAll('../../sdk/src/index.ts', SDK),
  });
  for (const [runner, text] of Object.entries(MATCHER_TYPES))
    for (const [extension, index] of [
      ['ts', './index.js'],
      ['cts', './index.cjs'],
    ] as const)
      writeFileSync(join(types, `${runner}.d.${extension}`), text.replace('./index.js', index));
  writePackageTexts(testing, folder);
}

if (process.argv[1] === import.meta.filename) {
  await buildTesting(testing);
  console.log(packPackage(testing, testing));
}
