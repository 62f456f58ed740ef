import { spawnSync } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import fs, { existsSync, mkdtempSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { z } from 'zod';
import type { SecretsManager } from '../../../bin/operator/secret-target.ts';
import { CommandFailure } from '../../../bin/command-line/failures.ts';
import { commandLine, type CommandOutcome } from '../../support/command-line.ts';
import {
  COMMAND_NAMES,
  COMMANDS,
  FLAGS,
  flagsOf,
  isSent,
  optionOf,
  type FlagName,
} from '../../../src/operator/command-names.ts';

const TENANT = '3b1f5a6c-1111-4222-8333-444455556666';
const CREATED = { tenant_id: TENANT, management_key: 'key_management_1', webhook_secret: 'whsec_1' };

const folder = mkdtempSync(join(tmpdir(), 'cloakroom-operator-'));
let files = 0;
const newFile = () => join(folder, String((files += 1)));

/** Values of flags that are no id. */
const TEXTS: Partial<Readonly<Record<FlagName, string>>> = {
  name: 'Shop',
  'wrapped-by': 'kms',
  limit: '7',
  'older-than': '90d',
  'unused-for': '30d',
  token: 'a-token',
  from: '2026-11-01T00:00:00Z',
  to: '2026-11-02T00:00:00Z',
  image: 'node16',
  generation: '3',
  instances: '3',
  seal: 'x'.repeat(43),
};

interface Outcome extends CommandOutcome {
  readonly payloads: readonly unknown[];
}

/** Runs a command line against an operator function that returns or throws the argument. */
async function run(
  args: readonly string[],
  {
    responses = [{}],
    isTerminal = true,
    secrets,
  }: { responses?: readonly unknown[]; isTerminal?: boolean; secrets?: SecretsManager } = {},
): Promise<Outcome> {
  const payloads: unknown[] = [];
  const outcome = await commandLine(['operator', ...args], {
    isTerminal,
    ...(secrets !== undefined && { secrets }),
    invoke: (_target, payload) => {
      const response = responses[payloads.push(payload) - 1];
      return response instanceof Error
        ? Promise.reject(response)
        : Promise.resolve(response as object as never);
    },
  });
  return { ...outcome, payloads };
}

/** The members of a credentials file that name the local account. */
const ACCOUNT = {
  aws_endpoint_url: 'x',
  aws_region: 'x',
  aws_access_key_id: 'x',
  aws_secret_access_key: 'x',
};
const named = (name: string, message: string) => Object.assign(new Error(message), { name });
const coded = (code: string) => Object.assign(new Error(`connect ${code}`), { code });

describe('the operator command line', () => {
  it('sends the members that the function accepts, and prints the result', async () => {
    const args = ['list-deliveries', '--limit', '7'];
    const { exitCode, out, err, payloads } = await run(args, { responses: [{ deliveries: [] }] });
    expect(payloads).toEqual([{ command: 'list-deliveries', limit: 7 }]);
    expect([exitCode, out, err]).toEqual([0, 'no deliveries\n', '']);
  });

  // Two commands also need a file, whose flag is not sent.
  it.each(COMMAND_NAMES.filter((name) => COMMANDS[name].needs.every(isSent)))(
    '%s sends each of its flags that the function reads',
    async (name) => {
      const flags = flagsOf(name).filter((flag) => isSent(flag) && flag !== 'key');
      const line = flags.flatMap((flag) => [
        `--${optionOf(flag)}`,
        ...(FLAGS[flag].value === '' ? [] : [TEXTS[flag] ?? TENANT]),
      ]);
      const { payloads } = await run([name, ...line], { responses: [new Error('stop')] });
      const [{ principal: _, ...payload }] = payloads as [{ readonly principal?: string }];
      expect(Object.keys(payload)).toEqual(['command', ...flags.map((flag) => FLAGS[flag].member)]);
      expect(Object.values(payload)).not.toContain(undefined);
    },
  );

  it('writes the next webhook secret into the credentials file of cloakroom start, which examples read', async () => {
    const local = newFile();
    writeFileSync(local, JSON.stringify({ ...CREATED, ...ACCOUNT }));
    const args = ['rotate-webhook-secret', '--tenant', TENANT, '--local', local];
    const { exitCode, err } = await run(args, { responses: [{ webhook_secret: 'whsec_2' }] });
    expect([exitCode, err]).toEqual([0, `cloakroom: ${local} has the new secret\n`]);
    expect(JSON.parse(readFileSync(local, 'utf8'))).toEqual({
      ...CREATED,
      ...ACCOUNT,
      webhook_secret: 'whsec_2',
    });
  });

  it('repeats a command of many steps, with progress on standard error', async () => {
    const responses = [
      { seen: 2, reencrypted: 1, left: 0, done: false },
      { seen: 3, reencrypted: 2, left: 0, done: true },
    ];
    const { exitCode, out, err } = await run(['reencrypt', '--tenant', TENANT, '--json'], { responses });
    expect([exitCode, JSON.parse(out)]).toEqual([0, responses[1]]);
    expect(err.split('\n')).toHaveLength(3);
  });

  it('exits with 1 where a check finds a problem', async () => {
    expect((await run(['health'], { responses: [{ healthy: false }] })).exitCode).toBe(1);
    expect((await run(['health'], { responses: [{ healthy: true }] })).exitCode).toBe(0);
    const none = await run(['who-saw', '--token', 'x'], { responses: [{ records: [], next: null }] });
    expect([none.exitCode, none.out, none.err]).toEqual([
      1,
      'no records\n',
      expect.stringContaining('there is no such record: check the id'),
    ]);
    const one = await run(['who-saw', '--token', 'x'], {
      responses: [{ records: [{ id: 'r' }], next: null }],
    });
    expect([one.exitCode, one.err]).toEqual([0, '']);
  });

  it.each([
    [['creat-tenant'], "unknown command 'creat-tenant' (Did you mean create-tenant?)"],
    [['create-tenant'], "required option '--name <NAME>' not specified"],
    [['create-tenant', '--nam', 'x'], "unknown option '--nam' (Did you mean --name?)"],
    [['help', 'creat-tenant'], "unknown command 'creat-tenant' (Did you mean create-tenant?)"],
    [['help', 'foo'], "unknown command 'foo'"],
    [['create-tenant', '--name', ''], '--name must not be empty'],
    [['list-tenants', '--jsn'], "unknown option '--jsn' (Did you mean --json?)"],
    [
      ['rotate-keys', '--tenant', 'x'],
      '--tenant must be a tenant id (cloakroom operator list-tenants shows them)',
    ],
    [
      ['resend-delivery', '--tenant', TENANT, '--invocation', 'x'],
      '--invocation must be an invocation id (cloakroom operator list-deliveries shows them)',
    ],
    [
      ['verify-audit', '--tenant', 'x'],
      '--tenant must be a tenant id (cloakroom operator list-tenants shows them), or deployment',
    ],
    [
      ['rotate-keys', '--tenant', 'deployment'],
      '--tenant must be a tenant id (cloakroom operator list-tenants shows them)',
    ],
    [['who-saw'], "required option '--token <ID>' not specified"],
    [['export-audit', '--tenant', TENANT], "required option '--out <FILE>' not specified"],
    [
      ['who-saw', '--token', 'x', '--from', 'yesterday'],
      '--from must be an ISO 8601 date or time, such as 2026-01-31T12:00:00Z',
    ],
    [['verify-audit', '--file', 'x'], '--file needs --key: the public key that audit-key printed'],
    [
      ['republish-reactors', '--to', 'v2'],
      '--to must be a generation, as cloakroom operator list-reactors shows it',
    ],
    [['list-reactors', '--image', 'node15'], '--image must be node16 or node24'],
    [
      ['list-reactors', '--package', 'node-forge<1.3.1'],
      '--package must be a name of npm, such as node-forge, or one with an exact version (node-forge@1.3.1)',
    ],
    [
      ['allow-hot', '--tenant', TENANT, '--instances', '2001'],
      '--instances must be a whole number up to 2000',
    ],
    [['list-deliveries', '--limit', 'abc'], '--limit must be a whole number from 1 to 1000'],
    [['list-deliveries', '--limit', '1001'], '--limit must be a whole number from 1 to 1000'],
    [['list-tenants', 'x'], "too many arguments for 'list-tenants'. Expected 0 arguments but got 1."],
    [['--local', 'health'], '--local must follow the command: cloakroom operator health --local'],
    [['health', '--secrets-to', 'x'], "unknown option '--secrets-to'"],
  ])('%j is rejected in one line with exit code 2, and nothing is sent', async (args, problem) => {
    const { exitCode, out, err, payloads } = await run(args);
    expect([exitCode, out, err, payloads]).toEqual([2, '', `cloakroom: ${problem}\n`, []]);
  });

  it('the command line prints its help to standard error without a command, with exit code 2', async () => {
    const { exitCode, out, err } = await run([]);
    expect([exitCode, out, err]).toEqual([2, '', expect.stringContaining('create-tenant')]);
  });

  const HINT = 'or add --local for the service of cloakroom start';
  it.each([
    [new CommandFailure('The tenant does not exist.'), 'The tenant does not exist.'],
    [new Error('Region is missing'), `no AWS Region: set AWS_REGION, ${HINT}`],
    [
      named('CredentialsProviderError', 'Could not load credentials from any providers'),
      `no AWS credentials: set AWS_PROFILE or sign in (aws sso login), ${HINT}`,
    ],
    [
      named('CredentialsProviderError', 'Could not resolve credentials using profile: [x]'),
      'no AWS credentials: Could not resolve credentials using profile: [x]',
    ],
    [named('ExpiredTokenException', 'x'), 'the AWS credentials have expired: sign in again (aws sso login)'],
    [
      named('UnrecognizedClientException', 'The security token included in the request is invalid'),
      'AWS rejects the credentials (UnrecognizedClientException)',
    ],
    [
      named('AccessDeniedException', 'User: arn:aws:iam::1:user/x is not authorized'),
      'the AWS credentials do not allow lambda:InvokeFunction on Cloakroom-operator',
    ],
    [
      named(
        'AccessDeniedException',
        'arn is not authorized to perform: dynamodb:DescribeTable on resource: x',
      ),
      'the AWS credentials do not allow dynamodb:DescribeTable',
    ],
    [
      z.object({ Table: z.object({ Name: z.string() }) }).safeParse({ Table: {} }).error,
      'what was read has another form than expected: Table.Name: Invalid input: expected string, received undefined',
    ],
    [
      named('ResourceNotFoundException', 'Function not found: arn'),
      'the function Cloakroom-operator does not exist in this account and Region; --function selects another one (stack output OperatorFunctionName)',
    ],
    [coded('ENOTFOUND'), 'AWS is unreachable (ENOTFOUND)'],
    [named('KMSException', 'one line\nand a second'), 'KMSException: one line'],
  ])('explains what to do after %s, in one line with its exit code', async (failure, said) => {
    const { exitCode, out, err } = await run(['list-tenants'], { responses: [failure] });
    const isMissing = /^no AWS (?:credentials|Region)/.test(said);
    expect([exitCode, out, err]).toEqual([isMissing ? 2 : 1, '', `cloakroom: ${said}\n`]);
  });

  it('names the profile that has no credentials', async () => {
    process.env['AWS_PROFILE'] = 'shop';
    const failure = named('CredentialsProviderError', 'Could not load credentials from any providers');
    const { err } = await run(['list-tenants'], { responses: [failure] });
    delete process.env['AWS_PROFILE'];
    expect(err).toBe('cloakroom: no AWS credentials: the profile shop (AWS_PROFILE) has none\n');
  });

  it('calls the operator function that the credentials file names, unless --function does', async () => {
    const local = newFile();
    writeFileSync(local, JSON.stringify({ ...ACCOUNT, operator_function: 'Vault-operator' }));
    const absent = named('ResourceNotFoundException', 'absent');
    const called = async (...more: readonly string[]) =>
      (await run(['health', '--local', local, ...more], { responses: [absent] })).err;
    const problem = (name: string) => `cloakroom: the service of cloakroom start has no function ${name}\n`;
    expect(await called()).toBe(problem('Vault-operator'));
    expect(await called('--function', 'Other')).toBe(problem('Other'));
  });

  it.each(COMMAND_NAMES.filter((name) => COMMANDS[name].runsIn === 'operator-access'))(
    '%s calls the function beside the operator that gives access, whichever of both is named',
    async (name) => {
      const absent = named('ResourceNotFoundException', 'absent');
      const line = COMMANDS[name].needs.flatMap((flag) => [
        `--${optionOf(flag)}`,
        flag === 'target' ? newFile() : (TEXTS[flag as FlagName] ?? TENANT),
      ]);
      const called = async (...more: readonly string[]) =>
        (await run([name, ...line, ...more], { responses: [absent] })).err;
      const problem = (of: string) => expect.stringContaining(`the function ${of} does not exist`);
      expect(await called()).toEqual(problem('Cloakroom-operator-access'));
      expect(await called('--function', 'V-operator')).toEqual(problem('V-operator-access'));
      expect(await called('--function', 'V-operator-access')).toEqual(problem('V-operator-access'));
    },
  );

  it('reports that the service of cloakroom start does not run', async () => {
    const missing = newFile();
    const other = newFile();
    const stopped = newFile();
    writeFileSync(other, '{}');
    const key = { aws_access_key_id: 'AKIA', aws_secret_access_key: 'secret' };
    writeFileSync(
      stopped,
      JSON.stringify({ aws_endpoint_url: 'http://127.0.0.1:9', aws_region: 'us-east-1', ...key }),
    );
    expect(await run(['health', '--local', missing])).toMatchObject({
      exitCode: 2,
      err: `cloakroom: ${missing} cannot be read: is the service running (cloakroom start)?\n`,
    });
    expect((await run(['health', '--local', other])).err).toBe(
      `cloakroom: ${other} is no credentials file of cloakroom start\n`,
    );
    expect((await run(['health', '--local', stopped], { responses: [coded('ECONNREFUSED')] })).err).toBe(
      'cloakroom: the service at http://127.0.0.1:9 is unreachable (ECONNREFUSED): is cloakroom start still running?\n',
    );
  });
});

describe('secrets', () => {
  const create = ['create-tenant', '--name', 'x'];

  it('are written to a new file that only its owner can read, and not to the output', async () => {
    const file = newFile();
    const { exitCode, out, err } = await run([...create, '--json', '--secrets-to', file], {
      responses: [CREATED],
      isTerminal: false,
    });
    expect([exitCode, JSON.parse(out), err]).toEqual([0, { tenant_id: TENANT, secrets_in: file }, '']);
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual(CREATED);
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  it('are not created where the file exists or cannot be created', async () => {
    const file = newFile();
    const elsewhere = join(folder, 'no', 'such');
    writeFileSync(file, 'mine');
    for (const [name, why] of [
      [file, 'the file exists'],
      [elsewhere, 'the file cannot be created (ENOENT)'],
    ] as const) {
      const { exitCode, err, payloads } = await run([...create, '--secrets-to', name]);
      expect([exitCode, err, payloads]).toEqual([
        ...[2, `cloakroom: --secrets-to ${name}: ${why}; nothing was done\n`, []],
      ]);
    }
    expect(readFileSync(file, 'utf8')).toBe('mine');
  });

  it('leave no file behind where the command fails', async () => {
    const file = newFile();
    const { exitCode } = await run([...create, '--secrets-to', file], { responses: [new Error('x')] });
    expect([exitCode, existsSync(file)]).toEqual([1, false]);
  });

  it('are printed, and leave no file and no descriptor open, where the file cannot be written', async () => {
    const file = newFile();
    const close = jest.spyOn(fs, 'closeSync');
    jest.spyOn(fs, 'fsyncSync').mockImplementationOnce(() => {
      throw coded('ENOSPC');
    });
    syncBuiltinESMExports();
    const { exitCode, out, err } = await run([...create, '--json', '--secrets-to', file], {
      responses: [CREATED],
    });
    expect([exitCode, JSON.parse(out)]).toEqual([0, CREATED]);
    expect(err).toBe(
      `cloakroom: ${file} could not be written; the secrets are printed, since they are shown only once\n`,
    );
    expect([existsSync(file), close.mock.calls.length]).toEqual([false, 1]);
    jest.restoreAllMocks();
    syncBuiltinESMExports();
  });

  it('leave no empty file behind where Ctrl-C ends the command', () => {
    const file = newFile();
    const { href } = pathToFileURL('bin/operator/secrets-file.ts');
    const code = `const { createSecretsFile } = await import('${href}');
      createSecretsFile('${file}');
      process.kill(process.pid, 'SIGINT');
      setTimeout(() => {}, 10_000);`;
    const ended = spawnSync(process.execPath, ['--input-type=module', '-e', code], { encoding: 'utf8' });
    expect([ended.signal, ended.stderr, existsSync(file)]).toEqual(['SIGINT', '', false]);
  });

  it('are otherwise printed, with a warning where the output is no terminal', async () => {
    const shown = await run(create, { responses: [CREATED] });
    expect([shown.out, shown.err]).toEqual([expect.stringContaining('whsec_1'), '']);
    const stored = await run([...create, '--json'], { responses: [CREATED], isTerminal: false });
    expect(JSON.parse(stored.out)).toEqual(CREATED);
    expect(stored.err).toContain('use --secrets-to FILE');
    expect(stored.err).not.toMatch(/whsec_1|key_management_1/);
  });
});

describe('a management key', () => {
  const KEY = 'key_management_of_the_recovery';
  const IDS = { key_id: 'a-key', application_id: 'an-application' };
  const MADE = { key: KEY, ...IDS, expires_at: '2026-12-01T00:00:00.000+00:00' };
  const line = (to: string) => ['create-management-key', '--tenant', TENANT, '--to', to];

  /** Secrets Manager with one secret, which fails in the named calls. */
  function aSecretsManager(failing: readonly string[] = []) {
    const values = new Map([['mine', 'x']]);
    const call = async (name: string, act: () => void) => {
      await Promise.resolve();
      if (failing.includes(name)) throw named('AccessDeniedException', 'denied');
      act();
    };
    const secrets: SecretsManager = {
      create: (name) =>
        call('create', () => {
          if (values.has(name)) throw named('ResourceExistsException', 'exists');
          values.set(name, '');
        }),
      put: (name, text) => call(text === '{}' ? 'try' : 'put', () => void values.set(name, text)),
      remove: (name) => call('remove', () => void values.delete(name)),
    };
    return { secrets, values };
  }

  it('goes to a new file that only its owner can read, and to no output', async () => {
    const file = newFile();
    const { exitCode, out, err, payloads } = await run([...line(file), '--expires', '7d', '--json'], {
      responses: [MADE],
    });
    expect(payloads).toEqual([{ command: 'create-management-key', tenant_id: TENANT, expires: '7d' }]);
    const shown = { ...IDS, expires_at: MADE.expires_at, key_in: file };
    expect([exitCode, JSON.parse(out), err]).toEqual([0, shown, '']);
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({ key: KEY, ...IDS });
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  it('goes to a new secret of AWS, and to no output', async () => {
    const { secrets, values } = aSecretsManager();
    const { exitCode, out } = await run([...line('aws-secret:shop/recovery'), '--json'], {
      responses: [MADE],
      secrets,
    });
    expect(JSON.parse(values.get('shop/recovery') ?? '')).toEqual({ key: KEY, ...IDS });
    expect([exitCode, out.includes(KEY)]).toEqual([0, false]);
    expect(JSON.parse(out)).toHaveProperty('key_in', 'aws-secret:shop/recovery');
  });

  it.each([
    ['aws-secret:mine', [], 'aws-secret:mine: the secret exists; no key was made'],
    [
      'aws-secret:new',
      ['create'],
      'aws-secret:new: it cannot be written (AccessDeniedException); no key was made',
    ],
    [
      'aws-secret:new',
      ['try'],
      'aws-secret:new: it cannot be written (AccessDeniedException); no key was made',
    ],
    ['aws-secret:a b', [], 'aws-secret: a name has up to 512 letters, digits and /_+=.@-'],
    ['aws-secret:', [], 'must be the path of a new file, or aws-secret:NAME'],
    ['env:KEY', [], 'must be the path of a new file, or aws-secret:NAME'],
    ['/dev/tty', [], '/dev/tty: the file exists; nothing was done'],
    [
      join(folder, 'no', 'such'),
      [],
      `${join(folder, 'no', 'such')}: the file cannot be created (ENOENT); nothing was done`,
    ],
  ])('is not made where %s cannot be written (%j fails)', async (to, failing, said) => {
    const { secrets, values } = aSecretsManager(failing);
    const { exitCode, out, err, payloads } = await run(line(to), { secrets });
    expect([exitCode, out, err, payloads]).toEqual([2, '', `cloakroom: --to ${said}\n`, []]);
    expect([...values]).toEqual([['mine', 'x']]);
  });

  it('is not made without a place for it, nor for a life beyond 30 days', async () => {
    const without = await run(['create-management-key', '--tenant', TENANT]);
    expect([without.exitCode, without.payloads]).toEqual([2, []]);
    expect(without.err).toBe("cloakroom: required option '--to <TARGET>' not specified\n");
    for (const life of ['31d', '0d', '24h']) {
      const { exitCode, err, payloads } = await run([...line(newFile()), '--expires', life]);
      expect([exitCode, payloads]).toEqual([2, []]);
      expect(err).toBe('cloakroom: --expires must be a number of days up to 30, such as 7d\n');
    }
  });

  it('leaves nothing behind where the command fails', async () => {
    const file = newFile();
    const { secrets, values } = aSecretsManager();
    for (const to of [file, 'aws-secret:new']) {
      const { exitCode } = await run(line(to), { responses: [new Error('x')], secrets });
      expect([exitCode, existsSync(file), values.has('new')]).toEqual([1, false, false]);
    }
    const stuck = aSecretsManager(['remove']);
    const left = await run(line('aws-secret:new'), { responses: [new Error('x')], secrets: stuck.secrets });
    expect(left.err).toBe('cloakroom: aws-secret:new remains, without a key\ncloakroom: Error: x\n');
  });

  it('is not shown where it cannot be stored, and the failure names what to delete', async () => {
    const { secrets } = aSecretsManager(['put']);
    const { exitCode, out, err } = await run(line('aws-secret:new'), { responses: [MADE], secrets });
    expect([exitCode, out]).toEqual([1, '']);
    expect(err).toBe(
      'cloakroom: aws-secret:new could not be written, so that no one has the key (key_id a-key, application_id an-application): run the command again with another --to\n',
    );
  });
});

describe('commands of the audit trail', () => {
  const checked = { seals: 2, records: 3, not_sealed_yet: 1, key: 'pinned', intact: true };
  const keys = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const PUBLIC_KEY = keys.publicKey.export({ type: 'spki', format: 'pem' }).toString();

  function fileOf(text: string): string {
    const file = newFile();
    writeFileSync(file, text);
    return file;
  }

  it('accept the deployment as a tenant', async () => {
    const args = ['who-saw', '--token', 't', '--tenant', 'deployment'];
    const { exitCode, payloads } = await run(args, { responses: [{ records: [{ id: 1 }], next: null }] });
    expect([exitCode, payloads]).toEqual([
      ...[0, [{ command: 'who-saw', token_id: 't', tenant_id: 'deployment' }]],
    ]);
  });

  it('who-saw joins the records of its steps', async () => {
    const at = { tenant_id: TENANT, before: 'x' };
    const responses = [
      { records: [{ id: 1 }, { id: 2 }], next: { at } },
      { records: [{ id: 3 }], next: null },
    ];
    const { out, err, payloads } = await run(['who-saw', '--token', 't', '--json'], { responses });
    expect([JSON.parse(out), err]).toEqual([{ records: [{ id: 1 }, { id: 2 }, { id: 3 }] }, '']);
    expect(payloads[1]).toMatchObject({ token_id: 't', at });
  });

  it('verify-audit adds the counts of its steps, with progress on standard error', async () => {
    const responses = [
      { ...checked, next: { from: '2026-01-31T12:00:00+00:00' } },
      { ...checked, next: null },
    ];
    const args = ['verify-audit', '--key', fileOf(PUBLIC_KEY), '--json'];
    const { exitCode, out, err, payloads } = await run(args, { responses });
    expect([exitCode, JSON.parse(out)]).toEqual([
      ...[0, { ...checked, seals: 4, records: 6, not_sealed_yet: 2 }],
    ]);
    expect(err).toBe('3 records checked up to 2026-01-31T12:00:00+00:00\n3 records checked, to the end\n');
    expect(payloads).toMatchObject([{ public_key: PUBLIC_KEY }, { from: '2026-01-31T12:00:00+00:00' }]);
  });

  it('verify-audit goes on after a failure, shows the first hundred and exits with 1', async () => {
    const failed = (what: string, failures: number, next: object | null) => ({
      ...checked,
      intact: false,
      failures,
      next,
      broken: Array.from({ length: failures }, (_, at) => ({ record: '0mwt\u001b[8m', what, at })),
    });
    const at = { from: '2026-01-31T12:00:00+00:00' };
    const intact = { ...checked, failures: 0 };
    const responses = [failed('the MAC is wrong', 60, at), { ...intact, next: at }, failed('gone', 60, null)];
    const whole = await run(['verify-audit', '--json'], { responses });
    const { broken, ...rest } = JSON.parse(whole.out) as { broken: { what: string }[] };
    expect([whole.exitCode, broken.length, broken[0]?.what, broken[99]?.what]).toEqual([
      ...[1, 100, 'the MAC is wrong', 'gone'],
    ]);
    expect(rest).toMatchObject({ intact: false, failures: 120, records: 9 });

    const after = [failed('the MAC is wrong', 1, at), { ...intact, next: null }];
    const { exitCode, out } = await run(['verify-audit'], { responses: after });
    expect([exitCode, out]).toEqual([1, expect.stringMatching(/\\u\{001b\}.*\n.*the MAC is wrong/)]);
    expect(out).toMatch(/^failures +1$/m);
  });

  it('verify-audit rejects a file without a public key, with and without --file', async () => {
    const privateKey = keys.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
    for (const text of ['', 'no key', privateKey, PUBLIC_KEY.replace(/M/g, '-')]) {
      const key = fileOf(text);
      const said = `cloakroom: --key ${key}: contains no public key in PEM, as audit-key prints it\n`;
      for (const more of [[], ['--file', fileOf('')]]) {
        const { exitCode, out, err, payloads } = await run(['verify-audit', '--key', key, ...more]);
        expect([exitCode, out, err, payloads]).toEqual([2, '', said, []]);
      }
    }
    const missing = newFile();
    expect((await run(['verify-audit', '--key', missing])).err).toBe(
      `cloakroom: --key ${missing}: cannot be read (ENOENT)\n`,
    );
  });

  it('export-audit writes all steps into a new file, which verify-audit --file checks', async () => {
    const file = newFile();
    const key = fileOf(PUBLIC_KEY);
    const record = { trail: TENANT, shard: 1, expires: 1, body: '{}' };
    const a = '0mwt00000aaaaaaaaaaaa';
    const b = '0mwt00001aaaaaaaaaaaa';
    const responses = [
      { lines: [{ record: { ...record, position: a } }], next: { at: Date.UTC(2026, 0, 31) } },
      { lines: [{ record: { ...record, position: b } }], next: null },
    ];
    const made = await run(['export-audit', '--tenant', TENANT, '--out', file, '--json'], { responses });
    expect([made.exitCode, JSON.parse(made.out)]).toEqual([0, { exported_to: file }]);
    expect(made.err).toBe('exported up to 2026-01-31T00:00:00.000Z\nexported, to the end\n');
    expect(made.payloads[1]).toMatchObject({ at: Date.UTC(2026, 0, 31) });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const [header = '', ...lines] = readFileSync(file, 'utf8').trim().split('\n');
    expect(JSON.parse(header)).toMatchObject({ export: 1, tenant: TENANT });
    expect(Date.parse((JSON.parse(header) as { at: string }).at)).not.toBeNaN();
    expect(lines).toHaveLength(2);

    const args = ['verify-audit', '--file', file, '--key', key, '--json'];
    const whole = await run(args);
    expect([whole.exitCode, whole.payloads]).toEqual([0, []]);
    expect(JSON.parse(whole.out)).toMatchObject({
      seals: 0,
      records: 2,
      not_sealed_yet: 2,
      before_the_first_seal: 0,
      expired_intervals: 0,
      intact: true,
      exported_at: expect.any(String),
    });
    writeFileSync(file, [header, lines[1], lines[0]].join('\n'));
    const swapped = await run(args);
    expect(swapped.out).toContain('not in order');
    expect([swapped.exitCode, JSON.parse(swapped.out)]).toEqual([
      ...[1, expect.objectContaining({ intact: false, failures: 1 })],
    ]);
  });

  it('export-audit overwrites no file', async () => {
    const file = fileOf('mine');
    const { exitCode, err, payloads } = await run(['export-audit', '--tenant', TENANT, '--out', file]);
    expect([exitCode, err, payloads]).toEqual([
      ...[2, `cloakroom: --out ${file}: the file exists; nothing was done\n`, []],
    ]);
    expect(readFileSync(file, 'utf8')).toBe('mine');
  });
});

describe('help', () => {
  it.each(COMMAND_NAMES)('help of %s names its options and the exit codes', async (name) => {
    const { exitCode, out, err } = await run([name, '--help']);
    const byHelp = await run(['help', name]);
    expect([exitCode, err]).toEqual([0, '']);
    for (const flag of flagsOf(name)) expect(out).toContain(`--${optionOf(flag)}`);
    expect(out).toContain('--local');
    expect(out).toContain('Exit codes');
    expect(byHelp).toEqual({ exitCode: 0, out, err: '', payloads: [] });
  });

  it('names every command', async () => {
    const { out } = await run(['-h']);
    for (const name of COMMAND_NAMES) expect(out).toContain(`  ${name} `);
  });
});
