import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { NO_PLACE, placeOf, readAssembly } from '../../src/assembly/read-assembly.ts';
import { startResources } from '../../src/assembly/start-resources.ts';

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
    artifacts: {
      Api: { ...stackOf('Api'), dependencies: ['Api.assets'] },
      'Api.assets': { type: 'cdk:asset-manifest', properties: { file: 'A.json' } },
    },
  });
  write('Api.json', {});
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

it('stacks that are left out need not run here, nor their assets', async () => {
  write('manifest.json', {
    artifacts: {
      Shop: { ...stackOf('Shop'), dependencies: ['Shop.assets'] },
      'Shop.assets': { type: 'cdk:asset-manifest', properties: { file: 'images.json' } },
      Api: { ...stackOf('Api'), dependencies: ['Shop'] },
    },
  });
  write('Shop.json', {});
  write('images.json', { dockerImages: { abc: {} } });
  write('Api.json', {
    Outputs: { Read: { Value: { 'Fn::GetStackOutput': { StackName: 'Shop', OutputName: 'Arn' } } } },
  });
  await expect(readAssembly(directory)).rejects.toThrow('container image assets do not run locally');
  const assembly = await readAssembly(directory, {
    select: (stacks) => stacks.filter(({ name }) => name === 'Api'),
  });
  expect(assembly).toMatchObject({ stacks: [{ name: 'Api' }], leftOut: ['Shop'] });
  const { outputs } = startResources(assembly, { ...NO_PLACE, baseUrl: '', awsEndpointUrl: '' }, []);
  expect([...outputs]).toEqual([['Read', 'Shop.Arn']]);
});

describe('an app with stages', () => {
  const stage = (name: string): object => ({
    type: 'cdk:cloud-assembly',
    properties: { directoryName: `assembly-${name}`, displayName: `Pipeline/${name}` },
  });

  /** Writes a pipeline whose stages deploy these stacks. */
  function writePipeline(stages: Readonly<Record<string, readonly string[]>>): void {
    const artifacts = Object.keys(stages).map((name) => [`assembly-${name}`, stage(name)]);
    write('manifest.json', {
      artifacts: { Pipeline: stackOf('Pipeline'), ...Object.fromEntries(artifacts) },
    });
    write('Pipeline.json', {});
    for (const [name, stacks] of Object.entries(stages)) {
      const folder = `assembly-${name}`;
      mkdirSync(join(directory, folder));
      const environment = `aws://${name === 'Testing' ? '111111111111' : 'unknown-account'}/eu-west-1`;
      write(`${folder}/manifest.json`, {
        artifacts: {
          ...Object.fromEntries(
            stacks.map((each) => [each, { ...stackOf(each), environment, dependencies: ['Assets'] }]),
          ),
          Assets: { type: 'cdk:asset-manifest', properties: { file: 'A.json' } },
        },
      });
      for (const each of stacks) write(`${folder}/${each}.json`, {});
      const file = {
        source: { path: name, packaging: 'zip' },
        destinations: { here: { objectKey: 'abc.zip' } },
      };
      write(`${folder}/A.json`, { files: { abc: file } });
    }
  }

  it('has their stacks too, with their accounts and Regions', async () => {
    writePipeline({ Testing: ['A'], Production: ['B'] });
    const { stacks } = await readAssembly(directory);
    expect(stacks.map(({ name, account, region }) => [name, account, region])).toEqual([
      ['Pipeline', undefined, undefined],
      ['A', '111111111111', 'eu-west-1'],
      ['B', undefined, 'eu-west-1'],
    ]);
  });

  it.each(['Production', 'Pipeline/Production'])('has those of one stage by name: %s', async (name) => {
    writePipeline({ Testing: ['A'], Production: ['A', 'B'] });
    const { stacks, assets } = await readAssembly(directory, { stage: name });
    expect(stacks.map((each) => each.name)).toEqual(['A', 'B']);
    expect([...assets]).toEqual([['abc.zip', join(directory, 'assembly-Production', 'Production')]]);
  });

  it('names the stages if two have the same stack, or if none has the name', async () => {
    writePipeline({ Testing: ['A'], Production: ['A'] });
    await expect(readAssembly(directory)).rejects.toThrow(
      'has the stack A in several stages; name one: Pipeline/Testing, Pipeline/Production',
    );
    await expect(readAssembly(directory, { stage: 'duction' })).rejects.toThrow(
      'has no stage duction; it has: Pipeline/Testing, Pipeline/Production',
    );
  });
});

it('an app runs in the account and Region that most of its stacks name', () => {
  const account = '123456789012';
  const here = { account, region: 'eu-west-1' };
  const ofCloudFront = { account, region: 'us-east-1' };
  expect(placeOf([here, ofCloudFront, here])).toEqual({ accountId: account, region: 'eu-west-1' });
  expect(placeOf([{}, {}, { region: 'eu-west-1' }])).toEqual({
    accountId: '000000000000',
    region: 'eu-west-1',
  });
  expect(placeOf([])).toEqual({ accountId: '000000000000', region: 'us-east-1' });
});

it('rejects a folder without an app', async () => {
  await expect(readAssembly(directory)).rejects.toThrow(/cannot read .*manifest\.json/);
});
