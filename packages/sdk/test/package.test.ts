import { readFileSync } from 'node:fs';

it('the package has the version of the service, its licence, and no dependency', () => {
  const read = (file: string) => JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>;
  const service = read('package.json');
  const sdk = read('packages/sdk/package.json');
  expect([sdk['version'], sdk['license']]).toEqual([service['version'], service['license']]);
  for (const name of ['dependencies', 'peerDependencies', 'optionalDependencies', 'scripts', 'bin'])
    expect(sdk).not.toHaveProperty(name);
});
