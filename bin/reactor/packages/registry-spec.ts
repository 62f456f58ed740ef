import { isPackageName } from '../../../src/core/reactors/package-bundle.ts';

/** It matches a range, a version or a tag: no address, folder or file (npm-package-arg). */
const RANGE = /^(?!\.)[\w.*^~<>=|+\- ]{0,200}$/;
const FILE = /\.(?:tgz|tar|tar\.gz)$/i;
const ALIAS = /^npm:((?:@[^@/]+\/)?[^@/]+)(?:@(.*))?$/;

/** Whether npm takes it from a registry. It runs git for another, or reads a file or folder. */
export function isOfRegistry(spec: string): boolean {
  const [, name, range] = ALIAS.exec(spec) ?? [];
  if (name !== undefined) return isPackageName(name) && isOfRegistry(range ?? '');
  return RANGE.test(spec) && !FILE.test(spec);
}
