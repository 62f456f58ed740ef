import { createServer } from 'node:http';
import { join } from 'node:path';
import { createLogs, logDirectory } from './account-logs.ts';
import { foreignLayers } from './lambda/foreign-layers.ts';
import { merged, type Control, type LocalAccount, type LocalService } from './assembly/local-service.ts';
import { NO_PLACE, placeOf, readAssembly, type Assembly } from './assembly/read-assembly.ts';
import { startResources, type StartedResources } from './assembly/start-resources.ts';
import type { AwsService } from './aws-service.ts';
import { startAwsEndpoint } from './aws-endpoint/start-aws-endpoint.ts';
import { createClock } from './clock.ts';
import type { Cloud, CloudOptions } from './cloud-options.ts';
import { recordContents, requireContents } from './data-contents.ts';
import { lockDataDirectory } from './data-lock.ts';
import { deployOver } from './deployment/recorded-deployment.ts';
import { createFaults, type Faults } from './faults/create-faults.ts';
import { listenOnLocalhost, type Listening } from './gateway/listen.ts';
import { newAccessKey, type AccessKey } from './iam/role-registry.ts';
import { openApp } from './open-app.ts';
import { createServices, type Services } from './services.ts';
import { createStorageReports } from './storage-failure.ts';

export type { Cloud, CloudOptions, PreparedApp } from './cloud-options.ts';
export type { GatewayExtension } from './gateway/local-gateway.ts';

interface Start {
  readonly options: CloudOptions;
  /** The app, if it was synthesized before. */
  readonly synthesized: Assembly | undefined;
  readonly account: LocalAccount;
  readonly administrator: AccessKey;
  readonly faults: Faults;
  /** Ports that are reserved until their servers listen. */
  readonly ports: Readonly<Record<'gateway' | 'aws', Listening>>;
}

/** Finds the folder of the templates and the folder in which Node caches compiled functions. */
async function appFolders(options: CloudOptions, account: LocalAccount) {
  const { app, workDirectory, signal, onProgress } = options;
  const { compileCache = join(workDirectory, 'compile-cache') } = options;
  if (typeof app === 'string') return { directory: app, compileCache };
  const synthesized = await openApp(app, {
    workDirectory,
    onSynthesis: () => onProgress?.('synthesizing the app'),
    ...(signal !== undefined && { signal }),
  });
  account.onClose(() => {
    synthesized.release();
  });
  return synthesized;
}

async function openAll(services: readonly LocalService[]): Promise<void> {
  for (const service of services) await service.open?.();
}

/** Creates what the templates define, and starts the endpoint that serves it. */
async function deploy(
  { account, administrator, faults, ports }: Start,
  { all, roles, observeFaults }: Services,
  stacks: StartedResources['stacks'],
): Promise<string> {
  const { accountId, region, clock, logs } = account;
  const removers = merged(all.map((service) => service.removers));
  const served: (AwsService | undefined)[] = [];
  for (const service of all) served.push(await service.deploy?.({ stacks, removers }));
  const services = served.filter((service) => service !== undefined);
  await ports.aws.close();
  const endpoint = await startAwsEndpoint({
    accountId,
    region,
    port: ports.aws.port,
    services,
    controls: merged<Control>([
      ...all.map(({ controls }) => controls),
      {
        '/_local/faults': (body, method) => faults.control(body, method),
        '/_local/clock': (body, method) => clock.control(body, method),
      },
    ]),
    faults: observeFaults(faults.calls, services),
    now: () => clock.now(),
    issuedKey: (accessKeyId) =>
      accessKeyId === administrator.accessKeyId
        ? { ...administrator, owner: 'administrator' }
        : roles.issuedKey(accessKeyId),
    onCall: ({ principal, action, resources, status }) => {
      if (status >= 400) logs.line('aws', `${String(status)} ${principal} ${action} ${resources.join(' ')}`);
    },
  });
  account.onClose(() => endpoint.close());
  return endpoint.url;
}

/** Deploys over the app of the last start, if there is a data directory. The result records it. */
async function deployOverLast(
  dataDirectory: string | undefined,
  stacks: Assembly['stacks'],
): Promise<() => Promise<void>> {
  if (dataDirectory === undefined) return () => Promise.resolve();
  const recordDeployment = await deployOver(dataDirectory, stacks);
  return async () => {
    await recordContents(dataDirectory);
    await recordDeployment();
  };
}

async function start(begun: Start): Promise<Omit<Cloud, 'close'>> {
  const { options, account, administrator, faults, ports } = begun;
  const services = createServices(account, { ...options, kills: faults.kills });
  // Synthesis takes longest, in a separate process; the stores open in the meantime.
  const [folders] = await settleAll(appFolders(options, account), openAll(services.all));
  options.signal?.throwIfAborted();
  const assembly = begun.synthesized ?? (await readAssembly(folders.directory));
  const record = await deployOverLast(options.dataDirectory, assembly.stacks);
  const { stacks, outputs } = startResources(assembly, account, services.all);
  const awsEndpointUrl = await deploy(begun, services, stacks);
  options.signal?.throwIfAborted();
  for (const service of services.all) service.start?.(awsEndpointUrl, folders.compileCache);
  const { functions } = services;
  await options.prepare?.({ outputs, invoke: (name, payload) => functions.invoke(name, payload) });
  options.signal?.throwIfAborted();
  await record();
  faults.replace(options.faults ?? []);
  await ports.gateway.close();
  for (const service of services.all) await service.accept?.();
  const { baseUrl, region } = account;
  return { baseUrl, awsEndpointUrl, region, administrator, logDirectory: logDirectory(options) };
}

/**
 * Like Promise.all, but waits for all before it fails, so that everything started can be stopped.
 */
async function settleAll<A, B>(first: Promise<A>, second: Promise<B>): Promise<[A, B]> {
  await Promise.allSettled([first, second]);
  return await Promise.all([first, second]);
}

function printLine(line: string): void {
  process.stderr.write(`${line}\n`);
}

/**
 * Runs a synthesized CDK app on this machine. Rejects with an Error whose message is fit for the
 * terminal; nothing is left running then.
 */
export async function startCloud(options: CloudOptions): Promise<Cloud> {
  const { dataDirectory, report = printLine } = options;
  const closers: (() => Promise<void> | void)[] = [];
  const onClose: LocalAccount['onClose'] = (close) => {
    closers.push(close);
  };
  const storage = createStorageReports(dataDirectory, report);
  const close = async (): Promise<void> => {
    storage.setUp(false);
    for (const undo of closers.splice(0).reverse()) await undo();
  };
  try {
    if (dataDirectory !== undefined) {
      onClose(lockDataDirectory(dataDirectory));
      requireContents(dataDirectory);
    }
    // Settings and queue URLs contain these addresses, so they are known before the servers start.
    const reserve = async (port: number): Promise<Listening> => {
      const reserved = await listenOnLocalhost(() => createServer(), port);
      onClose(() => reserved.close());
      return reserved;
    };
    const ports = { gateway: await reserve(options.port), aws: await reserve(0) };
    // A requested port refuses connections until the gateway is ready. Another one is reserved.
    if (options.port !== 0) await ports.gateway.close();
    const logs = createLogs(options);
    onClose(() => {
      logs.close();
    });
    const clock = createClock(dataDirectory);
    const { ahead_seconds: ahead, now } = clock.control('', 'GET');
    if (ahead > 0) report(`the clock of this data folder was moved: it is ${now}`);
    const synthesized =
      typeof options.app === 'string' ? await readAssembly(options.app, options) : undefined;
    foreignLayers(synthesized?.stacks ?? []).forEach(report);
    const place = synthesized === undefined ? NO_PLACE : placeOf(synthesized.stacks);
    const account: LocalAccount = {
      ...place,
      baseUrl: `http://localhost:${String(ports.gateway.port)}`,
      awsEndpointUrl: `http://127.0.0.1:${String(ports.aws.port)}`,
      ...(dataDirectory !== undefined && { dataDirectory }),
      storageFailure: storage.failure,
      clock,
      logs,
      onClose,
    };
    const faults = createFaults(options.faultSeed ?? 1);
    const cloud = await start({
      options,
      synthesized,
      account,
      administrator: newAccessKey('user'),
      faults,
      ports,
    });
    storage.setUp(true);
    return { ...cloud, close };
  } catch (error) {
    await close();
    throw storage.ofStart(error);
  }
}
