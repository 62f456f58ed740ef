// Tests the pipelines of examples/pipeline.
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import type { Stack } from '../../packages/local-aws/src/assembly/read-assembly.ts';
import { describeFinding } from '../../packages/local-aws/src/deployment/finding.ts';
import { playDeployment } from '../../packages/local-aws/src/deployment/play-deployment.ts';
import { synthesis } from '../support/synthesis.ts';
import { PIPELINES } from '../support/template-settings.ts';
import { synthesized } from '../support/synthesized.ts';

const [whole, ...wrong] = synthesis('pipelines', ...PIPELINES);

/** Reads the actions of the pipeline in their order, and the stacks of its stages. */
function synthesizedPipeline() {
  const { template, stacks } = whole as any;
  const { Stages } = Object.values<any>(template.Resources).find(
    ({ Type }) => Type === 'AWS::CodePipeline::Pipeline',
  ).Properties;
  return {
    stages: Stages.map(({ Name, Actions }: any) => [Name, Actions.map((action: any) => action.Name)]),
    deployments: stacks as readonly (readonly Stack[])[],
  };
}

it('CodePipeline deploys the stacks of cdk deploy, for tests first, and to production by consent', () => {
  const { stages, deployments } = synthesizedPipeline();
  const names = synthesized({ deployment: 'canary' }).map(({ name }) => name);
  for (const stacks of deployments)
    expect(stacks.map(({ name }) => name).toSorted()).toEqual(names.toSorted());
  expect(stages.map(([name]: [string]) => name)).toEqual([
    'Source',
    'Build',
    'UpdatePipeline',
    'Assets',
    'Testing',
    'Production',
  ]);
  const actions = Object.fromEntries(stages) as Readonly<Record<string, readonly string[]>>;
  expect(actions['Testing']?.at(-1)).toBe('Health');
  expect(actions['Production']?.[0]).toBe('Agree');
});

it('the pipeline takes over a deployment by cdk deploy, which takes over that of a pipeline', () => {
  const deployed = synthesized({ deployment: 'canary' });
  for (const stacks of synthesizedPipeline().deployments) {
    expect(playDeployment(deployed, stacks).map(describeFinding)).toEqual([]);
    expect(playDeployment(stacks, deployed).map(describeFinding)).toEqual([]);
  }
});

it('the pipeline rejects a repository without its owner, and an account without a Region', () => {
  expect(wrong).toEqual([
    { refused: expect.stringContaining('repository') },
    { refused: expect.stringContaining('must be an account and a Region') },
  ]);
});

describe('the workflow for GitHub', () => {
  const workflow = parse(readFileSync('examples/pipeline/github-actions.yml', 'utf8'), { merge: true });
  const runs = (job: string): readonly string[] =>
    workflow.jobs[job].steps.flatMap(({ run }: { readonly run?: string }) => run ?? []);

  it('deploys after the tests, and to production last, by an environment with its own rules', () => {
    expect(Object.entries<any>(workflow.jobs).map(([name, { needs }]) => [name, needs])).toEqual([
      ['test', undefined],
      ['testing', 'test'],
      ['production', 'testing'],
    ]);
    expect([workflow.jobs.testing.environment, workflow.jobs.production.environment]).toEqual([
      'testing',
      'production',
    ]);
    expect(runs('production')).toEqual(runs('testing'));
  });

  it('compares the upgrade with what is deployed before it deploys', () => {
    const [check, deploy] = ['check-upgrade', 'cdk deploy'].map((command) =>
      runs('production').findIndex((run) => run.includes(command)),
    );
    expect(check).toBeGreaterThan(-1);
    expect(check).toBeLessThan(deploy ?? -1);
  });

  it('runs only scripts that exist', () => {
    const { scripts } = JSON.parse(readFileSync('package.json', 'utf8'));
    const wanted = ['test', 'testing']
      .flatMap(runs)
      .flatMap((run) => /^npm (?:run )?([\w-]+)/.exec(run)?.[1] ?? []);
    expect(wanted.filter((name) => name !== 'ci' && !(name in scripts))).toEqual([]);
  });
});
