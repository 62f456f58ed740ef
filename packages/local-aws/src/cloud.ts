import { createServer, type IncomingHttpHeaders } from 'node:http';
import { join } from 'node:path';
import type { CloudParts } from './assembly/cloud-parts.ts';
import { createKeyDefinitions } from './kms/key-definitions.ts';
import { readAssembly } from './assembly/read-assembly.ts';
import type { Account } from './assembly/account.ts';
import { createRoleRegistry, newAccessKey, type AccessKey } from './iam/role-registry.ts';
import { startResources } from './assembly/start-resources.ts';
import type { CdkApp } from './assembly/app-key.ts';
import type { AwsService } from './aws-service.ts';
import { startAwsEndpoint } from './aws-endpoint/start-aws-endpoint.ts';
import { createCloudFormation } from './cloudformation/create-cloudformation.ts';
import type { DeployedStack, Removers } from './assembly/deployed-stack.ts';
import { createClock, type Clock } from './clock.ts';
import { createCloudWatch, type CloudWatch } from './cloudwatch/create-cloudwatch.ts';
import { createFunctionActivity, type FunctionActivity } from './cloudwatch/function-activity.ts';
import { gatewayObserver } from './cloudwatch/gateway-metrics.ts';
import { createHealthReader, type HealthReader } from './cloudwatch/health.ts';
import { observeThrottles, throttleMetricOf } from './cloudwatch/refused-calls.ts';
import { recordContents, requireContents } from './data-contents.ts';
import { deployOver } from './deployment/recorded-deployment.ts';
import { lockDataDirectory } from './data-lock.ts';
import { createDynamoDb, type DynamoDb } from './dynamodb/create-dynamodb.ts';
import { errorMessage } from './error-code.ts';
import { createFaults, type Faults } from './faults/create-faults.ts';
import { createGatewayDefinition } from './gateway/gateway-definition.ts';
import { startHttpGateway, type Exchange } from './gateway/http-gateway.ts';
import type { GatewayPage, GatewayResponse } from './gateway/gateway-responses.ts';
import { listenOnLocalhost, type Listening } from './gateway/listen.ts';
import { createKms, type Kms } from './kms/create-kms.ts';
import type { Lambda } from './lambda/create-lambda.ts';
import { createFunctionHost, type FunctionHost } from './lambda/function-host.ts';
import type { InvocationOutcome } from './lambda/function-definition.ts';
import { createLineSplitter, createLogFiles, createLogPrinter, type Logs } from './account-logs.ts';
import { parseFunctionName } from './lambda/function-name.ts';
import { startLambda } from './lambda/start-lambda.ts';
import { createLayerTable } from './lambda/layer-table.ts';
import { createLogGroups } from './logs/create-log-groups.ts';
import { openApp } from './open-app.ts';
import { runSchedules } from './schedules/run-schedules.ts';
import { createScheduleTable } from './schedules/schedule-table.ts';
import { createStorageFailure, type StorageFailure } from './storage-failure.ts';
import { createSqs, type Sqs } from './sqs/create-sqs.ts';
import { createQueueDefinitions } from './sqs/queue-definitions.ts';
import { startMappings } from './sqs/start-mappings.ts';

/** The app before it accepts any call except those of {@link CloudOptions.prepare}. */
export interface PreparedApp {
  /** The outputs of the stacks, by name. */
  readonly outputs: ReadonlyMap<string, string>;
  /** Invokes a function as the administrator. Never rejects: a failure is an outcome. */
  readonly invoke: (functionName: string, payload: string) => Promise<InvocationOutcome>;
}

/** What an app adds to its HTTP API locally. */
export interface GatewayExtension {
  /** Pages next to the API, by path and headers; `undefined` leaves a path to the API. */
  readonly pages?: (path: string, headers: IncomingHttpHeaders) => Promise<GatewayPage | undefined>;
  /** Rewrites the gateway's own responses, like a front end of the API might. */
  readonly presentResponse?: (response: GatewayResponse) => GatewayResponse;
  /** Sees every response of the API. */
  readonly onResponse?: (exchange: Exchange) => void;
  /** Runs after the last response. */
  readonly onClose?: () => void;
}

export interface CloudOptions {
  /** The folder of a synthesized app (`cdk.out`), or a CDK app to synthesize first. */
  readonly app: string | CdkApp;
  /** The folder for synthesized apps, the compile cache and logs. */
  readonly workDirectory: string;
  /** 0 selects a free port. */
  readonly port: number;
  /** Keeps state across starts; without it state is in memory. */
  readonly dataDirectory?: string;
  /** How long a scheduled minute lasts. Default 60. */
  readonly tickSeconds?: number;
  /** Faults to inject once everything is ready, and the seed of their chances. Default: none, 1. */
  readonly faults?: readonly string[];
  readonly faultSeed?: number;
  /**
   * Receives one line about each condition that the user should know, such as a full disk. Default:
   * standard error.
   */
  readonly report?: (line: string) => void;
  /**
   * Receives each output line of a function whose role may not write logs; AWS drops them. Default:
   * dropped.
   */
  readonly onUnlogged?: (functionName: string, line: string) => void;
  /** Receives each logged line of the app's functions. */
  readonly onLogged?: (functionName: string, line: string) => void;
  /** Certificates in PEM form that functions accept in addition to Node's own. Default: none. */
  readonly trustedCertificates?: readonly string[];
  /** Prints logs through this instead of writing them to files. */
  readonly printLogs?: (text: string) => void;
  /**
   * Runs once functions can be invoked, before the API and the schedules start. A rejection fails
   * the start.
   */
  readonly prepare?: (app: PreparedApp) => Promise<void>;
  readonly extendGateway?: (baseUrl: string, log: (line: string) => void) => GatewayExtension;
  /** Receives the next step of the start, if it takes longer than a moment. */
  readonly onProgress?: (step: string) => void;
  /** Aborts the start; everything that was started is stopped. */
  readonly signal?: AbortSignal;
}

export interface Cloud {
  readonly baseUrl: string;
  readonly awsEndpointUrl: string;
  /** The access key of the account's administrator; each start makes a new one. */
  readonly administrator: AccessKey;
  /** Where logs are written; `undefined` if they are printed. */
  readonly logDirectory: string | undefined;
  close(): Promise<void>;
}

/** The parts of one start; `closers` undo it, the last first. */
interface Start {
  readonly options: CloudOptions;
  readonly account: Account;
  readonly logs: Logs;
  readonly faults: Faults;
  readonly clock: Clock;
  readonly cloudWatch: CloudWatch;
  readonly activity: FunctionActivity;
  readonly administrator: AccessKey;
  readonly storageFailure: StorageFailure;
  /** What ends the resources of a deleted stack; each part adds its own. */
  readonly removers: Removers;
  readonly closers: (() => Promise<void> | void)[];
  /** Ports that are reserved until their servers listen. */
  readonly ports: Readonly<Record<'gateway' | 'aws', Listening>>;
}

interface Stores {
  readonly dynamoDb: DynamoDb;
  readonly kms: Kms;
  readonly sqs: Sqs;
}

export const ACCOUNT_ID = '000000000000';
export const REGION = 'us-east-1';
/** Expired items are deleted once an hour. AWS takes up to two days, so no code may rely on TTL. */
const MINUTES_BETWEEN_EXPIRIES = 60;

/** Finds the folder of the templates and the folder in which Node caches compiled functions. */
async function appFolders({ options, closers }: Start) {
  const { app, workDirectory, signal, onProgress } = options;
  if (typeof app === 'string') return { directory: app, compileCache: join(workDirectory, 'compile-cache') };
  const synthesized = await openApp(app, {
    workDirectory,
    onSynthesis: () => onProgress?.('synthesizing the app'),
    ...(signal !== undefined && { signal }),
  });
  closers.push(() => {
    synthesized.release();
  });
  return synthesized;
}

async function createStores({ options, clock, storageFailure, closers }: Start): Promise<Stores> {
  const settings = (name: string) => ({
    ...(options.dataDirectory !== undefined && { dataDir: join(options.dataDirectory, name) }),
    accountId: ACCOUNT_ID,
    region: REGION,
    storageFailure,
  });
  const dynamoDb = await createDynamoDb(settings('dynamodb'));
  closers.push(() => dynamoDb.close());
  const kms = await createKms(settings('kms'));
  closers.push(() => kms.close());
  const sqs = createSqs({ ...settings('sqs'), clock: clock.shared });
  closers.push(() => sqs.close());
  return { dynamoDb, kms, sqs };
}

/** The parts of an account before its resources exist. */
export function createParts(
  begun: Pick<Start, 'account' | 'logs' | 'faults' | 'clock' | 'cloudWatch' | 'activity'>,
  dynamoDb: Pick<DynamoDb, 'createTable'>,
  assets: CloudParts['assets'],
  compileCache: string,
  { onLogged, trustedCertificates }: Pick<CloudOptions, 'onLogged' | 'trustedCertificates'> = {},
): CloudParts {
  const { account, logs, faults, clock, cloudWatch, activity } = begun;
  const roles = createRoleRegistry();
  const onText = createLineSplitter((name, line) => {
    cloudWatch.printed(line);
    onLogged?.(name, line);
  });
  return {
    account,
    assets,
    createTable: async (table) => {
      await dynamoDb.createTable(table);
    },
    keys: createKeyDefinitions(),
    roles,
    functions: createFunctionHost({
      region: REGION,
      credentialsFor: (roleArn) => roles.credentialsFor(roleArn),
      log: (name, text) => {
        logs.write(name, text);
        onText(name, text);
      },
      ...(trustedCertificates !== undefined && { trustedCertificates }),
      kills: faults.kills,
      clock: clock.shared,
      compileCache,
      observerOf: activity.observer,
    }),
    layers: createLayerTable(),
    queues: createQueueDefinitions(),
    gateway: createGatewayDefinition(),
    schedules: createScheduleTable(),
    alarms: cloudWatch,
  };
}

/** Each function with everything that it needs to run its code elsewhere. */
function runningFunctions(functions: FunctionHost) {
  return functions
    .environments()
    .map(({ name, environment }) => ({ ...functions.find(name).definition, environment }));
}

/** The control plane of the stacks, and of the logs that they name. */
function stackServices({ removers, cloudWatch }: Start, stacks: readonly DeployedStack[]) {
  const groups = stacks.flatMap(({ resources }) =>
    resources
      .filter(({ type }) => type === 'AWS::Logs::LogGroup')
      .map(({ identity }) => ({ name: identity.ref, keyArn: identity.attributes['KmsKeyId'] })),
  );
  const logGroups = createLogGroups({ accountId: ACCOUNT_ID, region: REGION }, groups);
  removers.set('AWS::Logs::LogGroup', ({ identity }) => {
    logGroups.remove(identity.ref);
  });
  removers.set('AWS::CloudWatch::Alarm', ({ identity }) => {
    cloudWatch.remove(identity.ref);
  });
  return [createCloudFormation({ stacks, removers }), logGroups];
}

async function startLambdaService(begun: Start, parts: CloudParts, kms: Kms): Promise<Lambda> {
  const { options, closers, logs, cloudWatch, activity } = begun;
  const onText = createLineSplitter((_name, line) => {
    cloudWatch.printed(line);
  });
  const lambda = await startLambda(begun.account, parts, {
    kms,
    log: (name, text) => {
      logs.write(name, text);
      onText(name, text);
    },
    observerOf: activity.observer,
    storageFailure: begun.storageFailure,
    ...(options.onUnlogged !== undefined && { onUnlogged: createLineSplitter(options.onUnlogged) }),
    ...(options.dataDirectory !== undefined && { dataDir: join(options.dataDirectory, 'lambda') }),
  });
  closers.push(() => lambda.close());
  return lambda;
}

/** Counts the calls that faults throttle, as the throttled service would on AWS. */
function withThrottleMetrics({ faults, cloudWatch, activity }: Start, services: readonly AwsService[]) {
  return observeThrottles(faults.calls, (call, action) => {
    const service = services.find(({ signingName }) => signingName === call.service);
    for (const access of service?.accesses(call) ?? []) {
      const metric = throttleMetricOf(action, access);
      if (metric !== undefined) cloudWatch.find(metric)?.add(1);
      if (access.action === 'lambda:InvokeFunction')
        activity.observer(parseFunctionName(access.resource).name).throttled();
    }
  });
}

interface Endpoint {
  readonly url: string;
  readonly health: HealthReader;
}

async function startEndpoint(
  begun: Start,
  parts: CloudParts,
  stores: Stores,
  stacks: readonly DeployedStack[],
): Promise<Endpoint> {
  const { closers, logs, cloudWatch, activity } = begun;
  const now = (): number => begun.clock.now();
  for (const key of parts.keys.all()) await stores.kms.createKey(key);
  for (const queue of parts.queues.all()) await stores.sqs.createQueue(queue);
  const lambda = await startLambdaService(begun, parts, stores.kms);
  const { functions, queues } = parts;
  const watched = { cloudWatch, activity, functions, lambda, queues: queues.all(), sqs: stores.sqs };
  const health = createHealthReader({ ...watched, now });
  const services = [stores.dynamoDb, stores.kms, stores.sqs, lambda.service, ...stackServices(begun, stacks)];
  await begun.ports.aws.close();
  const endpoint = await startAwsEndpoint({
    accountId: ACCOUNT_ID,
    region: REGION,
    port: Number(new URL(begun.account.awsEndpointUrl).port),
    services,
    controls: {
      '/_local/functions': () => runningFunctions(parts.functions),
      '/_local/api': () => parts.gateway.httpApi(),
      '/_local/lambda': (body) => lambda.control(body),
      '/_local/faults': (body, method) => begun.faults.control(body, method),
      '/_local/clock': (body, method) => begun.clock.control(body, method),
      '/_local/health': () => health.read(),
    },
    faults: withThrottleMetrics(begun, services),
    now,
    issuedKey: (accessKeyId) =>
      accessKeyId === begun.administrator.accessKeyId
        ? { ...begun.administrator, owner: 'administrator' }
        : parts.roles.issuedKey(accessKeyId),
    onCall: ({ principal, action, resources, status }) => {
      if (status >= 400) logs.line('aws', `${String(status)} ${principal} ${action} ${resources.join(' ')}`);
    },
  });
  closers.push(() => endpoint.close());
  lambda.start(endpoint.url);
  return { url: endpoint.url, health };
}

function startFunctions({ closers, removers }: Start, functions: FunctionHost, awsEndpointUrl: string): void {
  functions.start(awsEndpointUrl);
  removers.set('AWS::Lambda::Function', ({ identity }) => functions.remove(identity.ref));
  closers.push(() => functions.close());
}

function startQueues({ closers, logs, removers }: Start, parts: CloudParts, { sqs, kms }: Stores): void {
  const stop = startMappings({
    mappings: parts.queues.mappings(),
    queues: parts.queues.all(),
    functions: parts.functions,
    roles: parts.roles,
    keyPolicy: (keyArn) => kms.resourcePolicy(keyArn),
    sqs,
    log: (line) => {
      logs.line('queues', line);
    },
  });
  closers.push(() => {
    stop();
  });
  removers.set('AWS::Lambda::EventSourceMapping', ({ stackName, logicalId }) => {
    stop(`${stackName}/${logicalId}`);
  });
  removers.set('AWS::SQS::Queue', ({ identity }) => sqs.deleteQueue(identity.ref));
}

async function startGateway(
  { account, options, logs, clock, cloudWatch, closers, removers, ports }: Start,
  parts: CloudParts,
): Promise<void> {
  const log = (line: string): void => {
    logs.line('gateway', line);
  };
  await ports.gateway.close();
  const { onClose, ...extension } = options.extendGateway?.(account.baseUrl, log) ?? {};
  const api = parts.gateway.httpApi();
  const gateway = await startHttpGateway({
    api,
    observe: gatewayObserver(cloudWatch, api.id),
    functions: parts.functions,
    port: ports.gateway.port,
    accountId: ACCOUNT_ID,
    region: REGION,
    log,
    now: () => clock.now(),
    ...extension,
  });
  removers.set('AWS::ApiGatewayV2::Api', () => gateway.close());
  closers.push(async () => {
    await gateway.close();
    onClose?.();
  });
}

function startSchedules(
  { options, logs, clock, closers, removers }: Start,
  parts: CloudParts,
  dynamoDb: DynamoDb,
  health: HealthReader,
): void {
  const log = (line: string): void => {
    logs.line('schedules', line);
  };
  const running = runSchedules({
    schedules: parts.schedules.all(),
    tickSeconds: options.tickSeconds ?? 60,
    accountId: ACCOUNT_ID,
    region: REGION,
    invoke: (functionArn, payload) => parts.functions.invoke(functionArn, payload),
    isPermitted: ({ arn, functionArn }) =>
      parts.functions.isPermitted(functionArn, 'events.amazonaws.com', arn),
    log,
    onMinutes: (before, after) => {
      health.passMinute();
      const hours = (minutes: number) => Math.floor(minutes / MINUTES_BETWEEN_EXPIRIES);
      if (hours(before) === hours(after)) return;
      Promise.resolve(dynamoDb.expireItems(Math.floor(clock.now() / 1000))).catch((error: unknown) => {
        log(`expiry: ${errorMessage(error)}`);
      });
    },
  });
  clock.onMove((seconds) => {
    running.advance(Math.floor(seconds / 60));
  });
  closers.push(() => {
    running.stop();
  });
  removers.set('AWS::Events::Rule', ({ identity }) => {
    parts.schedules.remove(identity.attributes['Arn'] ?? '');
  });
}

async function start(begun: Start, close: () => Promise<void>): Promise<Cloud> {
  const { options, account } = begun;
  // Synthesis takes longest, in a separate process; the stores open in the meantime.
  const [folders, stores] = await settleAll(appFolders(begun), createStores(begun));
  options.signal?.throwIfAborted();
  const assembly = await readAssembly(folders.directory);
  const { dataDirectory } = options;
  const recordDeployment =
    dataDirectory === undefined ? undefined : await deployOver(dataDirectory, assembly.stacks);
  const parts = createParts(begun, stores.dynamoDb, assembly.assets, folders.compileCache, options);
  const { stacks, outputs } = await startResources(assembly, account, parts);
  const { url: awsEndpointUrl, health } = await startEndpoint(begun, parts, stores, stacks);
  options.signal?.throwIfAborted();
  startFunctions(begun, parts.functions, awsEndpointUrl);
  startQueues(begun, parts, stores);
  await options.prepare?.({ outputs, invoke: (name, payload) => parts.functions.invoke(name, payload) });
  options.signal?.throwIfAborted();
  if (dataDirectory !== undefined) await recordContents(dataDirectory);
  await recordDeployment?.();
  begun.faults.replace(options.faults ?? []);
  await startGateway(begun, parts);
  startSchedules(begun, parts, stores.dynamoDb, health);
  const { baseUrl } = account;
  return {
    baseUrl,
    awsEndpointUrl,
    administrator: begun.administrator,
    logDirectory: logDirectory(options),
    close,
  };
}

/**
 * Like Promise.all, but waits for all before it fails, so that everything started can be stopped.
 */
async function settleAll<A, B>(first: Promise<A>, second: Promise<B>): Promise<[A, B]> {
  await Promise.allSettled([first, second]);
  return await Promise.all([first, second]);
}

/** The log folder of an account with these options; `undefined` if it prints logs. */
export function logDirectory({
  printLogs,
  dataDirectory,
  workDirectory,
}: Pick<CloudOptions, 'printLogs' | 'dataDirectory' | 'workDirectory'>): string | undefined {
  return printLogs === undefined ? join(dataDirectory ?? workDirectory, 'logs') : undefined;
}

function createLogs(options: CloudOptions): Logs {
  if (options.printLogs !== undefined) return createLogPrinter(options.printLogs);
  return createLogFiles(logDirectory(options) ?? '');
}

function printLine(line: string): void {
  process.stderr.write(`${line}\n`);
}

/** Disk failures: one during a start ends it, a later one is reported. */
function createStorageReports({ dataDirectory, report = printLine }: CloudOptions) {
  let isUp = false;
  let atStart: string | undefined;
  return {
    failure: createStorageFailure(dataDirectory ?? 'the state in memory', (reason, consequence) => {
      if (isUp) report(`${reason}: ${consequence}`);
      else atStart ??= reason;
    }),
    /** The reason for which a start failed with `error`. */
    ofStart: (error: unknown) => (atStart === undefined ? error : new Error(atStart, { cause: error })),
    setUp: (value: boolean) => {
      isUp = value;
    },
  };
}

/**
 * Runs a synthesized CDK app on this machine. Rejects with an Error whose message is fit for the
 * terminal; nothing is left running then.
 */
export async function startCloud(options: CloudOptions): Promise<Cloud> {
  const closers: (() => Promise<void> | void)[] = [];
  const storage = createStorageReports(options);
  const close = async (): Promise<void> => {
    storage.setUp(false);
    for (const undo of closers.splice(0).reverse()) await undo();
  };
  try {
    if (options.dataDirectory !== undefined) {
      closers.push(lockDataDirectory(options.dataDirectory));
      requireContents(options.dataDirectory);
    }
    // Settings and queue URLs contain these addresses, so they are known before the servers start.
    const reserve = async (port: number): Promise<Listening> => {
      const reserved = await listenOnLocalhost(() => createServer(), port);
      closers.push(() => reserved.close());
      return reserved;
    };
    const ports = { gateway: await reserve(options.port), aws: await reserve(0) };
    // A requested port refuses connections until the gateway is ready. Another one is reserved.
    if (options.port !== 0) await ports.gateway.close();
    const account = {
      accountId: ACCOUNT_ID,
      region: REGION,
      baseUrl: `http://localhost:${String(ports.gateway.port)}`,
      awsEndpointUrl: `http://127.0.0.1:${String(ports.aws.port)}`,
    };
    const logs = createLogs(options);
    closers.push(() => {
      logs.close();
    });
    const faults = createFaults(options.faultSeed ?? 1);
    const { failure: storageFailure } = storage;
    const clock = createClock(options.dataDirectory);
    const { ahead_seconds: ahead, now } = clock.control('', 'GET');
    if (ahead > 0) (options.report ?? printLine)(`the clock of this data folder was moved: it is ${now}`);
    const administrator = newAccessKey('user');
    const cloudWatch = createCloudWatch();
    const activity = createFunctionActivity(cloudWatch, () => clock.now());
    const known = {
      options,
      account,
      administrator,
      logs,
      faults,
      clock,
      cloudWatch,
      activity,
      storageFailure,
    };
    const begun = { ...known, removers: new Map(), closers, ports };
    const cloud = await start(begun, close);
    storage.setUp(true);
    return cloud;
  } catch (error) {
    await close();
    throw storage.ofStart(error);
  }
}
