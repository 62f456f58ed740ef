import { execFile } from 'node:child_process';
import { cpSync, readdirSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { temporaryFolder } from './run-service.ts';

const run = promisify(execFile);

/** Builds the SDK and packs it as for publishing, outside the repository. Returns the tarball. */
export async function packedSdk(): Promise<string> {
  const folder = temporaryFolder();
  // A separate process builds it, because jest would run the build as CommonJS.
  const tool = (file: string) => JSON.stringify(join(process.cwd(), 'tools', file));
  const program = `import { buildSdk } from ${tool('build-sdk.ts')};
    import { packPackage } from ${tool('publishing/pack-package.ts')};
    await buildSdk(${JSON.stringify(folder)}); packPackage(${JSON.stringify(folder)}, ${JSON.stringify(folder)});`;
  await run(process.execPath, ['--input-type=module', '--eval', program]);
  const tarball = readdirSync(folder).find((file) => file.endsWith('.tgz'));
  if (tarball === undefined) throw new Error('the SDK was not packed');
  return join(folder, tarball);
}

/**
 * A project that has installed the tarball, without a registry: with `files`, or a copy of the
 * folder `from`.
 */
export async function aProject(
  tarball: string,
  { from, files = {} }: { readonly from?: string; readonly files?: Readonly<Record<string, string>> },
): Promise<string> {
  const folder = temporaryFolder();
  if (from !== undefined)
    cpSync(from, folder, { recursive: true, filter: (file) => basename(file) !== 'node_modules' });
  else writeFileSync(join(folder, 'package.json'), '{ "private": true }');
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  await run('npm', ['install', '--offline', '--no-audit', '--no-fund', '--silent', tarball], { cwd: folder });
  return folder;
}
