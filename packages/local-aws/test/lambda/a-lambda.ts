import { rmSync } from 'node:fs';
import { LambdaClient } from '@aws-sdk/client-lambda';
import { createRoleRegistry } from '../../src/iam/role-registry.ts';
import { startAwsEndpoint, type AwsEndpoint } from '../../src/aws-endpoint/start-aws-endpoint.ts';
import type { PolicyStatement } from '../../src/aws-service.ts';
import { isAllowed } from '../../src/iam/is-allowed.ts';
import { createLambda, type LambdaOptions } from '../../src/lambda/create-lambda.ts';
import { createLayerTable } from '../../src/lambda/layer-table.ts';
import { aHost } from './a-function.ts';
import { aLayer } from './a-layer.ts';
import { control as controlAccount } from '../../src/control.ts';
import { issuedTo } from '../issued-key.ts';

export const account = { accountId: '000000000000', region: 'us-east-1' };
export const layerArn = 'arn:aws:lambda:us-east-1:000000000000:layer:runtime:1';
/** The layer of another deployment, which has the same content. */
export const otherLayerArn = 'arn:aws:lambda:us-east-1:000000000000:layer:runtime:2';
export const functionArn = (name: string): string => `arn:aws:lambda:us-east-1:000000000000:function:${name}`;
export const roleArn = (name: string): string => `arn:aws:iam::000000000000:role/${name}`;

const trust = {
  Statement: [
    { Effect: 'Allow', Action: 'sts:AssumeRole', Principal: { Service: 'lambda.amazonaws.com' } } as const,
  ],
};

export interface ALambda {
  readonly endpoint: AwsEndpoint;
  readonly client: LambdaClient;
  /** Creates a client whose role has these statements. */
  as(name: string, statements: readonly PolicyStatement[]): LambdaClient;
  control(body?: object): Promise<Record<string, any>>;
  readonly printed: string[];
  readonly keyPolicies: Map<string, boolean>;
  close(): Promise<void>;
}

/** A time that passes by `pass`. */
export function aStateTime() {
  let now = Date.UTC(2026, 0);
  let tasks: { readonly ms: number; readonly task: () => void }[] = [];
  return {
    now: () => now,
    after: (ms: number, task: () => void) => void tasks.push({ ms, task }),
    pass: (ms: number) => {
      now += ms;
      const due = tasks.filter((one) => one.ms < now);
      tasks = tasks.filter((one) => one.ms >= now);
      for (const { task } of due) task();
    },
  };
}

/**
 * Lambda behind an AWS endpoint; roles `silent` (may do nothing) and `talkative` (may write logs).
 */
export async function aLambda(options: Partial<LambdaOptions> = {}): Promise<ALambda> {
  const roles = createRoleRegistry();
  const printed: string[] = [];
  const clients: LambdaClient[] = [];
  const keyPolicies = new Map<string, boolean>();
  const layerDirectory = aLayer();
  const layers = createLayerTable();
  const description = `A runtime, ${'a'.repeat(64)}`;
  for (const arn of [layerArn, otherLayerArn]) layers.define({ arn, directory: layerDirectory, description });
  const define = (name: string, statements: readonly PolicyStatement[], trusting = trust): void => {
    const policies = [{ Statement: statements }];
    roles.define({ name, arn: roleArn(name), trust: trusting, policies, managedPolicyArns: [] });
  };
  define('silent', []);
  define('talkative', [{ Effect: 'Allow', Action: 'logs:PutLogEvents', Resource: '*' }]);
  define('untrusting', [], { Statement: [] });
  const lambda = await createLambda({
    ...account,
    functions: aHost([]),
    layers,
    credentialsFor: (arn) => roles.credentialsFor(arn),
    canAssume: (arn) => roles.has(arn) && roles.trusts(arn, 'lambda.amazonaws.com'),
    canEncrypt: (key) => keyPolicies.get(key) ?? false,
    mayWriteLogs: (arn) =>
      isAllowed(roles.role(arn), { action: 'logs:PutLogEvents', resource: 'arn:aws:logs:us-east-1:0:log' })
        .allowed,
    log: (_name, text) => printed.push(text),
    initTimeoutMs: 600_000,
    ...options,
  });
  const endpoint = await startAwsEndpoint({
    ...account,
    services: [lambda.service],
    controls: { '/_local/lambda': (body) => lambda.control(body) },
    issuedKey: (id) => (id === 'ADMIN' ? issuedTo('administrator') : roles.issuedKey(id)),
  });
  lambda.start(endpoint.url);

  const clientWith = (credentials: {
    accessKeyId: string;
    secretAccessKey: string;
    sessionToken?: string;
  }): LambdaClient => {
    const client = new LambdaClient({
      endpoint: endpoint.url,
      region: account.region,
      maxAttempts: 1,
      credentials,
    });
    clients.push(client);
    return client;
  };

  const control = async (body?: object): Promise<Record<string, any>> => {
    const administrator = { aws_access_key_id: 'ADMIN', aws_secret_access_key: 'secret' };
    const init = body === undefined ? {} : { method: 'PUT', body: JSON.stringify(body) };
    const account = { aws_endpoint_url: endpoint.url, ...administrator };
    return (await controlAccount(account, 'lambda', init)) as Record<string, any>;
  };

  return {
    endpoint,
    client: clientWith({ accessKeyId: 'ADMIN', secretAccessKey: 'secret' }),
    as: (name, statements) => {
      define(name, statements);
      return clientWith(roles.credentialsFor(roleArn(name)));
    },
    control,
    printed,
    keyPolicies,
    close: async () => {
      for (const client of clients) client.destroy();
      await endpoint.close();
      await lambda.close();
      rmSync(layerDirectory, { recursive: true, force: true });
    },
  };
}
