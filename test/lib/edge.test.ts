import type { Stack } from '../../packages/local-aws/src/assembly/read-assembly.ts';
import { parseSettings } from '../../lib/settings.ts';
import { EDGE, SECRETS, synthesized } from '../support/synthesized.ts';

const REGION = 'eu-west-1';
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
