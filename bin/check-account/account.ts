import type { LambdaClient } from '@aws-sdk/client-lambda';

/** The calls that a check makes. Each rejects with the error of AWS, whose `name` is its code. */
export interface Account {
  /** The Region of the environment, for stacks that name none. */
  region(): Promise<string>;
  identity(): Promise<{ readonly account: string; readonly arn: string }>;
  /** The quota of concurrent executions, and what functions without a reservation share. */
  concurrency(): Promise<{ readonly quota: number; readonly unreserved: number }>;
  /** The reservation of a function; `undefined` if it has none, or does not exist. */
  reservedOf(functionName: string): Promise<number | undefined>;
  hasFunction(name: string): Promise<boolean>;
  /** The physical ids of the resources of a stack, by their logical ids; `undefined` without it. */
  resourcesOf(stack: string, region: string): Promise<ReadonlyMap<string, string> | undefined>;
  hasTable(name: string): Promise<boolean>;
  /** The most write units a second that a table may have. */
  tableWrites(): Promise<number>;
  /** Makes the function of the trial, and deletes it. */
  readonly lambda: Pick<LambdaClient, 'send'>;
  /** Calls a service of AWS whose protocol is JSON. */
  json(
    service: JsonService,
    region: string,
    operation: string,
    input: Readonly<Record<string, unknown>>,
  ): Promise<unknown>;
  readonly pause: (ms: number) => Promise<void>;
}

/** The services without a client of the SDK, with what precedes the operation in `X-Amz-Target`. */
export const JSON_SERVICES = {
  acm: 'CertificateManager',
  cloudtrail: 'com.amazonaws.cloudtrail.v20131101.CloudTrail_20131101',
  servicequotas: 'ServiceQuotasV20190624',
  ssm: 'AmazonSSM',
  wafv2: 'AWSWAF_20190729',
} as const;

export type JsonService = keyof typeof JSON_SERVICES;
