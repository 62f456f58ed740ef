// The package runs an app that it does not know.
import { cpSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { startCloud, type Cloud } from '../../src/cloud.ts';
import type { Health } from '../../src/cloudwatch/health.ts';
import { control } from '../../src/control.ts';
import { signedHeaders } from '../signed-request.ts';
import { inThoroughRun } from '../../../test-kit/src/which-runs.ts';

const workDirectory = mkdtempSync(join(tmpdir(), 'guestbook-'));
const running: Cloud[] = [];

afterEach(async () => {
  for (const cloud of running.splice(0)) await cloud.close();
});

afterAll(() => {
  rmSync(workDirectory, { recursive: true });
});

const app = {
  root: import.meta.dirname,
  program: 'app.ts',
  inputs: { paths: ['app.ts', 'code'], environment: [] },
};
const steps: string[] = [];

async function start(dataDirectory?: string, context = {}): Promise<Cloud> {
  const cloud = await startCloud({
    app: { ...app, context },
    workDirectory,
    port: 0,
    onProgress: (step) => steps.push(step),
    ...(dataDirectory !== undefined && { dataDirectory }),
  });
  running.push(cloud);
  return cloud;
}

async function visit({ baseUrl }: Cloud, guest: string): Promise<unknown> {
  const response = await fetch(`${baseUrl}/${guest}`);
  return await response.json();
}

inThoroughRun.it('compiles all functions of a new app in advance, and synthesizes it once', async () => {
  const compiled = () => globSync(join(workDirectory, 'apps', '*', 'compile-cache', '*', '*'));
  const first = await start();
  const before = compiled();
  expect(before).not.toEqual([]);
  expect(await visit(first, 'eve')).toEqual({ visits: '1' });
  await (await start()).close();
  expect([steps, compiled()]).toEqual([['synthesizing the app'], before]);
});

it('runs a function of another CDK app, which writes to its table', async () => {
  const cloud = await start();
  expect(await visit(cloud, 'ada')).toEqual({ visits: '1' });
  expect(await visit(cloud, 'ada')).toEqual({ visits: '2' });
  expect(await visit(cloud, 'bob')).toEqual({ visits: '1' });
});

it('rejects a call that the template of the function does not allow', async () => {
  expect(await visit(await start(), 'look')).toMatchObject({
    failure: expect.stringMatching(/AccessDenied/),
  });
});

/** Asks STS who the administrator is, as command lines do. */
async function identity({ awsEndpointUrl: url, region, administrator }: Cloud): Promise<string> {
  const body = 'Action=GetCallerIdentity&Version=2011-06-15';
  const headers = signedHeaders({ url, service: 'sts', region, body, ...administrator });
  const response = await fetch(url, { method: 'POST', headers, body });
  return response.text();
}

it('returns the identity of its administrator from STS', async () => {
  const cloud = await start();
  expect(await identity(cloud)).toContain('<Arn>arn:aws:iam::000000000000:root</Arn>');
  expect(cloud.region).toBe('us-east-1');
});

it('runs a stage of a pipeline, in its account and Region', async () => {
  await start();
  const [manifest = ''] = globSync(join(workDirectory, 'apps', '**', 'manifest.json'));
  const pipeline = join(workDirectory, 'pipeline');
  const stage = join(pipeline, 'assembly-Production');
  cpSync(dirname(manifest), stage, { recursive: true });
  const environment = readFileSync(manifest, 'utf8');
  expect(environment).toContain('aws://unknown-account/unknown-region');
  writeFileSync(
    join(stage, 'manifest.json'),
    environment.replaceAll('unknown-account/unknown-region', '123456789012/eu-west-1'),
  );
  const properties = { directoryName: 'assembly-Production', displayName: 'Pipeline/Production' };
  const artifacts = { Production: { type: 'cdk:cloud-assembly', properties } };
  writeFileSync(join(pipeline, 'manifest.json'), JSON.stringify({ artifacts }));
  const cloud = await startCloud({ app: pipeline, stage: 'Production', workDirectory, port: 0 });
  running.push(cloud);
  expect(await visit(cloud, 'ada')).toEqual({ visits: '1' });
  expect(await identity(cloud)).toContain('<Arn>arn:aws:iam::123456789012:root</Arn>');
  expect(cloud.region).toBe('eu-west-1');
});

it('rings the alarm of another app when a fault kills its function', async () => {
  const cloud = await start();
  const local = {
    aws_endpoint_url: cloud.awsEndpointUrl,
    aws_access_key_id: cloud.administrator.accessKeyId,
    aws_secret_access_key: cloud.administrator.secretAccessKey,
  };
  const put = (path: string, body: unknown) =>
    control(local, path, { method: 'PUT', body: JSON.stringify(body) });
  const health = async () => (await control(local, 'health')) as Health;
  await visit(cloud, 'ada');
  await put('clock', { advance_seconds: 60 });
  expect(await health()).toMatchObject({
    alarms: [{ name: 'Failing', state: 'OK' }],
    functions: expect.arrayContaining([expect.objectContaining({ invocations: 1, errors: 0 })]),
  });
  await put('faults', ['function/Sign:kill:1']);
  await visit(cloud, 'ada');
  await put('clock', { advance_seconds: 60 });
  const { alarms, functions } = await health();
  expect(alarms).toMatchObject([{ name: 'Failing', state: 'ALARM' }]);
  expect(functions.find(({ errors }) => errors === 1)).toMatchObject({
    name: expect.stringMatching(/^Guestbook-Sign/),
    last_error_at: expect.any(String),
  });
});

it('stores the table of another app in its data directory', async () => {
  const data = join(workDirectory, 'data');
  const first = await start(data);
  await visit(first, 'ada');
  await first.close();
  running.splice(0);
  expect(await visit(await start(data), 'ada')).toEqual({ visits: '2' });
});

inThoroughRun.it(
  'is not deployed over its data if the table would be replaced, and the data stays',
  async () => {
    const data = join(workDirectory, 'replaced');
    await visit(await start(data), 'ada');
    await running.pop()?.close();
    await expect(start(data, { key: 'visitor' })).rejects.toThrow(
      /another deployment.*\ndata lost: Guestbook, Guests\w+: an empty AWS::DynamoDB::Table takes its place\./,
    );
    expect(await visit(await start(data), 'ada')).toEqual({ visits: '2' });
  },
);
