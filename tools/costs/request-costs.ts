import { parseSettings } from '../../lib/settings.ts';
import { REACTOR_MEMORY_MB } from '../../src/core/reactors/layer.ts';
import { createLog, type Log } from '../../src/lambda/request-log.ts';
import { PRICES } from '../../lib/prices.ts';
import type { Resource } from './template-resources.ts';

/**
 * AWS bills a duration; none was measured on AWS, so both parts are assumed: the function itself,
 * and each round trip.
 */
const ASSUMED = {
  ownMs: 5,
  roundTripMs: 5,
  /** The proxy's destination, a reactor's run, a webhook's receiver. */
  othersMs: 200,
} as const;

/**
 * X-Ray's default rule; the first request of each second is recorded too (AWS X-Ray, Configuring
 * sampling rules).
 */
export const TRACED_SHARE = 0.05;
/**
 * CloudWatch Logs adds so many bytes to the message of each event (CloudWatch Logs, PutLogEvents).
 */
const LOG_EVENT_BYTES = 26;
const GIGABYTE = 2 ** 30;
const MB_PER_GB = 1024;
/** A message is sent, received and deleted; AWS makes the last two calls, and bills them. */
const CALLS_PER_MESSAGE = 3;

const UUID = '0190f3c4-7b1e-7c42-9d3a-5f2b6c8d1e0f';
const TIMED = { operation: 'createToken', milliseconds: 12, tenantId: UUID };
/**
 * API Gateway replaces the variables of the access log by such values, and a missing value by a
 * dash.
 */
const CONTEXT: Readonly<Record<string, string>> = {
  requestId: 'JKJaXmPLvHcESHA=',
  requestTime: '22/Nov/2026:18:40:43 +0000',
  routeKey: 'ANY /tokens/{proxy+}',
  status: '200',
  responseLatency: '23',
  responseLength: '421',
  integrationErrorMessage: '-',
  integrationStatus: '200',
};

/** The cost of each invocation of a kind of function, without its duration. */
export interface InvocationCosts {
  readonly gigabytes: number;
  /** Bytes that CloudWatch Logs counts, by the writer of the line. */
  readonly logBytes: { readonly function: number; readonly gateway: number };
  /** Traces that X-Ray records for an invocation. */
  readonly traces: number;
}

/** Templates determine these of the costs of requests, and of the functions behind queues. */
export interface RequestCosts {
  readonly api: InvocationCosts;
  readonly queued: InvocationCosts;
}

/** The resources that one operation uses. */
export interface Usage {
  readonly readUnits: number;
  readonly writeUnits: number;
  /** The write units include these, which belong to the audit trail. */
  readonly auditUnits?: number;
  /** Number of calls to AWS that wait for each other. */
  readonly sequential: number;
  /** A function behind a queue has 0. */
  readonly gatewayRequests: number;
  readonly reactorRuns: number;
  /** Whether it waits for a program of another party. */
  readonly waitsForOthers: boolean;
  readonly messages?: number;
  readonly kmsCalls?: number;
  /** Bytes of the audit trail that stay stored, as AWS bills them. */
  readonly trailBytes?: number;
}

/** The cost of a million of an operation, in US dollars. */
export interface Dollars {
  /** Does not include the audit trail. */
  readonly database: number;
  readonly audit: number;
  readonly lambda: number;
  readonly gateway: number;
  readonly queues: number;
  readonly keys: number;
  readonly logs: number;
  readonly traces: number;
  readonly total: number;
}

/**
 * Bytes that CloudWatch Logs counts for lines. Throws if one is empty: a disabled logger would cost
 * nothing.
 */
export function loggedBytes(lines: readonly string[]): number {
  if (lines.includes('')) throw new Error('nothing was logged');
  return lines.reduce((sum, line) => sum + Buffer.byteLength(line) + LOG_EVENT_BYTES, 0);
}

/** Fills a line of the access log with typical values. Throws for a variable that has none. */
function accessLogLine(format: string): string {
  return format.replaceAll(/\$context\.([\w.]+)/g, (_, name: string) => {
    const value = CONTEXT[name];
    if (value === undefined)
      throw new Error(`no typical value of $context.${name} in tools/costs/request-costs.ts`);
    return value;
  });
}

/** Functions that cost alike, by their descriptions. */
const FUNCTIONS = {
  api: [
    'Applications and their keys',
    'Tokens',
    'Calls through stored proxies and the ephemeral one',
    'Reactors and their invocation',
    'The audit trail, for those who may read it',
  ],
  queued: ['Runs asynchronous invocations of reactors', 'Delivers results of asynchronous invocations'],
} as const;

/**
 * Memory and tracing of a function by its description. Throws if there is none, or if it is not on
 * arm64, whose price is used.
 */
export function functionOf(resources: readonly Resource[], description: string) {
  const found = resources.find(
    ({ Type, Properties }) => Type === 'AWS::Lambda::Function' && Properties?.['Description'] === description,
  )?.Properties;
  if (found === undefined) throw new Error(`no function "${description}" in the templates`);
  if (String(found['Architectures']) !== 'arm64') throw new Error(`"${description}" is not on arm64`);
  const { Mode: mode } = (found['TracingConfig'] ?? {}) as { readonly Mode?: string };
  return {
    gigabytes: Number(found['MemorySize']) / MB_PER_GB,
    traces: mode === 'Active' ? TRACED_SHARE : 0,
  };
}

/** Memory and tracing that functions share. Throws if they differ. */
function commonOf(resources: readonly Resource[], descriptions: readonly string[]) {
  const all = descriptions.map((description) => functionOf(resources, description));
  const [first] = all;
  if (first === undefined || all.some((each) => JSON.stringify(each) !== JSON.stringify(first)))
    throw new Error(`${descriptions.join(', ')} differ in memory or tracing`);
  return first;
}

/** The lines that an instance prints of its log. */
function printedLines(write: (log: Log) => void): readonly string[] {
  const lines: string[] = [];
  write(createLog((line) => lines.push(line)));
  return lines;
}

/**
 * Reads the costs of a request besides its calls from templates, with lines that the service's own
 * logger prints.
 */
export function requestCosts(resources: readonly Resource[]): RequestCosts {
  const stages = resources.filter(({ Type }) => Type === 'AWS::ApiGatewayV2::Stage');
  if (stages.length !== 1) throw new Error(`${String(stages.length)} stages of the API in the templates`);
  const accessLog = stages.flatMap(({ Properties: { AccessLogSettings: settings } = {} }) =>
    settings === undefined ? [] : [accessLogLine((settings as { readonly Format: string }).Format)],
  );
  const request = printedLines((log) => {
    log.request({ level: 'info', traceId: UUID, status: 200, applicationId: UUID, ...TIMED });
  });
  const message = printedLines((log) => {
    log.write('info', { ...TIMED, operation: 'runInvocation', invocationId: UUID });
  });
  return {
    api: {
      ...commonOf(resources, FUNCTIONS.api),
      logBytes: { function: loggedBytes(request), gateway: loggedBytes(accessLog) },
    },
    queued: {
      ...commonOf(resources, FUNCTIONS.queued),
      logBytes: { function: loggedBytes(message), gateway: 0 },
    },
  };
}

/** Dollars for so many bytes of logs. */
export const logDollars = (bytes: number): number => (bytes / GIGABYTE) * PRICES.logGigabyte;

export function assumedMs({ sequential, waitsForOthers }: Pick<Usage, 'sequential' | 'waitsForOthers'>) {
  return ASSUMED.ownMs + ASSUMED.roundTripMs * sequential + (waitsForOthers ? ASSUMED.othersMs : 0);
}

const MONTH_DAYS = 365 / 12;

/**
 * Costs of the stored records of a million of an operation until they expire, with the retention of
 * the default settings.
 */
export function retentionDollars(trailBytes: number): number {
  const months = parseSettings({}).auditRetentionDays / MONTH_DAYS;
  const gigabytes = (trailBytes * 1e6) / GIGABYTE;
  return gigabytes * months * (PRICES.infrequent.storedGigabyte + PRICES.recoverableGigabyte);
}

export function dollarsPerMillion(usage: Usage, costs: RequestCosts): Dollars {
  const { gigabytes, logBytes, traces } = usage.gatewayRequests > 0 ? costs.api : costs.queued;
  const { auditUnits = 0 } = usage;
  const time = (ms: number, memory: number) => (ms / 1_000) * memory * PRICES.gigabyteSecond;
  const reactorRun = PRICES.lambdaRequest + time(ASSUMED.othersMs, REACTOR_MEMORY_MB / MB_PER_GB);
  const one = {
    database: usage.readUnits * PRICES.readUnit + (usage.writeUnits - auditUnits) * PRICES.writeUnit,
    audit: auditUnits * PRICES.infrequent.writeUnit,
    lambda: PRICES.lambdaRequest + time(assumedMs(usage), gigabytes) + usage.reactorRuns * reactorRun,
    gateway: usage.gatewayRequests * PRICES.gatewayRequest,
    queues: (usage.messages ?? 0) * CALLS_PER_MESSAGE * PRICES.sqsRequest,
    keys: (usage.kmsCalls ?? 0) * PRICES.kmsRequest,
    logs: logDollars(logBytes.function + logBytes.gateway),
    traces: traces * PRICES.trace,
  };
  const million = (value: number) => value * 1e6;
  return {
    database: million(one.database),
    audit: million(one.audit),
    lambda: million(one.lambda),
    gateway: million(one.gateway),
    queues: million(one.queues),
    keys: million(one.keys),
    logs: million(one.logs),
    traces: million(one.traces),
    total: million(Object.values(one).reduce((sum, dollars) => sum + dollars, 0)),
  };
}
