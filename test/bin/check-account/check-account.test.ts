import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checksOf } from '../../../bin/check-account/check-account.ts';
import { callJson } from '../../../bin/check-account/call-json.ts';
import { needsOf } from '../../../bin/check-account/needs.ts';
import { commandLine } from '../../support/command-line.ts';
import { ALL_ON, DOMAIN, synthesized } from '../../support/synthesized.ts';
import { anAccount, awsError, type AnAccount } from './an-account.ts';

const NOW = Date.UTC(2026, 10, 30);
/** The stacks of CloudFront name their Region. */
const everything = needsOf(
  synthesized(ALL_ON, 'eu-west-1').map((stack) =>
    /-(?:Firewall|Console|Fields)/.test(stack.name) ? { ...stack, region: 'us-east-1' } : stack,
  ),
);
const plain = needsOf(synthesized({}, 'eu-west-1'));
const withDomain = needsOf(synthesized(DOMAIN, 'eu-west-1'));

const checks = (has: AnAccount = {}, needs = everything) =>
  checksOf(needs, anAccount(has).account, true, NOW);

/** Returns the lines of a check of an account, each as `status: what`. */
async function lines(id: string, has: AnAccount, needs = everything): Promise<readonly string[]> {
  return (await checks(has, needs))
    .filter((each) => each.id === id)
    .map(({ status, what }) => `${status}: ${what}`);
}

const denied = awsError('AccessDeniedException', 'User is not authorized: explicit deny');
const NO_ROLE = awsError(
  'InvalidParameterValueException',
  'The role defined for the function cannot be assumed',
);

/** The role and the layer of reactors, once their stack is deployed. */
const DEPLOYED = {
  stacks: {
    'Cloakroom-Reactors': {
      [everything.reactors?.roleId ?? '']: 'Cloakroom-Reactors-ReactorRole-1',
      [everything.reactors?.layerId ?? '']:
        'arn:aws:lambda:eu-west-1:123456789012:layer:Cloakroom-reactors:3',
    },
  },
};

describe('an account', () => {
  it('that has all that every part of a deployment needs has no finding', async () => {
    const found = await checks(DEPLOYED);
    expect(found.map(({ id, status }) => `${status} ${id}`)).toEqual([
      'ok account',
      'ok bootstrap',
      'ok bootstrap',
      'ok names',
      'ok concurrency-quota',
      'ok reserved-concurrency',
      'ok concurrency-alarm',
      'ok table-writes',
      'ok gateway-rate',
      'ok gateway-burst',
      'ok certificate',
      'ok certificate',
      'ok certificate',
      'ok waf',
      'warning cloudfront',
      'ok reactors',
      'ok cloudtrail',
    ]);
    expect(found.filter(({ status, remedy }) => (status === 'ok') !== (remedy === undefined))).toEqual([]);
  });

  it.each<[string, AnAccount, string, typeof plain]>([
    [
      'bootstrap',
      { json: { GetParameter: awsError('ParameterNotFound', '') } },
      'finding: eu-west-1 is not bootstrapped',
      plain,
    ],
    [
      'bootstrap',
      { json: { GetParameter: { Parameter: { Value: '5' } } } },
      'finding: eu-west-1 has version 5',
      plain,
    ],
    ['bootstrap', { json: { GetParameter: denied } }, 'warning: not checked: AccessDeniedException', plain],
    [
      'bootstrap',
      { json: { GetParameter: new TypeError('fetch failed') } },
      'finding: the check failed: TypeError',
      plain,
    ],
    [
      'names',
      { tables: ['Cloakroom-Tokens'] },
      'finding: exists already, and in no stack of the app: table Cloakroom-Tokens',
      plain,
    ],
    [
      'names',
      { functions: ['Cloakroom-operator'] },
      'finding: exists already, and in no stack of the app: function Cloakroom-operator',
      plain,
    ],
    ['names', { tables: ['Cloakroom-Tokens'], stacks: { 'Cloakroom-Data': {} } }, 'ok: no table', plain],
    ['table-writes', { tableWrites: 4_000 }, 'warning: tableMaxWrites is 5000', everything],
    [
      'table-writes',
      { tableWrites: 4_000 },
      'finding: warmThroughput asks for 10000',
      needsOf(synthesized({ warmThroughput: 10_000 })),
    ],
    [
      'gateway-burst',
      { json: { GetServiceQuota: { Quota: { Value: 1_250 } } } },
      'warning: throttleBurst is 2000',
      plain,
    ],
    [
      'certificate',
      { json: { DescribeCertificate: awsError('ResourceNotFoundException', '') } },
      'finding: arn:aws:acm:eu-west-1:123456789012:certificate/x of vault.example.com does not exist',
      withDomain,
    ],
    [
      'certificate',
      {
        json: {
          DescribeCertificate: {
            Certificate: { Status: 'PENDING_VALIDATION', DomainName: 'vault.example.com' },
          },
        },
      },
      'finding: the certificate of vault.example.com is PENDING_VALIDATION',
      withDomain,
    ],
    [
      'certificate',
      {
        json: {
          DescribeCertificate: { Certificate: { Status: 'ISSUED', DomainName: '*.vault.example.com' } },
        },
      },
      'finding: the certificate of vault.example.com is for *.vault.example.com',
      withDomain,
    ],
    [
      'certificate',
      {
        json: {
          DescribeCertificate: {
            Certificate: {
              Status: 'ISSUED',
              DomainName: 'vault.example.com',
              NotAfter: NOW / 1_000 + 864_000,
            },
          },
        },
      },
      'warning: the certificate of vault.example.com ends in 10 days',
      withDomain,
    ],
    [
      'waf',
      { json: { CheckCapacity: awsError('WAFInvalidParameterException', 'no') } },
      'finding: AWS WAF refuses the rules',
      everything,
    ],
    [
      'waf',
      { json: { CheckCapacity: { Capacity: 1_501 } } },
      'warning: AWS WAF accepts the rules',
      everything,
    ],
    [
      'cloudfront',
      { arn: 'arn:aws-us-gov:iam::123456789012:user/x' },
      'finding: the partition aws-us-gov has no global CloudFront',
      everything,
    ],
    ['cloudtrail', { json: { GetTrailStatus: { IsLogging: false } } }, 'warning: no trail records', plain],
    [
      'cloudtrail',
      { json: { GetEventSelectors: { EventSelectors: [{ ReadWriteType: 'ReadOnly' }] } } },
      'warning: no trail records',
      plain,
    ],
    [
      'cloudtrail',
      {
        json: {
          GetEventSelectors: {
            AdvancedEventSelectors: [
              { FieldSelectors: [{ Field: 'eventCategory', Equals: ['Management'] }] },
            ],
          },
        },
      },
      'ok: the trail',
      plain,
    ],
    ['cloudtrail', { json: { DescribeTrails: { trailList: [] } } }, 'warning: no trail records', plain],
  ])('is reported: %s %j', async (id, has, line, needs) => {
    expect((await lines(id, has, needs))[0]).toMatch(
      new RegExp(`^${line.replaceAll(/[*.]/g, String.raw`\$&`)}`),
    );
  });

  it('has to have the id that the app names', async () => {
    const other = { ...plain, stacks: plain.stacks.map((stack) => ({ ...stack, account: '999999999999' })) };
    expect(await lines('account', {}, other)).toEqual([
      'finding: the credentials are of account 123456789012, and the app is for 999999999999',
    ]);
  });

  it('gets the rules of the firewall as its API spells them', async () => {
    const { account, calls } = anAccount();
    await checksOf(everything, account, false, NOW);
    const [sent] = calls.filter(({ operation }) => operation === 'CheckCapacity');
    expect(sent?.region).toBe('us-east-1');
    expect(JSON.stringify(sent?.input)).toContain(
      `"SearchString":"${Buffer.from('key_public_').toString('base64')}"`,
    );
  });
});

describe('the quota of concurrent executions', () => {
  const id = 'reserved-concurrency';

  it('leaves 100 to functions without a reservation', async () => {
    // The app reserves 580.
    expect(await lines(id, { quota: 680 })).toEqual([
      'ok: the functions reserve 580 of the 680 concurrent executions of the account; 100 stay for all others',
    ]);
    expect((await lines(id, { quota: 679 }))[0]).toMatch(/^finding: .* 99 would stay/);
    expect((await lines(id, { quota: 1_000, unreserved: 679 }))[0]).toMatch(
      /^finding: .* of which other functions reserve 321; 99 would stay/,
    );
  });

  it('allows no reservation where it is 10, as in a new account', async () => {
    expect((await lines(id, { quota: 10 }))[0]).toMatch(/^finding: .* which allows none$/);
    expect(await lines(id, { quota: 10 }, plain)).toEqual([
      'ok: no function reserves instances, so all of them share the quota of the account',
    ]);
    expect((await lines('concurrency-quota', { quota: 10 }, plain))[0]).toMatch(
      /^warning: .* 1 slow calls of a proxy a second/,
    );
  });

  it('counts what the app has reserved already once', async () => {
    const [proxy] = everything.reserved.filter(({ logicalId }) => logicalId.startsWith('Proxy'));
    const has = {
      quota: 1_000,
      unreserved: 400,
      stacks: { [proxy?.stack ?? '']: { [proxy?.logicalId ?? '']: 'a-proxy' } },
      reserved: { 'a-proxy': 300 },
    };
    expect((await lines(id, has))[0]).toMatch(/; 120 stay for all others$/);
  });

  it.each([
    [3_000, 2_400, 'ok: ConcurrencyHigh rings at 2400'],
    [1_000, 2_400, 'warning: ConcurrencyHigh rings at 2400, and the quota is 1000'],
    [700, 560, 'warning: .* it always rings'],
  ])('is that of the alarm: %i, %i', async (quota, concurrencyHigh, line) => {
    const [found] = await lines('concurrency-alarm', { quota }, { ...everything, concurrencyHigh });
    expect(found).toMatch(new RegExp(`^${line}`));
  });
});

describe('the trial of a function', () => {
  const tried = async (has: AnAccount) => {
    const { account, calls } = anAccount(has);
    const found = await checksOf(plain, account, true, NOW);
    return {
      check: found.find(({ id }) => id === 'reactors'),
      calls: calls.filter(({ operation }) => operation.endsWith('Function')),
    };
  };

  it('makes one with the role, layer and tags of a reactor, and deletes it', async () => {
    const { check, calls } = await tried(DEPLOYED);
    expect(check?.status).toBe('ok');
    expect(calls.map(({ operation }) => operation)).toEqual(['CreateFunction', 'DeleteFunction']);
    const [made, deleted] = calls.map(({ input }) => input);
    expect(made).toMatchObject({
      FunctionName: expect.stringMatching(/^Cloakroom-reactor-[0-9a-f]{32}$/),
      Role: 'arn:aws:iam::123456789012:role/Cloakroom-Reactors-ReactorRole-1',
      Layers: ['arn:aws:lambda:eu-west-1:123456789012:layer:Cloakroom-reactors:3'],
      Architectures: ['arm64'],
      Tags: { 'cloakroom:tenant': expect.anything(), 'cloakroom:reactor': expect.anything() },
    });
    expect(deleted).toEqual({ FunctionName: made.FunctionName });
  });

  it('makes nothing before the first deployment, and no role: it names one that does not exist', async () => {
    const { check, calls } = await tried({ lambda: { CreateFunction: NO_ROLE } });
    expect([check?.status, check?.what]).toEqual(['warning', expect.stringContaining('no rule refuses')]);
    expect(calls.map(({ operation, input }) => [operation, input.Role, input.Layers])).toEqual([
      [
        'CreateFunction',
        `arn:aws:iam::123456789012:role/Cloakroom-Reactors-${plain.reactors?.roleId ?? ''}-none`,
        [],
      ],
    ]);
  });

  it('shows the rule of an organisation that refuses it, before and after', async () => {
    for (const has of [{}, DEPLOYED]) {
      const { check } = await tried({ ...has, lambda: { CreateFunction: denied } });
      expect([check?.status, check?.what]).toEqual(['finding', expect.stringContaining('explicit deny')]);
    }
    const { check } = await tried({ ...DEPLOYED, lambda: { CreateFunction: NO_ROLE } });
    expect(check?.status).toBe('finding');
  });

  it('deletes a function that is not ready yet, and names one that it cannot delete', async () => {
    let tries = 0;
    const busy = () => (++tries < 4 ? awsError('ResourceConflictException', 'in progress') : {});
    expect((await tried({ ...DEPLOYED, lambda: { DeleteFunction: busy } })).check?.status).toBe('ok');
    const { check, calls } = await tried({ ...DEPLOYED, lambda: { DeleteFunction: denied } });
    expect([check?.status, check?.remedy]).toEqual([
      'finding',
      expect.stringContaining(`--function-name ${calls[0]?.input.FunctionName as string}`),
    ]);
  });
});

describe('the command', () => {
  const folder = mkdtempSync(join(tmpdir(), 'cloakroom-account-'));
  afterAll(() => {
    rmSync(folder, { recursive: true });
  });
  const [data] = synthesized({}, 'eu-west-1');
  const artifacts = { Data: { type: 'aws:cloudformation:stack', properties: { templateFile: 'Data.json' } } };
  writeFileSync(join(folder, 'manifest.json'), JSON.stringify({ artifacts }));
  writeFileSync(join(folder, 'Data.json'), JSON.stringify(data?.template));
  const run = (has: AnAccount, ...more: readonly string[]) =>
    commandLine(['check-account', folder, ...more], { account: anAccount(has).account });

  it('prints a line for each check and what to do, with exit code 1 for a finding', async () => {
    const { exitCode, out, err } = await run({ quota: 900 });
    expect([exitCode, err]).toEqual([0, '']);
    expect(out.split('\n')).toEqual([
      'ok: account: account 123456789012, eu-west-1, as arn:aws:iam::123456789012:user/deployer',
      'ok: bootstrap: eu-west-1 is bootstrapped for the CDK (version 25)',
      'ok: names: no table or function has a name that the app would create',
      expect.stringMatching(/^warning: concurrency-quota: .* use it up\. Ask for 1000: aws service-quotas /),
      'ok: reserved-concurrency: no function reserves instances, so all of them share the quota of the account',
      'ok: table-writes: the quota of a table is 40000 write units a second',
      'ok: cloudtrail: the trail arn:aws:cloudtrail:eu-west-1:123456789012:trail/all records the calls of eu-west-1',
      '7 checks, 0 findings, 1 warnings',
      '',
    ]);
    expect((await run({ tables: ['Cloakroom-Audit'] })).exitCode).toBe(1);
  });

  it('prints JSON', async () => {
    const { out } = await run({ tables: ['Cloakroom-Audit'] }, '--json');
    expect(JSON.parse(out)).toMatchObject({ findings: 1, warnings: 0, checks: { 2: { id: 'names' } } });
  });

  it('does nothing without an app, or credentials, with exit code 2', async () => {
    const account = {
      ...anAccount().account,
      identity: () => Promise.reject(awsError('CredentialsProviderError', '')),
    };
    expect(await commandLine(['check-account', join(folder, 'none')], { account })).toMatchObject({
      exitCode: 2,
    });
    expect(await commandLine(['check-account', folder], { account })).toMatchObject({
      exitCode: 2,
      err: 'cloakroom: no AWS credentials or Region: set AWS_PROFILE and AWS_REGION\n',
    });
  });
});

describe('a call of a service without a client', () => {
  const call = (response: Response, region = 'eu-west-1') => {
    const fetch = jest.fn<Promise<Response>, Parameters<typeof globalThis.fetch>>(() =>
      Promise.resolve(response),
    );
    const answer = callJson({
      service: 'acm',
      region,
      operation: 'DescribeCertificate',
      input: { CertificateArn: 'x' },
      credentials: { accessKeyId: 'AKIA', secretAccessKey: 'secret' },
      fetch,
    });
    return { fetch, answer };
  };

  it('is signed for the service and the Region', async () => {
    const { fetch, answer } = call(Response.json({ Certificate: {} }));
    expect(await answer).toEqual({ Certificate: {} });
    const [[url, init] = []] = fetch.mock.calls;
    expect([url, init?.body]).toEqual(['https://acm.eu-west-1.amazonaws.com/', '{"CertificateArn":"x"}']);
    expect(init?.headers).toMatchObject({
      'x-amz-target': 'CertificateManager.DescribeCertificate',
      authorization: expect.stringMatching(
        /^AWS4-HMAC-SHA256 Credential=AKIA\/\d{8}\/eu-west-1\/acm\/aws4_request/,
      ),
    });
  });

  it.each([
    ['com.amazonaws.acm#AccessDeniedException', 'AccessDeniedException'],
    ['ResourceNotFoundException:http://internal/', 'ResourceNotFoundException'],
  ])('fails by the name of the error: %s', async (type, name) => {
    const { answer } = call(Response.json({ __type: type, message: 'why' }, { status: 400 }), 'cn-north-1');
    await expect(answer).rejects.toMatchObject({ name, message: 'why' });
  });

  it('fails for a response that is not of AWS', async () => {
    await expect(call(new Response('<html>', { status: 502 })).answer).rejects.toThrow('status 502');
  });
});
