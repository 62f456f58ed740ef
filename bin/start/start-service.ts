import { resolve } from 'node:path';
import { parseSettings } from '../../lib/settings.ts';
import { StageError, type Stack } from '../../packages/local-aws/src/assembly/read-assembly.ts';
import { logDirectory } from '../../packages/local-aws/src/account-logs.ts';
import {
  startCloud,
  type Cloud,
  type CloudOptions,
  type PreparedApp,
  type GatewayExtension,
} from '../../packages/local-aws/src/cloud.ts';
import { control } from '../../packages/local-aws/src/control.ts';
import { UsageError } from '../command-line/failures.ts';
import { localFolder } from '../command-line/local-folder.ts';
import { printable } from '../command-line/show.ts';
import type { ContractCheck } from './contract-check.ts';
import {
  claimCredentialsFile,
  tenantFile,
  type LocalCredentials,
  type TenantCredentials,
} from './credentials-file.ts';
import { DEFAULT_KEY_HEADER, managementKeyFrom } from './first-calls.ts';
import { startConsole } from './console-server.ts';
import { LOOPBACK_ORIGINS, startFields } from './fields-server.ts';
import { recordVersion, requireVersion } from './data-version.ts';
import { firstTenant, operatorFunctionOf } from './first-tenant.ts';
import { compileCache, DOCS_PATH, localApp, WORK_DIRECTORY } from './local-app.ts';
import type { StartOptions } from './options.ts';
import { deliveryLine } from './delivery-line.ts';
import { unreachedLine } from './unreached-line.ts';
import { failedCallOf, failedTransformLine, type FailedCall } from './failed-transform.ts';
import { PAGE_PATH, startDocs } from './docs-server.ts';
import { createReactorOutput, type ReactorOutput } from './reactor-output.ts';
import type { PageServer } from './page-server.ts';
import { presentResponse } from './present-response.ts';
import { startStartPage } from './start-page.ts';
import { trustedCertificates } from './trusted-certificates.ts';

/** The local service, which has a first tenant. */
export interface LocalService extends Cloud {
  readonly credentials: LocalCredentials;
  readonly credentialsFile: string;
  /** Such as `SVC-API-KEY`. */
  readonly keyHeader: string;
  /** The fragment with a code that opens the console once, at its address or by the start page. */
  readonly codeFragment: string;
  /** Where the output of reactors is written; `undefined` if it is only printed. */
  readonly reactorOutputFile: string | undefined;
}

/** Where the start page and the documentation are, as soon as they are served. */
interface PageAddresses {
  start?: string;
  docs?: string;
}

/**
 * Redirects to pages that have ports of their own: on the origin of the API, what a destination
 * returns could act on them. At `/` a browser gets the start page, where a 404 would not help.
 */
const redirectsTo =
  (addresses: PageAddresses): Required<GatewayExtension>['pages'] =>
  (path, { accept }) => {
    const there = (location: string | undefined) =>
      Promise.resolve(
        location === undefined
          ? undefined
          : { status: 302, headers: { location, 'cache-control': 'no-store' }, body: '' },
      );
    if (path === '/') return there(accept?.includes('text/html') === true ? addresses.start : undefined);
    const page = path === DOCS_PATH ? '/' : path.slice(DOCS_PATH.length);
    const isPage = path.startsWith(DOCS_PATH) && page.startsWith('/') && PAGE_PATH.test(page);
    return there(isPage && addresses.docs !== undefined ? addresses.docs + page : undefined);
  };

/**
 * Adds the redirects. With `--contract` it also checks every response against the OpenAPI document.
 */
function gatewayExtension(
  contract: ContractCheck | undefined,
  addresses: PageAddresses,
  log: (line: string) => void,
): GatewayExtension {
  return {
    presentResponse,
    pages: redirectsTo(addresses),
    onResponse: (exchange) => {
      const violation = contract?.check(exchange);
      if (violation !== undefined) log(`contract: ${violation}`);
    },
    onClose: () => {
      if (contract === undefined) return;
      const { checked, violations } = contract.counts;
      log(`contract: ${String(checked)} responses checked, ${String(violations)} not as described`);
    },
  };
}

/** The first of the header prefixes, from `SVC-API-KEY`. */
const prefixOf = (keyHeader: string): string => keyHeader.replace(/-API-KEY$/, '');

const print = (line: string) => void process.stdout.write(`${new Date().toISOString()} ${line}\n`);

/** The stacks of the service, beside which an app may have others; all if it has none of it. */
function ofService(stacks: readonly Stack[]): readonly Stack[] {
  const ours = stacks.filter(({ template }) => template.Description?.startsWith('Cloakroom: '));
  return ours.length > 0 ? ours : stacks;
}

/** The app that runs, and where its caches and logs are. */
const appOf = ({ appDirectory, settings }: StartOptions) => ({
  app: appDirectory ?? localApp(settings),
  select: ofService,
  workDirectory: WORK_DIRECTORY,
  compileCache: compileCache(),
});

/** The servers of pages run next to the API, each on an origin of its own. */
interface Pages {
  readonly urls: Pick<LocalCredentials, 'console_url' | 'fields_url' | 'docs_url' | 'start_url'>;
  readonly codeFragment: () => string;
  close(): Promise<void>;
}

/** The pages need to know these parts of the running service. */
interface Beside {
  readonly options: StartOptions;
  readonly cloud: Cloud;
  readonly keyHeader: string;
  readonly tenant: TenantCredentials;
  readonly reactorOutput: ReactorOutput;
  readonly credentialsFile: string;
}

const urlOf = ({ port }: PageServer): string => `http://localhost:${String(port)}`;

/**
 * Serves the console, the card fields, the documentation and the start page of a running service,
 * one to four ports above the API if those are free. Rejects after closing the service.
 */
async function pagesBeside(beside: Beside): Promise<Pages> {
  const { options, cloud, keyHeader, tenant, reactorOutput, credentialsFile } = beside;
  const administrator = administratorOf(cloud);
  const { fieldsOrigins, fieldsDigits: digits, fieldsFonts: fonts } = parseSettings(options.settings);
  const port = (above: number) => (options.port === 0 ? 0 : options.port + above);
  const apiUrl = cloud.baseUrl;
  const headerPrefix = prefixOf(keyHeader);
  const origins = fieldsOrigins.length > 0 ? fieldsOrigins : LOOPBACK_ORIGINS;
  const started: { close(): Promise<void> }[] = [];
  const running = <Server extends { close(): Promise<void> }>(server: Server): Server => {
    started.push(server);
    return server;
  };
  const close = async () => void (await Promise.all(started.map((server) => server.close())));
  try {
    const console = running(
      await startConsole({
        port: port(1),
        apiUrl,
        headerPrefix,
        managementKey: tenant.management_key,
        health: () => control(administrator, 'health'),
        reactorOutput: (reactorId, after) => reactorOutput.recent(reactorId, after),
        onSignedIn: (nextUrl) => print(`console: signed in; the next address that signs in is ${nextUrl}`),
        log: print,
      }),
    );
    const config = { apiUrl, headerPrefix, origins, digits };
    const fields = running(await startFields({ port: port(2), config, fonts, log: print }));
    const docsUrl = urlOf(running(await startDocs({ port: port(3), apiUrl, log: print })));
    const managementKey = managementKeyFrom(credentialsFile);
    const page = { baseUrl: apiUrl, keyHeader, managementKey, consoleUrl: console.url, docsUrl };
    const startUrl = `${urlOf(running(await startStartPage(port(4), page, print)))}/`;
    const urls = { console_url: console.url, fields_url: fields.url, docs_url: docsUrl, start_url: startUrl };
    return { urls, codeFragment: console.codeFragment, close };
  } catch (error) {
    await close();
    await cloud.close();
    throw error;
  }
}

/** The administrator of the local account, as the credentials file names it. */
const administratorOf = ({ awsEndpointUrl, region, administrator }: Cloud) => ({
  aws_endpoint_url: awsEndpointUrl,
  aws_region: region,
  aws_access_key_id: administrator.accessKeyId,
  aws_secret_access_key: administrator.secretAccessKey,
});

/** Prints the whole failure of a transform, for which it asks the service as its manager. */
async function printFailure(
  call: FailedCall,
  baseUrl: string,
  headers: Record<string, string>,
): Promise<void> {
  try {
    const line = await failedTransformLine(call, async (path) => {
      const response = await fetch(`${baseUrl}${path}`, { headers, redirect: 'error' });
      return response.json();
    });
    if (line !== undefined) print(line);
  } catch {
    // The service is stopping, or the proxy is gone, or is of another tenant.
  }
}

async function contractCheck(file: string | undefined): Promise<ContractCheck | undefined> {
  if (file === undefined) return undefined;
  // Only tests and clients that check themselves need this module, and it takes memory.
  const { createContractCheck } = await import('./contract-check.ts');
  return createContractCheck(file);
}

/** A start reads these from the app before the service is up. */
interface Prepared {
  readonly tenant: TenantCredentials;
  readonly operatorFunction: string;
  readonly keyHeader: string;
}

/** Claims the credentials file. It and the logs are in `.local`, unless an option names others. */
function claimFile(options: StartOptions) {
  if (options.credentialsFile === undefined || options.dataDirectory === undefined) localFolder();
  return claimCredentialsFile(options.credentialsFile, options);
}

/** A stage that the app lacks is a mistake of the command line. */
const asUsage = (error: unknown): unknown =>
  error instanceof StageError ? new UsageError(error.message) : error;

const report = (line: string) => void process.stderr.write(`${printable(line)}\n`);

async function prepare(app: PreparedApp, dataDirectory: string | undefined): Promise<Prepared> {
  const operatorFunction = operatorFunctionOf(app);
  await recordVersion(dataDirectory);
  const tenant = await firstTenant(dataDirectory, app);
  return { tenant, operatorFunction, keyHeader: app.outputs.get('ApiKeyHeader') ?? DEFAULT_KEY_HEADER };
}

/**
 * Runs the service with a new or an earlier tenant; until it closes, the credentials file has its
 * address and keys. Rejects with an Error fit for the terminal; nothing is left running then.
 */
export async function startService(
  options: StartOptions,
  { signal, onProgress }: Pick<CloudOptions, 'signal' | 'onProgress'>,
): Promise<LocalService> {
  const { contractFile, dataDirectory, verbose } = options;
  requireVersion(dataDirectory);
  const contract = await contractCheck(contractFile);
  const trusted = trustedCertificates(options.trust);
  const write = (text: string) => process.stdout.write(text);
  const where = { ...options, ...appOf(options), ...(verbose && { printLogs: write }) };
  const claimed = claimFile(options);
  const reactorOutput = createReactorOutput(logDirectory(where), write);
  let prepared: Prepared | undefined;
  const addresses: PageAddresses = {};
  // No proxy is called before the service is ready.
  let onFailedCall = (_call: FailedCall): void => undefined;
  try {
    const cloud = await startCloud({
      ...where,
      trustedCertificates: trusted,
      report,
      onUnlogged: (functionName, line) => reactorOutput.line(functionName, line),
      onLogged: (_functionName, line) => {
        const failed = deliveryLine(line) ?? unreachedLine(line);
        if (failed !== undefined) print(failed);
        const call = failedCallOf(line);
        if (call !== undefined) onFailedCall(call);
      },
      prepare: async (app) => {
        prepared = await prepare(app, dataDirectory);
      },
      extendGateway: (_baseUrl, log) => gatewayExtension(contract, addresses, log),
      ...(signal !== undefined && { signal }),
      ...(onProgress !== undefined && { onProgress }),
    });
    if (prepared === undefined) throw new Error('the start did not prepare a tenant');
    const { tenant, keyHeader, operatorFunction } = prepared;
    const beside = { options, cloud, keyHeader, tenant, reactorOutput, credentialsFile: claimed.file };
    const asManager = { [keyHeader]: tenant.management_key };
    onFailedCall = (call) => void printFailure(call, cloud.baseUrl, asManager);
    const pages = await pagesBeside(beside);
    Object.assign(addresses, { start: pages.urls.start_url, docs: pages.urls.docs_url });
    const credentials = {
      base_url: cloud.baseUrl,
      ...pages.urls,
      ...tenant,
      ...administratorOf(cloud),
      operator_function: operatorFunction,
      ...(dataDirectory !== undefined && { tenant_file: resolve(tenantFile(dataDirectory)) }),
    };
    claimed.write(credentials);
    return {
      ...cloud,
      credentials,
      codeFragment: pages.codeFragment(),
      credentialsFile: claimed.file,
      keyHeader,
      reactorOutputFile: reactorOutput.file,
      close: async () => {
        claimed.release();
        await pages.close();
        await cloud.close();
        reactorOutput.close();
      },
    };
  } catch (error) {
    claimed.release();
    reactorOutput.close();
    throw asUsage(error);
  }
}
