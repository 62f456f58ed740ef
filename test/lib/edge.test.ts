import type { Stack } from '../../packages/local-aws/src/assembly/read-assembly.ts';
import { generateApiKey } from '../../src/core/crypto/api-key.ts';
import { machinePlatform } from '../../src/adapters/machine-platform.ts';
import { parseSettings } from '../../lib/settings.ts';
import { ALL_ON, EDGE, LONGEST, SECRETS, synthesized } from '../support/synthesized.ts';

const REGION = 'eu-west-1';
const TENANT = '0195b0a0-0000-7000-8000-000000000001';
const { next: NEW, former: OLD } = SECRETS;
const without = synthesized({}, REGION);
const withEdge = (more: Readonly<Record<string, string>> = {}) => synthesized({ ...EDGE, ...more }, REGION);
const first = withEdge();

function stackOf(stacks: readonly Stack[], name: string): Stack['template'] {
  const stack = stacks.find((each) => each.name.startsWith(`Cloakroom-${name}`));
  if (stack === undefined) throw new Error(`no stack ${name}`);
  return stack.template;
}

const text = (stacks: readonly Stack[], name: string) => JSON.stringify(stackOf(stacks, name));

/** Finds the references to values of the secret in a stack. Each names a version or a stage. */
const references = (stacks: readonly Stack[], name: string) =>
  [...text(stacks, name).matchAll(/:SecretString:([^}]*)\}\}/g)].map(([, tail = '']) => tail);

/** The outputs of other stacks that a stack reads, as `stack.output`. */
const readBy = (template: Stack['template']) =>
  [...JSON.stringify(template).matchAll(/"Fn::GetStackOutput":(\{.*?"OutputName":"[^"]+"\})/g)].map(
    ([, read = '']) => {
      const { StackName, OutputName } = JSON.parse(read) as Readonly<Record<string, string>>;
      return `${StackName ?? ''}.${OutputName ?? ''}`;
    },
  );
const outputsOf = (stacks: readonly Stack[]) =>
  stacks.flatMap(({ name, template }) => Object.keys(template.Outputs).map((output) => `${name}.${output}`));

const FUNCTIONS_BEHIND_THE_API = 5;

describe("the edge's secret", () => {
  it('is initially the current version everywhere: there is no previous one to refer to', () => {
    expect(references(first, 'Api')).toEqual(Array(FUNCTIONS_BEHIND_THE_API).fill('::'));
    expect([references(first, 'Reactors'), references(first, 'Edge')]).toEqual([['::'], ['::']]);
    expect(JSON.stringify(first)).not.toMatch(/AWSPREVIOUS/);
  });

  it('is replaced by a deployment: functions accept the new and the old value before the edge sends the new one', () => {
    const rotated = withEdge({ edgeSecretVersions: `${NEW},${OLD}` });
    const both = [`::${NEW}`, `::${OLD}`];
    expect(references(rotated, 'Api')).toEqual(Array<string[]>(FUNCTIONS_BEHIND_THE_API).fill(both).flat());
    expect(references(rotated, 'Reactors')).toEqual(both);
    expect(references(rotated, 'Edge')).toEqual([`::${NEW}`]);
    for (const name of ['Api', 'Reactors', 'Edge']) expect(text(rotated, name)).not.toBe(text(first, name));
    // In the order of a deployment the edge comes last.
    const names = rotated.map(({ name }) => name);
    for (const name of ['Cloakroom-Api', 'Cloakroom-Reactors'])
      expect(names.indexOf(name)).toBeLessThan(names.indexOf('Cloakroom-Edge'));
  });

  it('is no longer accepted once its version is left out', () => {
    const done = withEdge({ edgeSecretVersions: NEW });
    expect([
      ...references(done, 'Api'),
      ...references(done, 'Reactors'),
      ...references(done, 'Edge'),
    ]).toEqual(Array(FUNCTIONS_BEHIND_THE_API + 2).fill(`::${NEW}`));
  });

  it.each(['AWSPREVIOUS', `${NEW},${OLD},${NEW}`, 'v1'])('rejects the versions %j', (edgeSecretVersions) => {
    expect(() => parseSettings({ ...EDGE, edgeSecretVersions })).toThrow('edgeSecretVersions');
  });

  it('is not required without an edge', () => {
    expect(JSON.stringify(without)).not.toMatch(/resolve:secretsmanager/);
  });
});

describe('the edge is switched on and off', () => {
  it('the API and the secret exist before the functions require the secret of the edge', () => {
    // The first command of docs/deploy.md, "Switch it on", deploys the other stacks that it reads.
    const read = readBy(stackOf(first, 'Edge')).filter((output) => output.startsWith('Cloakroom-Api.'));
    expect(new Set(read).size).toBe(1);
    expect(read.filter((output) => !outputsOf(without).includes(output))).toEqual([]);
  });

  it('the edge is in front of the address of the API in the other stacks', () => {
    const distribution: any = Object.values(stackOf(first, 'Edge').Resources).find(
      ({ Type }) => Type === 'AWS::CloudFront::Distribution',
    );
    const [origin] = distribution.Properties.DistributionConfig.Origins;
    expect(JSON.stringify(origin.DomainName)).toMatch(
      /"Cloakroom-Api","Region":"eu-west-1","OutputName":"\w+RefApi\w+"\}\},"\.execute-api\.eu-west-1\./,
    );
  });
});

describe('the firewall responds to browsers like the API', () => {
  const acl = Object.values(stackOf(withEdge(), 'Firewall').Resources).find(
    ({ Type }) => Type === 'AWS::WAFv2::WebACL',
  )?.Properties as any;
  const rule = (name: string) => acl.Rules.find((each: any) => each.Name === name);
  const response = (name: string) => {
    const { ResponseCode, ResponseHeaders } = rule(name).Action.Block.CustomResponse;
    const pairs = ResponseHeaders.map(({ Name, Value }: any) => [Name, Value]);
    return { status: ResponseCode, headers: Object.fromEntries(pairs) };
  };
  const api: any = Object.values(stackOf(without, 'Api').Resources).find(
    ({ Type }) => Type === 'AWS::ApiGatewayV2::Api',
  );
  const { CorsConfiguration: cors } = api.Properties;

  it('the firewall responds with a 429 that a page can read', () => {
    expect(response('TooManyRequests')).toEqual({
      status: 429,
      headers: {
        'retry-after': '60',
        'access-control-allow-origin': cors.AllowOrigins.join(),
        'access-control-expose-headers': cors.ExposeHeaders.join(),
      },
    });
  });

  it('the firewall responds with a successful preflight, without which a page would never see the 429', () => {
    expect(response('TooManyPreflights')).toEqual({
      status: 200,
      headers: {
        'access-control-allow-origin': cors.AllowOrigins.join(),
        'access-control-allow-methods': cors.AllowMethods.join(),
        'access-control-allow-headers': cors.AllowHeaders.join(),
      },
    });
    const scope = (name: string) => rule(name).Statement.RateBasedStatement.ScopeDownStatement;
    expect(scope('TooManyPreflights').ByteMatchStatement.SearchString).toBe('OPTIONS');
    expect(scope('TooManyRequests')).toEqual({ NotStatement: { Statement: scope('TooManyPreflights') } });
  });
});

interface Counted {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly query?: string;
  readonly ip?: string;
}

describe('requests at the firewall', () => {
  const rulesOf = (stacks: readonly Stack[]): any[] =>
    stacks
      .filter(({ name }) => name.includes('-Firewall'))
      .flatMap(({ template }) => Object.values(template.Resources))
      .filter(({ Type }) => Type === 'AWS::WAFv2::WebACL')
      .flatMap(({ Properties }) => Properties['Rules'] as any[]);
  const rules = rulesOf(first);

  const matches = (statement: any, { method = 'GET', headers = {} }: Counted): boolean => {
    if (statement === undefined) return true;
    if (statement.NotStatement !== undefined)
      return !matches(statement.NotStatement.Statement, { method, headers });
    const { FieldToMatch: field, SearchString: text } = statement.ByteMatchStatement;
    return field.Method === undefined
      ? (headers[field.SingleHeader.Name] ?? '').startsWith(text)
      : method === text;
  };

  /** The value of a part of the key under which a rule counts a request, if it has one. */
  const valueOf = (part: any, { headers = {}, query = '', ip = '192.0.2.1' }: Counted) => {
    if (part.Header !== undefined) return headers[part.Header.Name];
    if (part.QueryArgument === undefined) return ip;
    const found = query.split('&').find((each) => each.startsWith(`${part.QueryArgument.Name}=`));
    const [{ Type }] = part.QueryArgument.TextTransformations;
    const value = found?.slice(found.indexOf('=') + 1);
    return value !== undefined && Type === 'URL_DECODE' ? decodeURIComponent(value) : value;
  };

  /** The counters of a request: AWS WAF omits it where a part of the key is missing. */
  const countersOf = (request: Counted, of = rules): readonly string[] =>
    of.flatMap(({ Name, Statement: { RateBasedStatement: rate } }) => {
      if (rate === undefined || !matches(rate.ScopeDownStatement, request)) return [];
      const parts = (rate.CustomKeys ?? [{ IP: {} }]).map((part: any) => valueOf(part, request));
      return parts.includes(undefined) ? [] : [[Name, ...parts, rate.Limit].join(' ')];
    });

  it('are counted by their address alone without a key, and preflights apart', () => {
    expect(countersOf({})).toEqual(['TooManyRequests 192.0.2.1 10000']);
    expect(countersOf({ method: 'OPTIONS' })).toEqual(['TooManyPreflights 192.0.2.1 10000']);
  });

  it('are counted by key and address with a public key, which everyone has', () => {
    const key = generateApiKey(machinePlatform.random, 'public', TENANT);
    const headers = { 'svc-api-key': key.reveal() };
    expect(countersOf({ headers })).toEqual([
      'TooManyRequests 192.0.2.1 10000',
      `TooManyOfPublicKey-SVC ${key.reveal()} 192.0.2.1 2000`,
    ]);
  });

  it.each(['key_private_x', 'key_management_x', 'key_session_x', 'unknown'])(
    'are counted by the key from all addresses with any other key: %s',
    (key) => {
      expect(countersOf({ headers: { 'svc-api-key': key } })).toEqual([
        'TooManyRequests 192.0.2.1 10000',
        `TooManyOfKey-SVC ${key} 100000`,
      ]);
    },
  );

  it('are counted by the key of a proxy, in a header and in each spelling in a query', () => {
    expect(countersOf({ headers: { 'svc-proxy-key': 'key_proxy_x' } })).toContain(
      'TooManyOfProxyKey-SVC key_proxy_x 100000',
    );
    for (const spelling of ['key_proxy_x', 'key%5Fproxy%5fx', '%6bey_proxy_x'])
      expect(countersOf({ query: `a=b&svc-proxy-key=${spelling}` })).toContain(
        'TooManyOfProxyKeyInQuery-SVC key_proxy_x 100000',
      );
  });

  it('are blocked at the limits of the settings', () => {
    const limits = rulesOf(synthesized(ALL_ON, REGION)).map(({ Name, Statement }) => [
      Name,
      Statement.RateBasedStatement?.Limit,
    ]);
    expect(Object.fromEntries(limits)).toEqual({
      TooManyRequests: 5_000,
      TooManyPreflights: 5_000,
      BadReputation: undefined,
      'TooManyOfPublicKey-SVC': 700,
      'TooManyOfKey-SVC': 70_000,
      'TooManyOfProxyKey-SVC': 70_000,
      'TooManyOfProxyKeyInQuery-SVC': 70_000,
    });
  });

  it('are counted under each prefix, within the capacity that AWS WAF includes', () => {
    const five = rulesOf(synthesized(LONGEST, REGION));
    const sent = {
      headers: { [`${'b'.repeat(20)}-api-key`]: 'key_x', [`${'e'.repeat(20)}-proxy-key`]: 'key_proxy_x' },
    };
    expect(countersOf(sent, five).slice(1)).toEqual([
      `TooManyOfKey-${'B'.repeat(20)} key_x 100000`,
      `TooManyOfProxyKey-${'E'.repeat(20)} key_proxy_x 100000`,
    ]);
    const names = five.map(({ Name }) => Name);
    expect(new Set(names).size).toBe(names.length);
    // A rate is 2 units, each key of ours 30, a comparison 2, a decoding 10, and the list 25 (AWS
    // WAF Developer Guide, Rule statements).
    const text = JSON.stringify(five);
    const count = (pattern: RegExp) => text.match(pattern)?.length ?? 0;
    const keys = five.flatMap(({ Statement }) => (Statement.RateBasedStatement?.CustomKeys ?? []) as any[]);
    const units =
      2 * count(/"RateBasedStatement"/g) +
      30 * keys.length +
      2 * count(/"ByteMatchStatement"/g) +
      10 * count(/"URL_DECODE"/g) +
      25;
    expect([units, units < 1_500]).toEqual([893, true]);
  });
});
