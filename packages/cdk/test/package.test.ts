// The packed package in the apps that people write, beside the aws-cdk-lib of the repository.
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, globSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { codeBlocks } from '../../../test/support/compile-texts.ts';
import { packedPackage } from '../../../test/support/packed-packages.ts';
import { temporaryFolder } from '../../../test/support/run-service.ts';
import { CONSOLE, EDGE, FIELDS, synthesized } from '../../../test/support/synthesized.ts';
import { whenTouched } from '../../test-kit/src/which-runs.ts';
import { fetchReactorNodes } from '../../../tools/assets/reactor-node.ts';
import { parseTemplate } from '../../local-aws/src/assembly/read-assembly.ts';

const REGION = 'eu-west-1';
/** Tests of the repository read the templates of both. */
const SETTINGS = { serviceName: 'Vault-2', alarmEmail: 'on-call@example.com' };
const ALL_STACKS = { ...EDGE, ...CONSOLE, ...FIELDS, serviceName: 'Shop-2', deployment: 'canary' };

/**
 * Prints what each app has. Its own feature flags are the opposite of those that the templates are
 * made with.
 */
const PROGRAM = `
import { createRequire } from 'node:module';
import { readFileSync } from 'node:fs';
import { App, CfnOutput, CfnParameter, Stack, Stage } from 'aws-cdk-lib';
import { Certificate } from 'aws-cdk-lib/aws-certificatemanager';
import { Cloakroom } from '@cloakroom/cdk';

const [flags, settings, allStacks, region] = JSON.parse(process.argv[2]);
const opposite = Object.fromEntries(
  Object.entries(flags).map(([name, value]) => [name, typeof value === 'boolean' ? !value : 'strong']),
);
let apps = 0;
const synth = (build, context = {}) => {
  const app = new App({
    outdir: \`out\${++apps}\`,
    analyticsReporting: false,
    builtinCloudFormationValidation: false,
    context: { 'aws:cdk:disable-asset-staging': true, ...context },
  });
  const stage = build(app);
  const assembly = app.synth();
  return describe(stage === undefined ? assembly : assembly.getNestedAssembly(stage.artifactId));
};
const describe = ({ stacks }) =>
  stacks.map(({ stackName, template, environment, dependencies }) => ({
    name: stackName,
    template,
    environment: environment.name,
    after: dependencies.map(({ stackName }) => stackName).filter((name) => name !== undefined),
  }));

class UsersStack extends Stack {
  constructor(scope, id, props) {
    super(scope, id, props);
    const other = new Stack(scope, 'Other', props);
    const certificate = new Certificate(other, 'Certificate', { domainName: 'vault.example.com' });
    const vault = new Cloakroom(this, 'Vault', {
      ...settings,
      domainName: 'vault.example.com',
      certificateArn: certificate.certificateArn,
      alarmEmail: new CfnParameter(other, 'Email').valueAsString,
    });
    for (const name of ['apiUrl', 'alarmTopicArn', 'keyHeader', 'operatorFunctionName'])
      new CfnOutput(this, name, { value: vault[name] });
    new CfnOutput(this, 'policy', { value: this.toJsonString(vault.operatorPolicy.toStatementJson()) });
    new CfnOutput(this, 'access', { value: this.toJsonString(vault.operatorAccessPolicy.toStatementJson()) });
    const far = new Stack(scope, 'Far', { env: { ...props.env, region: 'us-east-1' } });
    new CfnOutput(far, 'topic', { value: vault.alarmTopicArn });
    const foreign = new Stack(new Stack(), 'Foreign', { env: { ...props.env, account: '999999999999' } });
    const twin = (env) => problemOf(() => new Cloakroom(new Stage(scope, 'Twin', { env }), 'Vault', settings));
    misuses.push(
      problemOf(() => new Cloakroom(this, 'Twin', settings)),
      twin(props.env),
      problemOf(() => foreign.resolve(vault.alarmTopicArn)),
    );
  }
}

const problemOf = (run) => {
  try {
    run();
    return undefined;
  } catch (error) {
    return error.message;
  }
};
const misuses = [];
const refused = (props) => problemOf(() => new Cloakroom(new Stack(new App(), 'S'), 'V', props));

console.log(JSON.stringify({
  app: synth((app) => {
    const vault = new Cloakroom(app, 'Vault', settings);
    new CfnOutput(new Stack(app, 'Mine'), 'apiUrl', { value: vault.apiUrl });
  }, opposite),
  stack: synth((app) => void new UsersStack(app, 'Mine', { env: { account: '123456789012', region: 'eu-west-1' } }), opposite),
  stage: synth((app) => {
    const stage = new Stage(app, 'Production', { env: { region } });
    new Cloakroom(stage, 'Vault', allStacks);
    return stage;
  }, opposite),
  refused: [{ alarmMail: 'x' }, { hotConcurrency: 'many' }, { headerPrefixes: [], edge: 'waf' }].map(refused),
  misuses,
  isOne: createRequire(import.meta.url)('@cloakroom/cdk').Cloakroom === Cloakroom,
}));
`;

interface UsersStack {
  readonly name: string;
  readonly template: any;
  readonly environment: string;
  readonly after: readonly string[];
}

type Apps = Readonly<Record<'app' | 'stack' | 'stage', readonly UsersStack[]>> & {
  readonly refused: readonly string[];
  readonly misuses: readonly string[];
  readonly isOne: boolean;
};

let folder: string;
let tarball: string;
let apps: Apps;

const { context: FLAGS } = JSON.parse(readFileSync('cdk.json', 'utf8'));
const installed = (file = '') => join(folder, 'node_modules/@cloakroom/cdk', file);

/** Installs without a registry, which the dependencies would need. */
function install(): void {
  mkdirSync(installed(), { recursive: true });
  execFileSync('tar', ['xzf', tarball, '--strip-components=1', '-C', installed()]);
  for (const name of [
    'aws-cdk-lib',
    'constructs',
    '@cloakroom/node16-linux-arm64',
    '@cloakroom/node24-linux-arm64',
  ]) {
    mkdirSync(dirname(join(folder, 'node_modules', name)), { recursive: true });
    symlinkSync(resolve('node_modules', name), join(folder, 'node_modules', name));
  }
}

beforeAll(async () => {
  // A layer is for Lambda by default, whatever machine makes it.
  await fetchReactorNodes('arm64');
  tarball = await packedPackage('cdk');
  folder = temporaryFolder();
  install();
  writeFileSync(join(folder, 'app.mjs'), PROGRAM);
  const run = [join(folder, 'app.mjs'), JSON.stringify([FLAGS, SETTINGS, ALL_STACKS, REGION])];
  apps = JSON.parse(execFileSync(process.execPath, run, { cwd: folder, maxBuffer: 1e8 }).toString());
});

/**
 * The names and templates of stacks, without what their code decides. The CDK puts the path of an
 * app into the ids of permissions, each of which can exist beside an equal one, of origins of
 * CloudFront, and of uploads in the tags of a bucket: an update changes them in place.
 */
function withoutCode(stacks: readonly { readonly name: string; readonly template: object }[]): unknown {
  const text = JSON.stringify(stacks.map(({ name, template }) => [name, template]))
    .replaceAll(/[0-9a-f]{64}|(?:node16|node24) (?:arm64|x86_64) (?:strict|lenient)/g, 'asset')
    .replaceAll(/(CurrentVersion[0-9A-F]{8})[0-9a-f]{32}/g, '$1')
    .replaceAll(/assets\/(?:not-built|fields-[\w.-]+)\.js/g, 'script')
    .replaceAll(/(cr-owned:)[0-9a-f]{8}|\w*?Shop2\w+?(Origin1)[0-9A-F]{8}/g, '$1$2')
    .replaceAll(/sha384-[\w+/=]+|not built/g, 'integrity');
  return JSON.parse(text, (key, value) => {
    if (key !== 'Resources') return key.startsWith('aws:') ? undefined : value;
    const idOf = ([id, resource]: [string, any]) =>
      resource.Type === 'AWS::Lambda::Permission' ? JSON.stringify(resource.Properties) : id;
    return Object.fromEntries(Object.entries<any>(value).map((entry) => [idOf(entry), entry[1]]));
  });
}

it('contains its own files alone, with what was built', () => {
  const files = globSync('**/*', { cwd: installed() }).filter((file) => statSync(installed(file)).isFile());
  const others = files.filter((file) => !file.startsWith('dist/assets/'));
  const types = ['index', 'props'].flatMap((name) => [`dist/types/${name}.d.cts`, `dist/types/${name}.d.ts`]);
  const code = ['app.cjs', 'index.cjs', 'index.js', 'THIRD-PARTY-NOTICES.md'].map((name) => `dist/${name}`);
  expect(others.sort()).toEqual(
    ['CHANGELOG.md', 'LICENSE', 'README.md', 'package.json', ...code, ...types].sort(),
  );
  expect(statSync(tarball).size).toBeLessThan(5e6);
});

it('the links of its README lead into the repository, at its version', () => {
  const { homepage, version } = JSON.parse(readFileSync(installed('package.json'), 'utf8'));
  const links = readFileSync(installed('README.md'), 'utf8').match(/(?<=\]\()[^)]+/g) ?? [];
  expect(links).toContain(`${homepage}/blob/v${version}/docs/deploy.md#settings`);
  expect(links.filter((link) => !/^(?:https:|#)/.test(link))).toEqual([]);
});

whenTouched.it('the examples of its README compile', () => {
  const examples = codeBlocks(readFileSync('packages/cdk/README.md', 'utf8'), 'ts');
  const files = examples.map((code, index) => {
    const file = join(folder, `example-${String(index)}.mts`);
    writeFileSync(file, code);
    return file;
  });
  expect(files).toHaveLength(2);
  const options = ['--strict', '--noEmit', '--skipLibCheck', '--module', 'nodenext'];
  const compiler = resolve('node_modules/typescript/bin/tsc');
  const { stdout } = spawnSync(process.execPath, [compiler, ...options, ...files], { cwd: folder });
  expect(stdout.toString()).toBe('');
});

it('the checksums are those of its files', () => {
  const assets = installed('dist/assets');
  const checked = execFileSync('sha256sum', ['--check', '--quiet', 'SHA256SUMS'], { cwd: assets }).toString();
  expect(checked).toBe('');
});

whenTouched.it('publint and "Are the types wrong?" have no findings', () => {
  const output = execFileSync(process.execPath, ['tools/check-package.ts', tarball]).toString();
  expect(output).toBe('0 findings\n');
});

it('has the templates of the repository, whatever flags the app has', () => {
  const whole = (stacks: readonly UsersStack[]) =>
    withoutCode(stacks.map(({ name, template }) => ({ name, template: parseTemplate(template) })));
  expect(whole(apps.app.filter(({ name }) => name !== 'Mine'))).toEqual(
    withoutCode(synthesized(SETTINGS, REGION)),
  );
  expect(whole(apps.stage)).toEqual(withoutCode(synthesized(ALL_STACKS, REGION)));
});

it.each(['app', 'stack', 'stage'] as const)('no template has an export: %s', (name) => {
  const text = JSON.stringify(apps[name]);
  expect(text).not.toMatch(/Fn::ImportValue|"Export"/);
  expect(apps[name].length).toBeGreaterThan(4);
});

it('has the environment of the stack around it, and its values are read weakly', () => {
  const own = apps.stack.filter(({ name }) => name.startsWith('Vault-2-'));
  const environments = new Set(own.map(({ environment }) => environment));
  expect([own.length, [...environments]]).toEqual([5, ['aws://123456789012/eu-west-1']]);
  const readIn = (stacks: readonly UsersStack[], output: string) =>
    stacks.find(({ name }) => name === 'Mine')?.template.Outputs[output].Value;
  expect(readIn(apps.app, 'apiUrl')).toEqual({
    'Fn::GetStackOutput': { StackName: 'Vault-2-Api', OutputName: 'ApiUrl' },
  });
  const valueOf = (output: string) => readIn(apps.stack, output);
  expect(valueOf('apiUrl')).toBe('https://vault.example.com');
  expect(valueOf('alarmTopicArn')).toEqual({
    'Fn::GetStackOutput': { StackName: 'Vault-2-Monitoring', OutputName: 'AlarmTopicArn' },
  });
  expect([valueOf('keyHeader'), valueOf('operatorFunctionName')]).toEqual([
    'SVC-API-KEY',
    'Vault-2-operator',
  ]);
  const afterOf = (stacks: readonly UsersStack[]) => stacks.find(({ name }) => name === 'Mine')?.after;
  expect([afterOf(apps.app), afterOf(apps.stack)]).toEqual([['Vault-2-Api'], ['Vault-2-Monitoring']]);
  expect(JSON.stringify(valueOf('policy'))).toContain('eu-west-1:123456789012:function:Vault-2-operator\\"');
  expect(JSON.stringify(valueOf('access'))).toContain(':function:Vault-2-operator-access\\"');
  const outputs = own.flatMap(({ template }) => Object.keys(template.Outputs ?? {}));
  expect(outputs).toEqual(expect.arrayContaining(['ApiUrl', 'AlarmTopicArn']));
});

it('its values are read in another Region, and not in another account', () => {
  const far = apps.stack.find(({ name }) => name === 'Far');
  expect(far?.template.Outputs.topic.Value).toEqual({
    'Fn::GetStackOutput': {
      StackName: 'Vault-2-Monitoring',
      OutputName: 'AlarmTopicArn',
      Region: 'eu-west-1',
    },
  });
  expect(apps.misuses[2]).toMatch(
    /Foreign cannot read AlarmTopicArn of Vault-2-Monitoring, which is in another account/,
  );
});

it('refuses a second deployment of the same name', () => {
  expect(apps.misuses.slice(0, 2)).toEqual([
    'Mine/Twin: serviceName has a deployment in this account and Region: Mine/Vault',
    'Twin/Vault: serviceName has a deployment in this account and Region: Mine/Vault',
  ]);
});

it('takes a certificate and an address that the app knows by a token', () => {
  const read = [...JSON.stringify(apps.stack).matchAll(/"Fn::GetStackOutput":\{"StackName":"Other"/g)];
  // The domain and its alarm read the certificate.
  expect(read).toHaveLength(3);
});

whenTouched.it.each([
  [['--out', 'a', '--out', 'b'], 2, '--out appears twice\n'],
  [['-c', 'edge=none', '-c', 'edge=none'], 2, '-c edge appears twice\n'],
  [['-c', 'serviceNam=x', '--out', 'new'], 2, 'unknown setting serviceNam (did you mean serviceName?)\n'],
  [
    ['-c', 'architecture=x86_64', '--out', 'new'],
    1,
    'Node 16.20.2 of the reactors is missing: run npm install @cloakroom/node16-linux-x64\n',
  ],
])('cloakroom-app %j ends in a line, and leaves no folder behind', (args, code, problem) => {
  const { status, stderr } = spawnSync(process.execPath, [installed('dist/app.cjs'), ...args], {
    cwd: folder,
    encoding: 'utf8',
  });
  expect([status, stderr]).toEqual([code, expect.stringContaining(problem)]);
  expect(existsSync(join(folder, 'new'))).toBe(false);
});

it('names a prop with an unknown name or an invalid value', () => {
  expect(apps.refused).toEqual([
    'S/V: unknown setting alarmMail (did you mean alarmEmail?)',
    'S/V: setting hotConcurrency must be a whole number',
    'S/V: setting headerPrefixes must not be empty; setting edge must be none or cloudfront-waf',
  ]);
});

it.each([
  ["Object.defineProperty(process.versions, 'node', { value: '18.20.0' })", 'Node.js 20', '18.20.0'],
  [
    "require.cache[require.resolve('aws-cdk-lib/package.json')] = { loaded: true, exports: { version: '2.200.1' } }",
    'aws-cdk-lib 2.270.0',
    '2.200.1',
  ],
])('says what it needs after %s', (before, needed, installed) => {
  const code = `${before}; try { require('@cloakroom/cdk') } catch ({ message }) { console.log(message) }`;
  const { stdout } = spawnSync(process.execPath, ['-e', code], { cwd: folder, encoding: 'utf8' });
  expect(stdout).toBe(`@cloakroom/cdk needs ${needed} or later, and this is ${installed}\n`);
});

it('is one class for import and require', () => {
  expect(apps.isOne).toBe(true);
});
