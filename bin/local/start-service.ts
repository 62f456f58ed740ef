import { join } from 'node:path';
import { parseSettings } from '../../lib/settings.ts';
import {
  logDirectory,
  startCloud,
  type Cloud,
  type CloudOptions,
  type GatewayExtension,
} from '../../packages/local-aws/src/cloud.ts';
import { control } from '../../packages/local-aws/src/control.ts';
import type { ContractCheck } from './contract-check.ts';
import { claimCredentialsFile, type LocalCredentials, type TenantCredentials } from './credentials-file.ts';
import { DEFAULT_KEY_HEADER, managementKeyFrom } from './first-calls.ts';
import { startConsole, type ConsoleServer } from './console-server.ts';
import { LOOPBACK_ORIGINS, startFields, type FieldsServer } from './fields-server.ts';
import { firstTenant } from './first-tenant.ts';
import { localApp, WORK_DIRECTORY } from './local-app.ts';
import type { StartOptions } from './options.ts';
import { deliveryLine } from './delivery-line.ts';
import { createDocsSite } from './docs-site.ts';
import { createReactorOutput, type ReactorOutput } from './reactor-output.ts';
import { presentResponse } from './present-response.ts';
import { startPage } from './start-page.ts';
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

/** The pages next to the API: `/docs`, and `/` for browsers, where a 404 would not help. */
function pagesOf(start: () => string, log: (line: string) => void): Required<GatewayExtension>['pages'] {
  const docs = createDocsSite(join(WORK_DIRECTORY, 'docs'), log);
  const headers = { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' };
  return async (path, requested) =>
    path === '/' && requested.accept?.includes('text/html') === true
      ? { status: 200, headers, body: start() }
      : await docs(path, requested);
}

/** Adds the pages. With `--contract` it also checks every response against the OpenAPI document. */
function gatewayExtension(
  contract: ContractCheck | undefined,
  start: () => string,
  log: (line: string) => void,
): GatewayExtension {
  return {
    presentResponse,
    pages: pagesOf(start, log),
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

/** The servers of pages run next to the API, each on an origin of its own. */
interface Pages {
  readonly console: ConsoleServer;
  readonly fields: FieldsServer;
}

/**
 * The console and the card fields of a running service, one and two ports above the API if those
 * are free. Rejects after closing the service.
 */
async function pagesBeside(
  options: StartOptions,
  cloud: Cloud,
  keyHeader: string,
  tenant: TenantCredentials,
  reactorOutput: ReactorOutput,
): Promise<Pages> {
  const administrator = administratorOf(cloud);
  const { fieldsOrigins, fieldsDigits: digits, fieldsFonts: fonts } = parseSettings(options.settings);
  const port = (above: number) => (options.port === 0 ? 0 : options.port + above);
  const [apiUrl, headerPrefix] = [cloud.baseUrl, prefixOf(keyHeader)];
  const origins = fieldsOrigins.length > 0 ? fieldsOrigins : LOOPBACK_ORIGINS;
  const started: { console?: ConsoleServer; fields?: FieldsServer } = {};
  try {
    started.console = await startConsole({
      port: port(1),
      apiUrl,
      headerPrefix,
      managementKey: tenant.management_key,
      health: () => control(administrator, 'health'),
      reactorOutput: (reactorId, after) => reactorOutput.recent(reactorId, after),
      onSignedIn: (nextUrl) => print(`console: signed in; the next address that signs in is ${nextUrl}`),
      log: print,
    });
    const config = { apiUrl, headerPrefix, origins, digits };
    started.fields = await startFields({ port: port(2), config, fonts, log: print });
    return { console: started.console, fields: started.fields };
  } catch (error) {
    await started.console?.close();
    await cloud.close();
    throw error;
  }
}

/** The administrator of the local account, as the credentials file names it. */
const administratorOf = ({ awsEndpointUrl, administrator }: Cloud) => ({
  aws_endpoint_url: awsEndpointUrl,
  aws_access_key_id: administrator.accessKeyId,
  aws_secret_access_key: administrator.secretAccessKey,
});

async function contractCheck(file: string | undefined): Promise<ContractCheck | undefined> {
  if (file === undefined) return undefined;
  // Only tests and clients that check themselves need this module, and it takes memory.
  const { createContractCheck } = await import('./contract-check.ts');
  return createContractCheck(file);
}

/**
 * Runs the service with a new or an earlier tenant; until it closes, the credentials file has its
 * address and keys. Rejects with an Error fit for the terminal; nothing is left running then.
 */
export async function startService(
  options: StartOptions,
  { signal, onProgress }: Pick<CloudOptions, 'signal' | 'onProgress'>,
): Promise<LocalService> {
  const { appDirectory, contractFile, dataDirectory, verbose, settings } = options;
  const contract = await contractCheck(contractFile);
  const trusted = trustedCertificates(options.trust);
  const claimed = claimCredentialsFile(options.credentialsFile, options);
  let keyHeader = DEFAULT_KEY_HEADER;
  const managementKey = managementKeyFrom(claimed.file);
  const write = (text: string) => process.stdout.write(text);
  const where = { ...options, workDirectory: WORK_DIRECTORY, ...(verbose && { printLogs: write }) };
  const reactorOutput = createReactorOutput(logDirectory(where), write);
  let tenant: TenantCredentials | undefined;
  let consoleServer: ConsoleServer | undefined;
  try {
    const cloud = await startCloud({
      ...where,
      trustedCertificates: trusted,
      onUnlogged: (functionName, line) => reactorOutput.line(functionName, line),
      onLogged: (_functionName, line) => {
        const failed = deliveryLine(line);
        if (failed !== undefined) print(failed);
      },
      app: appDirectory ?? localApp(settings),
      prepare: async (app) => {
        keyHeader = app.outputs.get('ApiKeyHeader') ?? keyHeader;
        tenant = await firstTenant(dataDirectory, app);
      },
      extendGateway: (baseUrl, log) =>
        gatewayExtension(
          contract,
          () => startPage({ baseUrl, keyHeader, managementKey, consoleUrl: consoleServer?.url ?? baseUrl }),
          log,
        ),
      ...(signal !== undefined && { signal }),
      ...(onProgress !== undefined && { onProgress }),
    });
    if (tenant === undefined) throw new Error('the start did not prepare a tenant');
    const pages = await pagesBeside(options, cloud, keyHeader, tenant, reactorOutput);
    consoleServer = pages.console;
    const credentials = {
      base_url: cloud.baseUrl,
      console_url: pages.console.url,
      fields_url: pages.fields.url,
      ...tenant,
      ...administratorOf(cloud),
    };
    claimed.write(credentials);
    return {
      ...cloud,
      credentials,
      codeFragment: pages.console.codeFragment(),
      credentialsFile: claimed.file,
      keyHeader,
      reactorOutputFile: reactorOutput.file,
      close: async () => {
        claimed.release();
        await Promise.all([pages.console.close(), pages.fields.close()]);
        await cloud.close();
        reactorOutput.close();
      },
    };
  } catch (error) {
    claimed.release();
    reactorOutput.close();
    throw error;
  }
}
