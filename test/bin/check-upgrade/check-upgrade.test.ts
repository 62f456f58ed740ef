import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openVault } from '../../../packages/testing/src/open-vault.ts';
import { commandLine } from '../../support/command-line.ts';

const folder = mkdtempSync(join(tmpdir(), 'cloakroom-upgrade-'));
afterAll(() => {
  rmSync(folder, { recursive: true });
});

/** Writes the synthesized app of one stack, which may be in a stage. */
function anApp(
  name: string,
  resources: Readonly<Record<string, { readonly Type: string; readonly Properties?: object }>>,
  stage?: string,
): string {
  const app = join(folder, name);
  const directory = join(app, stage ?? '');
  mkdirSync(directory, { recursive: true });
  const manifest = (file: string, artifacts: object) => {
    writeFileSync(join(file, 'manifest.json'), JSON.stringify({ artifacts }));
  };
  const inside = { type: 'cdk:cloud-assembly', properties: { directoryName: stage } };
  if (stage !== undefined) manifest(app, { [stage]: inside });
  const stack = { type: 'aws:cloudformation:stack', properties: { templateFile: 'Data.json' } };
  manifest(directory, { Data: stack });
  writeFileSync(join(directory, 'Data.json'), JSON.stringify({ Resources: resources }));
  return app;
}

describe('check-upgrade', () => {
  const table = { Type: 'AWS::DynamoDB::Table' };
  const before = anApp('before', { Tokens: table, Access: table });
  const after = anApp('after', { Tokens: table });

  it('finds nothing between equal apps', async () => {
    expect(await commandLine(['check-upgrade', before, before])).toEqual({
      exitCode: 0,
      out: [
        '1 deployed stacks, 1 to deploy, 0 findings, 0 notes',
        'stored proxies are not checked: set CLOAKROOM_URL and CLOAKROOM_API_KEY',
        '',
      ].join('\n'),
      err: '',
    });
  });

  it('names what would be lost, as text and as JSON, with exit code 1', async () => {
    const { exitCode, out } = await commandLine(['check-upgrade', after, before]);
    expect([exitCode, out]).toEqual([1, expect.stringMatching(/^data lost: Data, Access: /)]);
    const json = await commandLine(['check-upgrade', after, before, '--json']);
    expect([json.exitCode, JSON.parse(json.out)]).toEqual([
      1,
      expect.objectContaining({
        findings: [expect.objectContaining({ kind: 'data_lost', subject: 'Access' })],
        proxies: null,
      }),
    ]);
  });

  it('finds a version that does not know an image of reactors', async () => {
    const withImages = (name: string, Variables: Readonly<Record<string, string>>) =>
      anApp(name, {
        Reactors: { Type: 'AWS::Lambda::Function', Properties: { Environment: { Variables } } },
      });
    const newer = withImages('images', { REACTOR_LAYER_HASHES: 'node16=a,node24=b' });
    const older = withImages('no-images', { REACTOR_LAYER_HASH: 'a' });
    const { exitCode, out } = await commandLine(['check-upgrade', older, newer]);
    expect([exitCode, out]).toEqual([
      1,
      expect.stringMatching(/^data lost: Data, image node24: .*--image node24\n/),
    ]);
    expect(await commandLine(['check-upgrade', newer, older])).toMatchObject({ exitCode: 0 });
    expect(await commandLine(['check-upgrade', newer, newer])).toMatchObject({ exitCode: 0 });
  });

  it('notes what a deployment leaves behind, with exit code 0', async () => {
    const retained = { ...table, DeletionPolicy: 'Retain' };
    const full = anApp('full', { Tokens: retained, Access: retained });
    const { exitCode, out } = await commandLine(['check-upgrade', anApp('less', { Tokens: retained }), full]);
    expect([exitCode, out]).toEqual([0, expect.stringMatching(/^note: left behind: Data, Access: /)]);
    expect(out).toContain('0 findings, 1 notes');
    const json = await commandLine(['check-upgrade', join(folder, 'less'), full, '--json']);
    expect(JSON.parse(json.out)).toMatchObject({
      findings: [],
      notes: [{ kind: 'left_behind', subject: 'Access' }],
    });
  });

  it('reads the stored proxies of the tenant of a key', async () => {
    const { vault } = await openVault({});
    await vault.proxies.create({
      name: 'Provider',
      destination_url: 'https://psp.example.com',
      response_transforms: [{ type: 'mask', matcher: 'card_number', replacement: '[card]' }],
    });
    const environment = { CLOAKROOM_URL: vault.baseUrl, CLOAKROOM_API_KEY: vault.managementKey };
    const outcome = await commandLine(['check-upgrade', before, before], { environment, fetch: vault.fetch });
    expect([outcome.exitCode, outcome.out]).toEqual([1, expect.stringMatching(/^1 stored proxies, [1-9]/m)]);
  });

  it('says in one line that there is no app', async () => {
    expect(await commandLine(['check-upgrade', join(folder, 'none'), before])).toMatchObject({
      exitCode: 2,
      err: expect.stringMatching(/^cloakroom: [^\n]+none is not a synthesized app, [^\n]+\n$/),
    });
  });

  it('takes a stage of each app', async () => {
    const staged = anApp('staged', { Tokens: table }, 'Production');
    const next = anApp('next', {}, 'Tests');
    const { exitCode, out } = await commandLine(
      ['check-upgrade', next, staged].concat('--stage', 'Tests', '--from-stage', 'Production'),
    );
    expect([exitCode, out]).toEqual([1, expect.stringMatching(/^data lost: Data, Tokens: /)]);
    expect(await commandLine(['check-upgrade', staged, staged, '--stage', 'Nope'])).toMatchObject({
      exitCode: 2,
      err: `cloakroom: ${staged} has no stage Nope; it has: Production\n`,
    });
    expect(await commandLine(['check-upgrade', before, '--from-stage', 'Production'])).toMatchObject({
      exitCode: 2,
      err: 'cloakroom: --from-stage needs the FROM that has it\n',
    });
  });
});
