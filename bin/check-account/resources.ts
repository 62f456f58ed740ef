import { z } from 'zod';
import type { Account } from './account.ts';
import { finding, messageOf, nameOf, ok, warning, type Check } from './check.ts';
import type { CertificateUse, Needs } from './needs.ts';

/** Stacks in the Region of CloudFront need it, whatever the Region of the service is. */
const EDGE_REGION = 'us-east-1';
const DAY_MS = 86_400_000;
const SOON_DAYS = 30;

interface Place {
  readonly account: Account;
  readonly id: string;
  readonly region: string;
  readonly now: number;
}

/** The CDK's templates refuse an older one (`Rules` of a template). */
const BOOTSTRAP_LEAST = 6;
const parameter = z.object({ Parameter: z.object({ Value: z.coerce.number() }) });

/** The parameter of the bootstrap stack that a template names, and the Region. */
function bootstrapsOf({ stacks }: Needs, region: string): ReadonlyMap<string, readonly [string, string]> {
  const all = stacks.flatMap(({ template, region: own = region }) => {
    const name = template.Parameters['BootstrapVersion']?.Default;
    return typeof name === 'string' ? [[name, own] as const] : [];
  });
  return new Map(all.map((each) => [each.join(' '), each]));
}

async function ofBootstrap({ account, id: owner }: Place, name: string, region: string): Promise<Check> {
  const id = 'bootstrap';
  const remedy = `npx cdk bootstrap aws://${owner}/${region}`;
  try {
    const answer = await account.json('ssm', region, 'GetParameter', { Name: name });
    const version = parameter.parse(answer).Parameter.Value;
    return version >= BOOTSTRAP_LEAST
      ? ok(id, `${region} is bootstrapped for the CDK (version ${String(version)})`)
      : finding(
          id,
          `${region} has version ${String(version)} of the bootstrap stack, and the templates need ${String(BOOTSTRAP_LEAST)}`,
          remedy,
        );
  } catch (error) {
    if (nameOf(error) !== 'ParameterNotFound') throw error;
    return finding(id, `${region} is not bootstrapped for the CDK (${name} is missing)`, remedy);
  }
}

export const ofBootstraps = (place: Place, needs: Needs): Promise<readonly Check[]> =>
  Promise.all(
    [...bootstrapsOf(needs, place.region).values()].map(([name, own]) => ofBootstrap(place, name, own)),
  );

/** CloudFormation does not take over what exists under a name, unless a person imports it. */
export async function ofNames({ account, region }: Place, { names }: Needs): Promise<readonly Check[]> {
  const id = 'names';
  const taken: string[] = [];
  for (const [stack, all] of Map.groupBy(names, (each) => each.stack)) {
    if ((await account.resourcesOf(stack, region)) !== undefined) continue;
    for (const { kind, name } of all)
      if (await (kind === 'table' ? account.hasTable(name) : account.hasFunction(name)))
        taken.push(`${kind} ${name}`);
  }
  return taken.length === 0
    ? [ok(id, 'no table or function has a name that the app would create')]
    : [
        finding(
          id,
          `exists already, and in no stack of the app: ${taken.join(', ')}`,
          'Choose another serviceName, or adopt tables with their data: npx cdk deploy --all --import-existing-resources (docs/deploy.md#roll-back).',
        ),
      ];
}

const certificate = z.object({
  Certificate: z.looseObject({
    Status: z.string(),
    DomainName: z.string(),
    SubjectAlternativeNames: z.array(z.string()).default([]),
    NotAfter: z.number().optional(),
  }),
});

/** Whether a name of a certificate covers a domain. `*` is one label. */
const covers = (name: string, domain: string): boolean =>
  name.toLowerCase() === domain.toLowerCase() ||
  (name.startsWith('*.') && domain.slice(domain.indexOf('.')).toLowerCase() === name.slice(1).toLowerCase());

async function ofCertificate({ account, now }: Place, { arn, domain }: CertificateUse): Promise<Check> {
  const id = 'certificate';
  const [, , , region = ''] = arn.split(':');
  const answer = await account
    .json('acm', region, 'DescribeCertificate', { CertificateArn: arn })
    .catch((error: unknown) => {
      if (nameOf(error) === 'ResourceNotFoundException') return undefined;
      throw error;
    });
  if (answer === undefined)
    return finding(id, `${arn} of ${domain} does not exist`, `Request a certificate in ${region}.`);
  const { Certificate: found } = certificate.parse(answer);
  if (found.Status !== 'ISSUED')
    return finding(
      id,
      `the certificate of ${domain} is ${found.Status}, not ISSUED`,
      'Validate it in ACM, such as by its DNS record.',
    );
  const names = [found.DomainName, ...found.SubjectAlternativeNames];
  if (!names.some((name) => covers(name, domain)))
    return finding(
      id,
      `the certificate of ${domain} is for ${names.join(', ')}`,
      'Request one for the domain.',
    );
  const days = found.NotAfter === undefined ? Infinity : (found.NotAfter * 1_000 - now) / DAY_MS;
  return days < SOON_DAYS
    ? warning(
        id,
        `the certificate of ${domain} ends in ${String(Math.floor(days))} days`,
        'Renew it, or see in ACM why it is not renewed.',
      )
    : ok(id, `the certificate of ${domain} is issued in ${region}`);
}

export const ofCertificates = (place: Place, { certificates }: Needs): Promise<readonly Check[]> =>
  Promise.all(certificates.map((each) => ofCertificate(place, each)));

/** A template has texts where the API has base64 (WAFV2, ByteMatchStatement). */
function forApi(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(forApi);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      name,
      name === 'SearchString' && typeof member === 'string'
        ? Buffer.from(member).toString('base64')
        : forApi(member),
    ]),
  );
}

/** Whether a rule names a resource that the stack creates, which AWS WAF cannot check before. */
const refersToOthers = (rule: unknown): boolean => /"(?:Ref|Fn::\w+)":/.test(JSON.stringify(rule));

/** The price of a web ACL includes the first, and AWS accepts no more than the second. */
const UNITS = { included: 1_500, most: 5_000 };
const capacity = z.object({ Capacity: z.number() });

async function ofFirewall(account: Account, stack: string, rules: readonly unknown[]): Promise<Check> {
  const id = 'waf';
  try {
    const input = { Scope: 'CLOUDFRONT', Rules: forApi(rules) };
    const answer = await account.json('wafv2', EDGE_REGION, 'CheckCapacity', input);
    const { Capacity: units } = capacity.parse(answer);
    const figures = `AWS WAF accepts the rules of ${stack}: ${String(units)} capacity units`;
    if (units <= UNITS.included) return ok(id, figures);
    return units > UNITS.most
      ? finding(id, `${figures}, more than ${String(UNITS.most)}`, 'Use fewer headerPrefixes.')
      : warning(id, `${figures}, more than its price includes`, 'Use fewer headerPrefixes.');
  } catch (error) {
    if (!nameOf(error).startsWith('WAF')) throw error;
    return finding(
      id,
      `AWS WAF refuses the rules of ${stack}: ${nameOf(error)}: ${messageOf(error)}`,
      'Deploy without the part that needs it, or raise the quota that the message names.',
    );
  }
}

/** CloudFront, and a firewall for it, exist in the standard partition alone. */
export async function ofEdge(
  { account }: Place,
  { firewalls, distributions }: Needs,
  partition: string,
): Promise<readonly Check[]> {
  if (distributions === 0) return [];
  if (partition !== 'aws')
    return [
      finding(
        'cloudfront',
        `the partition ${partition} has no global CloudFront with a firewall in ${EDGE_REGION}`,
        'Deploy without edge, console and fields.',
      ),
    ];
  const rules = await Promise.all(
    firewalls
      .map(({ stack, rules: all }) => ({ stack, checked: all.filter((rule) => !refersToOthers(rule)) }))
      .filter(({ checked }) => checked.length > 0)
      .map(({ stack, checked }) => ofFirewall(account, stack, checked)),
  );
  return [
    ...rules,
    warning(
      'cloudfront',
      'CloudFront refuses the first distribution of an account that AWS has not verified, which no call shows',
      'In a new account ask AWS Support for it first. Distributions come last in a deployment.',
    ),
  ];
}

const trails = z.object({
  trailList: z.array(
    z.looseObject({
      TrailARN: z.string(),
      HomeRegion: z.string(),
      IsMultiRegionTrail: z.boolean().optional(),
    }),
  ),
});
const status = z.object({ IsLogging: z.boolean() });
const selectors = z.object({
  EventSelectors: z
    .array(
      z.looseObject({
        IncludeManagementEvents: z.boolean().optional(),
        ReadWriteType: z.string().optional(),
      }),
    )
    .optional(),
  AdvancedEventSelectors: z
    .array(
      z.looseObject({
        FieldSelectors: z.array(
          z.looseObject({ Field: z.string(), Equals: z.array(z.string()).default([]) }),
        ),
      }),
    )
    .optional(),
});

/** Whether a trail records calls that change something. */
function recordsWrites({
  EventSelectors: basic = [],
  AdvancedEventSelectors: advanced = [],
}: z.output<typeof selectors>): boolean {
  return (
    basic.some((each) => each.IncludeManagementEvents !== false && each.ReadWriteType !== 'ReadOnly') ||
    advanced.some(({ FieldSelectors: fields }) => {
      const valuesOf = (name: string) => fields.find(({ Field }) => Field === name)?.Equals ?? [];
      return valuesOf('eventCategory').includes('Management') && !valuesOf('readOnly').includes('true');
    })
  );
}

/** EventBridge gets calls only where a trail records them, and four alarms need its events. */
export async function ofCloudTrail({ account, region }: Place): Promise<readonly Check[]> {
  const id = 'cloudtrail';
  const { trailList: all } = trails.parse(await account.json('cloudtrail', region, 'DescribeTrails', {}));
  const here = all.filter((each) => each.HomeRegion === region || each.IsMultiRegionTrail === true);
  for (const { TrailARN: name, HomeRegion: home } of here) {
    const ask = (operation: string, input: Readonly<Record<string, unknown>>) =>
      account.json('cloudtrail', home, operation, input);
    const { IsLogging: isLogging } = status.parse(await ask('GetTrailStatus', { Name: name }));
    if (!isLogging) continue;
    if (recordsWrites(selectors.parse(await ask('GetEventSelectors', { TrailName: name }))))
      return [ok(id, `the trail ${name} records the calls of ${region}`)];
  }
  return [
    warning(
      id,
      `no trail records management write events in ${region}: KeyChanged, AuditChanged, CodeChanged and half of DataUnprotected never ring`,
      'Create a trail of CloudTrail for the Region, in the organisation or here.',
    ),
  ];
}
