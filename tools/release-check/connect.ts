import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { setTimeout as pause } from 'node:timers/promises';
import { CloudFormationClient, DescribeStacksCommand } from '@aws-sdk/client-cloudformation';
import { CloudWatchLogsClient } from '@aws-sdk/client-cloudwatch-logs';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { KMSClient } from '@aws-sdk/client-kms';
import { GetFunctionConfigurationCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { SQSClient } from '@aws-sdk/client-sqs';
import { GetCallerIdentityCommand, STSClient } from '@aws-sdk/client-sts';
import { administratorSettings, type LocalAdministrator } from '../../packages/local-aws/src/control.ts';
import { CheckFailure, type Clients, type Deployment, type RawRequest, type ReleaseDeps } from './item.ts';
import { operate } from './operator.ts';

/** The local account of `npm start`, from its credentials file. */
export type LocalAccount = LocalAdministrator & { readonly base_url: string };

function clientsOf(local: LocalAccount | undefined): Clients {
  const settings = local === undefined ? {} : administratorSettings(local);
  return {
    cloudformation: new CloudFormationClient(settings),
    dynamodb: new DynamoDBClient(settings),
    kms: new KMSClient(settings),
    lambda: new LambdaClient(settings),
    logs: new CloudWatchLogsClient(settings),
    sqs: new SQSClient(settings),
    sts: new STSClient(settings),
  };
}

function rawFetch({ url, path, headers }: RawRequest) {
  const { promise, resolve, reject } = Promise.withResolvers<{ status: number; body: string }>();
  const { protocol, hostname, port } = new URL(url);
  const send = protocol === 'https:' ? httpsRequest : httpRequest;
  send({ hostname, port, path, headers }, (response) => {
    let body = '';
    response.setEncoding('utf8');
    response.on('data', (text: string) => (body += text));
    response.on('error', reject);
    response.on('end', () => {
      resolve({ status: response.statusCode ?? 0, body });
    });
  })
    .on('error', reject)
    .end();
  return promise;
}

export function releaseDeps(local: LocalAccount | undefined, print: (line: string) => void): ReleaseDeps {
  return { clients: clientsOf(local), fetch, rawFetch, pause: (ms) => pause(ms), print, clock: Date.now };
}

async function outputsOf({ cloudformation }: Clients, StackName: string) {
  const { Stacks = [] } = await cloudformation.send(new DescribeStacksCommand({ StackName }));
  const outputs = Stacks[0]?.Outputs ?? [];
  return (key: string): string => {
    const value = outputs.find(({ OutputKey }) => OutputKey === key)?.OutputValue;
    if (value === undefined) throw new CheckFailure(`the stack ${StackName} has no output ${key}`);
    return value;
  };
}

/**
 * The deployment to check. Throws {@link CheckFailure} for one with tenants unless that was agreed:
 * the items change it, and interrupt its service.
 */
export async function connect(
  { clients, print }: ReleaseDeps,
  serviceName: string,
  local: LocalAccount | undefined,
  isAgreed: boolean,
): Promise<Deployment> {
  if (local === undefined) {
    const { Account, Arn } = await clients.sts.send(new GetCallerIdentityCommand());
    print(`${serviceName} in the account ${Account ?? '?'} as ${Arn ?? '?'}`);
  }
  const { tenants } = await operate(clients, serviceName, { command: 'list-tenants' });
  const count = Array.isArray(tenants) ? tenants.length : 0;
  if (count > 0 && !isAgreed)
    throw new CheckFailure(
      `${serviceName} has ${String(count)} tenants, and the items change it: use a separate deployment, or --yes; nothing was done`,
    );
  const FunctionName = `${serviceName}-operator`;
  const configuration = new GetFunctionConfigurationCommand({ FunctionName });
  const variables = (await clients.lambda.send(configuration)).Environment?.Variables ?? {};
  if (local !== undefined)
    return { serviceName, apiUrl: local.base_url, keyHeader: 'SVC-API-KEY', variables };
  const output = await outputsOf(clients, `${serviceName}-Api`);
  return { serviceName, apiUrl: output('ApiUrl'), keyHeader: output('ApiKeyHeader'), variables };
}
