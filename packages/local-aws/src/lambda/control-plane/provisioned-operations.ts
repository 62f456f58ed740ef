import { AwsError } from '../../aws-service.ts';
import type { FunctionRecord, ProvisionedRecord } from './function-record.ts';
import { invalidParameter } from './lambda-failures.ts';
import {
  json,
  noContent,
  type ControlPlane,
  type LambdaOperation,
  type LambdaRequest,
} from './lambda-operation.ts';
import { presentProvisioned } from './present.ts';
import { parseBody } from './requests.ts';

/** An account cannot reserve the last concurrent executions. A smaller account can reserve none. */
const UNRESERVED_MINIMUM = 100;

const qualified = ({ functionArn }: ControlPlane, { name, qualifier }: LambdaRequest): string =>
  `${functionArn(name)}:${qualifier ?? ''}`;

function named(
  { registry }: ControlPlane,
  { name, qualifier = '' }: LambdaRequest,
): { record: FunctionRecord; qualifier: string } {
  const { record, version } = registry.resolve(name, qualifier);
  if (version.version === '$LATEST')
    throw invalidParameter(
      'Provisioned Concurrency Configs cannot be applied to unpublished function versions.',
    );
  return { record, qualifier };
}

function others({ provisioned }: FunctionRecord, without: string): readonly ProvisionedRecord[] {
  return provisioned.filter(({ qualifier }) => qualifier !== without);
}

/**
 * Reserved concurrency is taken from all functions of the account, which keep a minimum (AWS
 * Lambda, Configuring reserved concurrency).
 */
function requireRoom(
  { accountConcurrency, registry }: ControlPlane,
  config: ProvisionedRecord,
  { name }: FunctionRecord,
): void {
  const limit = accountConcurrency();
  const minimum = Math.min(UNRESERVED_MINIMUM, limit);
  const reserved = registry
    .all()
    .flatMap((record) => (record.name === name ? others(record, config.qualifier) : record.provisioned))
    .reduce((sum, { instances }) => sum + instances, 0);
  if (reserved + config.instances > limit - minimum)
    throw invalidParameter(
      `Specified ConcurrentExecutions for function decreases account's UnreservedConcurrentExecution below its minimum value of [${String(minimum)}].`,
    );
}

async function put(controlPlane: ControlPlane, request: LambdaRequest): Promise<object> {
  const { registry } = controlPlane;
  const body = parseBody('putProvisionedConcurrencyConfig', request.call.body);
  const { record, qualifier } = named(controlPlane, request);
  // The instances cannot be ready sooner than the version itself.
  const { activeFrom } = registry.versionOf(record.latest.settings, qualifier);
  const config: ProvisionedRecord = {
    qualifier,
    instances: body.ProvisionedConcurrentExecutions,
    lastModified: new Date(registry.time.now()).toISOString().replace('Z', '+0000'),
    readyFrom: activeFrom,
  };
  requireRoom(controlPlane, config, record);
  await registry.put({ ...record, provisioned: [...others(record, qualifier), config] });
  return presentProvisioned(registry, config);
}

function get(controlPlane: ControlPlane, request: LambdaRequest): object {
  const { registry } = controlPlane;
  const { record, qualifier } = named(controlPlane, request);
  const config = record.provisioned.find((one) => one.qualifier === qualifier);
  if (config !== undefined) return presentProvisioned(registry, config);
  throw new AwsError(
    'ProvisionedConcurrencyConfigNotFoundException',
    404,
    'No Provisioned Concurrency Config found for this function',
  );
}

/** Functions of the templates have none: locally their aliases only lead to them. */
function all({ isTemplateFunction, registry, functionArn }: ControlPlane, name: string): readonly object[] {
  if (isTemplateFunction(name)) return [];
  const { record } = registry.resolve(name, undefined);
  return record.provisioned.map((config) => ({
    FunctionArn: `${functionArn(name)}:${config.qualifier}`,
    ...presentProvisioned(registry, config),
  }));
}

/** The quota of concurrent executions, and what is left of it to functions that reserve none. */
function accountSettings({ accountConcurrency, reservedByTemplates, registry }: ControlPlane): object {
  const quota = accountConcurrency();
  const reserved = registry
    .all()
    .flatMap(({ provisioned }) => provisioned)
    .reduce((sum, { instances }) => sum + instances, reservedByTemplates());
  return {
    AccountLimit: { ConcurrentExecutions: quota, UnreservedConcurrentExecutions: quota - reserved },
  };
}

/** The calls about provisioned instances, and the quota that they share. */
export function provisionedOperations(controlPlane: ControlPlane): readonly LambdaOperation[] {
  const { registry, functionArn } = controlPlane;
  const path = '/2019-09-30/functions/{FunctionName}/provisioned-concurrency';
  return [
    {
      method: 'GET',
      path: '/2016-08-19/account-settings',
      action: 'lambda:GetAccountSettings',
      resource: () => '*',
      limit: 'read',
      respond: () => json(200, accountSettings(controlPlane)),
    },
    {
      method: 'PUT',
      path,
      action: 'lambda:PutProvisionedConcurrencyConfig',
      resource: (value) => qualified(controlPlane, value),
      respond: async (request) => json(202, await put(controlPlane, request)),
    },
    {
      method: 'GET',
      path,
      query: ['List', 'ALL'],
      action: 'lambda:ListProvisionedConcurrencyConfigs',
      resource: ({ name }) => functionArn(name),
      respond: ({ name }) => json(200, { ProvisionedConcurrencyConfigs: all(controlPlane, name) }),
    },
    {
      method: 'GET',
      path,
      action: 'lambda:GetProvisionedConcurrencyConfig',
      resource: (value) => qualified(controlPlane, value),
      respond: (request) => json(200, get(controlPlane, request)),
    },
    {
      method: 'DELETE',
      path,
      action: 'lambda:DeleteProvisionedConcurrencyConfig',
      resource: (value) => qualified(controlPlane, value),
      respond: async (request) => {
        const { record, qualifier } = named(controlPlane, request);
        await registry.put({ ...record, provisioned: [...others(record, qualifier)] });
        return noContent;
      },
    },
  ];
}
