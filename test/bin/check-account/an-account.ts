import type { Account } from '../../../bin/check-account/account.ts';

const ARN = 'arn:aws:iam::123456789012:user/deployer';

/** An error as the SDK throws it. */
export const awsError = (name: string, message: string): Error => Object.assign(new Error(message), { name });

type Answer = object | Error | ((input: any) => object | Error);

/** These members replace those of an account that has everything. */
export interface AnAccount {
  readonly arn?: string;
  readonly quota?: number;
  readonly unreserved?: number;
  readonly tableWrites?: number;
  readonly tables?: readonly string[];
  readonly functions?: readonly string[];
  /** Physical ids by the name of a stack. A stack that is missing is not deployed. */
  readonly stacks?: Readonly<Record<string, Readonly<Record<string, string>>>>;
  readonly reserved?: Readonly<Record<string, number>>;
  /** By the name of the operation. */
  readonly json?: Readonly<Record<string, Answer>>;
  readonly lambda?: Readonly<Record<string, Answer>>;
}

const TRAIL = 'arn:aws:cloudtrail:eu-west-1:123456789012:trail/all';

const JSON_ANSWERS: Readonly<Record<string, Answer>> = {
  GetParameter: { Parameter: { Value: '25' } },
  GetServiceQuota: ({ QuotaCode }) => ({ Quota: { Value: QuotaCode === 'L-8A5B8E43' ? 10_000 : 5_000 } }),
  DescribeCertificate: ({ CertificateArn: arn }) => ({
    Certificate: {
      Status: 'ISSUED',
      DomainName: '*.example.com',
      SubjectAlternativeNames: [arn.endsWith('/z') ? 'fields.example.net' : 'example.com'],
      NotAfter: Date.UTC(2027, 0) / 1_000,
    },
  }),
  CheckCapacity: { Capacity: 205 },
  DescribeTrails: { trailList: [{ TrailARN: TRAIL, HomeRegion: 'eu-west-1' }] },
  GetTrailStatus: { IsLogging: true },
  GetEventSelectors: { EventSelectors: [{ IncludeManagementEvents: true, ReadWriteType: 'All' }] },
};

/** Answers like AWS, and records the calls. */
export function anAccount(has: AnAccount = {}) {
  const calls: { readonly operation: string; readonly region?: string; readonly input: any }[] = [];
  const answered = (answer: Answer | undefined, input: unknown): object => {
    const found = typeof answer === 'function' ? answer(input) : answer;
    if (found instanceof Error) throw found;
    return found ?? {};
  };
  const account: Account = {
    region: () => Promise.resolve('eu-west-1'),
    identity: () => Promise.resolve({ account: '123456789012', arn: has.arn ?? ARN }),
    concurrency: () =>
      Promise.resolve({ quota: has.quota ?? 3_000, unreserved: has.unreserved ?? has.quota ?? 3_000 }),
    reservedOf: (name) => Promise.resolve(has.reserved?.[name]),
    hasFunction: (name) => Promise.resolve(has.functions?.includes(name) ?? false),
    hasTable: (name) => Promise.resolve(has.tables?.includes(name) ?? false),
    resourcesOf: (stack) => {
      const found = has.stacks?.[stack];
      return Promise.resolve(found && new Map(Object.entries(found)));
    },
    tableWrites: () => Promise.resolve(has.tableWrites ?? 40_000),
    lambda: {
      send: (command: { readonly constructor: { readonly name: string }; readonly input: unknown }) => {
        const operation = command.constructor.name.replace(/Command$/, '');
        calls.push({ operation, input: command.input });
        return Promise.resolve().then(() => answered(has.lambda?.[operation], command.input));
      },
    } as never,
    json: (_service, region, operation, input) => {
      calls.push({ operation, region, input });
      const answers = { ...JSON_ANSWERS, ...has.json };
      return Promise.resolve().then(() => answered(answers[operation], input));
    },
    pause: () => Promise.resolve(),
  };
  return { account, calls };
}
