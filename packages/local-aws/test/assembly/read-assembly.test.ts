import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readAssembly } from '../../src/assembly/read-assembly.ts';

let directory: string;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'assembly-'));
});

afterEach(() => {
  rmSync(directory, { recursive: true });
});

function write(name: string, content: unknown): void {
  writeFileSync(join(directory, name), JSON.stringify(content));
}

const stackOf = (name: string, dependencies: readonly string[] = []): object => ({
  type: 'aws:cloudformation:stack',
  dependencies,
  properties: { templateFile: `${name}.json` },
});

it('stacks come after their dependencies', async () => {
  write('manifest.json', { artifacts: { Api: stackOf('Api', ['Data']), Data: stackOf('Data') } });
  write('Api.json', { Resources: { A: { Type: 'A::Thing' } } });
  write('Data.json', {});
  const { stacks } = await readAssembly(directory);
  expect(stacks.map(({ name }) => name)).toEqual(['Data', 'Api']);
  expect(stacks[1]?.template.Resources['A']).toEqual({ Type: 'A::Thing', Properties: {} });
});

it('a stack may have another name than its artifact', async () => {
  const artifact = {
    type: 'aws:cloudformation:stack',
    properties: { templateFile: 'T.json', stackName: 'cloakroom' },
  };
  write('manifest.json', { artifacts: { Api: artifact } });
  write('T.json', {});
  expect((await readAssembly(directory)).stacks[0]?.name).toBe('cloakroom');
});

it('assets are found by the S3 key in templates', async () => {
  write('manifest.json', {
    artifacts: { 'Api.assets': { type: 'cdk:asset-manifest', properties: { file: 'A.json' } } },
  });
  write('A.json', {
    files: {
      abc: {
        source: { path: 'asset.abc', packaging: 'zip' },
        destinations: { here: { objectKey: 'abc.zip' } },
      },
    },
  });
  expect((await readAssembly(directory)).assets).toEqual(
    new Map([['abc.zip', join(directory, 'asset.abc')]]),
  );
});

it.each([
  ['a folder without an app', {}, /cannot read .*manifest\.json/],
  ['stages', { 'manifest.json': { artifacts: { Prod: { type: 'cdk:cloud-assembly' } } } }, /stages .*: Prod/],
  [
    'container images',
    {
      'manifest.json': { artifacts: { A: { type: 'cdk:asset-manifest', properties: { file: 'A.json' } } } },
      'A.json': { dockerImages: { img: {} } },
    },
    /container image assets do not run locally: img/,
  ],
])('rejects %s', async (_what, files: Record<string, unknown>, message) => {
  for (const [name, content] of Object.entries(files)) write(name, content);
  await expect(readAssembly(directory)).rejects.toThrow(message);
});
