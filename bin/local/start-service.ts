import { join } from 'node:path';
import { startCloud, type Cloud, type GatewayExtension } from '../../packages/local-aws/src/cloud.ts';
import { createContractCheck } from './contract-check.ts';
import type { LocalCredentials, TenantCredentials } from './credentials-file.ts';
import { firstTenant } from './first-tenant.ts';
import type { StartOptions } from './options.ts';
import { presentAnswer } from './present-answer.ts';
import { createReferencePage } from './reference-page.ts';

/** The service on this machine, with a first tenant. */
export interface LocalService extends Cloud {
  readonly credentials: LocalCredentials;
}

const ROOT = join(import.meta.dirname, '../..');
const WORK_DIRECTORY = join(ROOT, '.local');

/** The functions run on this machine, so they are built for it unless `--set` says otherwise. */
const ARCHITECTURE = process.arch === 'arm64' ? 'arm64' : 'x86_64';

/**
 * What synthesis reads of the repository, and of the environment. Node 16 is not among it: the
 * layer's source names it by its hash.
 */
const SYNTHESIS_INPUTS = {
  paths: [
    'bin/cloakroom.ts',
    'cdk.json',
    'functions',
    'lib',
    'node_modules/.package-lock.json',
    'package-lock.json',
    'package.json',
    'packages/sdk/package.json',
    'packages/sdk/src',
    'reactor-runtime',
    'src',
    'tsconfig.json',
  ],
  environment: ['CDK_DEFAULT_ACCOUNT', 'CDK_DEFAULT_REGION'],
} as const;

/**
 * The reference page, and with `--contract` the check of every response against the OpenAPI
 * document.
 */
function gatewayExtension(
  contractFile: string | undefined,
  log: (line: string) => void,
): Required<GatewayExtension> {
  const contract = contractFile === undefined ? undefined : createContractCheck(contractFile);
  return {
    presentAnswer,
    pages: createReferencePage(ROOT, join(WORK_DIRECTORY, 'reference'), log),
    onAnswer: (exchange) => {
      const violation = contract?.check(exchange);
      if (violation !== undefined) log(`contract: ${violation}`);
    },
    onClose: () => {
      if (contract === undefined) return;
      const { checked, violations } = contract.counts;
      log(`contract: ${String(checked)} answers checked, ${String(violations)} not as described`);
    },
  };
}

/**
 * Runs the synthesized service on this machine and creates a tenant, or takes the one of an earlier
 * start. Rejects with an Error whose message is fit for the terminal; nothing is left running then.
 */
export async function startService(options: StartOptions, signal: AbortSignal): Promise<LocalService> {
  const { appDirectory, contractFile, dataDirectory, verbose, settings } = options;
  let tenant: TenantCredentials | undefined;
  const cloud = await startCloud({
    ...options,
    app: appDirectory ?? {
      root: ROOT,
      program: 'bin/cloakroom.ts',
      context: { architecture: ARCHITECTURE, ...settings },
      inputs: SYNTHESIS_INPUTS,
    },
    workDirectory: WORK_DIRECTORY,
    signal,
    prepare: async (app) => {
      tenant = await firstTenant(dataDirectory, app);
    },
    extendGateway: (log) => gatewayExtension(contractFile, log),
    ...(verbose && { printLogs: (text) => process.stdout.write(text) }),
  });
  if (tenant === undefined) throw new Error('the start did not prepare a tenant');
  const credentials = { base_url: cloud.baseUrl, ...tenant, aws_endpoint_url: cloud.awsEndpointUrl };
  return { ...cloud, credentials };
}
