import { execFile } from 'node:child_process';
import { cpSync, readdirSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { temporaryFolder } from './run-service.ts';

const run = promisify(execFile);

const BUILDS = {
  cdk: ['build-cdk.ts', 'buildCdk'],
  cli: ['build-cli.ts', 'buildCli'],
  fields: ['build-fields.ts', 'buildFields'],
  sdk: ['build-sdk.ts', 'buildSdk'],
  testing: ['build-testing.ts', 'buildTesting'],
} as const;

type PackageName = keyof typeof BUILDS;

/** The tarballs that a whole run has packed for all its suites. */
const packedBefore = (name: PackageName): string | undefined =>
  (JSON.parse(process.env['CLOAKROOM_TARBALLS'] ?? '{}') as Partial<Record<PackageName, string>>)[name];

/** Packs all packages for the suites of a whole run, four of which would build the SDK. */
export async function packForAll(): Promise<void> {
  const names = Object.keys(BUILDS) as PackageName[];
  const packed = await Promise.all(names.map(async (name) => [name, await packedPackage(name)]));
  process.env['CLOAKROOM_TARBALLS'] = JSON.stringify(Object.fromEntries(packed));
}

/** Builds a package and packs it as for publishing, outside the repository. Returns the tarball. */
export async function packedPackage(name: PackageName): Promise<string> {
  const before = packedBefore(name);
  if (before !== undefined) return before;
  const [file, build] = BUILDS[name];
  const folder = temporaryFolder();
  // A separate process builds it, because jest would run the build as CommonJS.
  const tool = (path: string) => JSON.stringify(join(process.cwd(), 'tools', path));
  const program = `import { ${build} } from ${tool(file)};
    import { packPackage } from ${tool('publishing/pack-package.ts')};
    await ${build}(${JSON.stringify(folder)}); packPackage(${JSON.stringify(folder)}, ${JSON.stringify(folder)});`;
  await run(process.execPath, ['--input-type=module', '--eval', program]);
  const tarball = readdirSync(folder).find((each) => each.endsWith('.tgz'));
  if (tarball === undefined) throw new Error(`${name} was not packed`);
  return join(folder, tarball);
}

export const packedSdk = (): Promise<string> => packedPackage('sdk');

/**
 * A project that has installed the tarballs, without a registry: with `files`, or a copy of the
 * folder `from`.
 */
export async function aProject(
  tarballs: string | readonly string[],
  { from, files = {} }: { readonly from?: string; readonly files?: Readonly<Record<string, string>> },
): Promise<string> {
  const folder = temporaryFolder();
  if (from !== undefined)
    cpSync(from, folder, { recursive: true, filter: (file) => basename(file) !== 'node_modules' });
  else writeFileSync(join(folder, 'package.json'), '{ "private": true }');
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  const install = ['install', '--offline', '--no-audit', '--no-fund', '--silent'];
  await run('npm', [...install, ...[tarballs].flat()], { cwd: folder });
  return folder;
}
