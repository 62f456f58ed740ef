import { createHash } from 'node:crypto';
import { packageOf, writeBundle, type BundleContent } from '../../../src/core/reactors/package-bundle.ts';

const integrityOf = (text: string) => `sha512-${createHash('sha512').update(text).digest('base64')}`;

/** An entry of a lock, as npm writes it. */
export const aLocked = (name: string, version: string) => ({
  version,
  resolved: `https://registry.npmjs.org/${name}/-/${name.split('/').pop() ?? ''}-${version}.tgz`,
  integrity: integrityOf(`${name}@${version}`),
  license: 'MIT',
});

/** The code of each package is the body of a CommonJS module, by the name that is required. */
export type PackageCodes = Readonly<Record<string, string>>;

/** The text of packages, one in a line, and the places where each begins. */
function textOf(codes: PackageCodes): Pick<BundleContent, 'code' | 'places' | 'specifiers'> {
  const specifiers = Object.keys(codes);
  const lines = specifiers.map(
    (name) =>
      `${JSON.stringify(name)}: () => own(${JSON.stringify(name)}, function (exports, module) { ${codes[name] ?? ''}\n}),`,
  );
  return {
    specifiers,
    code: `var made = {}; function own(name, run) { if (made[name]) return made[name].exports; var module = made[name] = { exports: {} }; try { run(module.exports, module); } catch (error) { delete made[name]; throw error; } return module.exports; } module.exports = {\n${lines.join('\n')}\n};`,
    places: specifiers.map((name, at) => [2 + at * 2, 1, packageOf(name)]),
  };
}

/** The members of a bundle of packages, all in version 1.0.0. */
export function bundleContent(codes: PackageCodes, more: Partial<BundleContent> = {}): BundleContent {
  const names = Object.keys(codes).map(packageOf);
  const dependencies = Object.fromEntries(names.map((name) => [name, '^1.0.0']));
  return {
    version: 1,
    image: 'node16',
    esbuild: '0.28.2',
    manifest: { dependencies },
    lock: {
      lockfileVersion: 3,
      packages: {
        '': { dependencies },
        ...Object.fromEntries(names.map((name) => [`node_modules/${name}`, aLocked(name, '1.0.0')])),
      },
    },
    ...textOf(codes),
    ...more,
  };
}

/** The packages that a request gives a reactor. */
export async function aPackageBundle(codes: PackageCodes, more: Partial<BundleContent> = {}) {
  const { base64, bundle } = await writeBundle(bundleContent(codes, more));
  return { base64, bundle, dependencies: bundle.dependencies, digest: bundle.digest };
}
