import { createLineSplitter } from '../account-logs.ts';
import type { Account } from '../assembly/account.ts';
import { later, storeSettings, type LocalAccount, type LocalService } from '../assembly/local-service.ts';
import { definedIn } from '../assembly/resource-type.ts';
import type { ResourcePolicy } from '../aws-service.ts';
import { conditionKeys } from '../iam/conditions.ts';
import { isAllowed } from '../iam/is-allowed.ts';
import { resourcePolicyAllowsService } from '../iam/resource-policy.ts';
import type { RoleRegistry } from '../iam/role-registry.ts';
import type { TemplateProcess } from './control-plane/template-process.ts';
import { createLambda, type Lambda } from './create-lambda.ts';
import { createFunctionHost, type FunctionHost } from './function-host.ts';
import type { FunctionKills } from './function-instance.ts';
import type { InvocationObserver } from './function-pool.ts';
import { lambdaResources } from './lambda-resources.ts';
import { createLayerTable } from './layer-table.ts';

/** The caller of the start decides these about functions; CloudOptions documents each member. */
export interface FunctionOptions {
  readonly onUnlogged?: (functionName: string, line: string) => void;
  readonly onLogged?: (functionName: string, line: string) => void;
  readonly trustedCertificates?: readonly string[];
}

export interface LocalLambdaOptions extends FunctionOptions {
  readonly roles: RoleRegistry;
  readonly keyPolicy: (keyArn: string) => ResourcePolicy | undefined;
  readonly kills: FunctionKills;
  readonly observerOf: (functionName: string) => InvocationObserver;
  /** Receives each line of all functions; `logGroup` is that of a function of the templates. */
  readonly printed: (logGroup: string | undefined, line: string) => void;
}

export interface LocalLambda extends LocalService {
  /** Runs the functions of the templates. */
  readonly functions: FunctionHost;
  readonly created: Lambda['created'];
}

function mayWriteLogs(
  { region, accountId }: Account,
  roles: RoleRegistry,
  roleArn: string,
  logGroup: string,
): boolean {
  const resource = `arn:aws:logs:${region}:${accountId}:log-group:${logGroup}:log-stream:local`;
  return isAllowed(roles.role(roleArn), { action: 'logs:PutLogEvents', resource }).allowed;
}

/** Lambda encrypts code itself, so the key's policy must name it. */
function canEncrypt(
  { region, accountId }: Account,
  policy: ResourcePolicy | undefined,
  keyArn: string,
  functionArn: string,
): boolean {
  if (policy === undefined) return false;
  const keys = conditionKeys({
    'aws:SourceAccount': accountId,
    'aws:SourceArn': functionArn,
    'kms:EncryptionContext:aws:lambda:FunctionArn': functionArn,
    'kms:EncryptionContextKeys': ['aws:lambda:FunctionArn'],
    'kms:ViaService': `lambda.${region}.amazonaws.com`,
  });
  return ['kms:GenerateDataKey', 'kms:Decrypt'].every((action) =>
    resourcePolicyAllowsService(policy.document, 'lambda.amazonaws.com', { action, resource: keyArn }, keys),
  );
}

/** Writes the output of functions, which arrives in pieces, and passes on its lines. */
function outputOf(account: LocalAccount, onLine: (name: string, line: string) => void) {
  const onText = createLineSplitter(onLine);
  return (name: string, text: string): void => {
    account.logs.write(name, text);
    onText(name, text);
  };
}

function createTemplateFunctions(account: LocalAccount, options: LocalLambdaOptions): FunctionHost {
  const { roles, kills, observerOf, printed, onLogged, trustedCertificates } = options;
  const host = createFunctionHost({
    region: account.region,
    credentialsFor: (roleArn) => roles.credentialsFor(roleArn),
    log: outputOf(account, (name, line) => {
      printed(host.all().find((each) => each.name === name)?.logGroup, line);
      onLogged?.(name, line);
    }),
    ...(trustedCertificates !== undefined && { trustedCertificates }),
    kills,
    clock: account.clock.shared,
    observerOf,
  });
  return host;
}

/** Lambda: the functions of the templates, its API, and the functions that calls create. */
export function createLocalLambda(account: LocalAccount, options: LocalLambdaOptions): LocalLambda {
  const { roles, keyPolicy, observerOf, printed, onUnlogged } = options;
  const functions = createTemplateFunctions(account, options);
  const layers = createLayerTable(storeSettings(account, 'layers').dataDir);
  const inProcesses: TemplateProcess[] = [];
  const running = later<Lambda>('Lambda');
  return {
    functions,
    created: () => running.get().created(),
    resources: definedIn(
      { functions, inProcesses, roles },
      lambdaResources({ layers, now: () => account.clock.now() }),
    ),
    removers: {
      'AWS::Lambda::Function': async ({ identity }) => {
        await functions.remove(identity.ref);
        await running.get().remove(identity.ref);
      },
    },
    controls: {
      '/_local/functions': () =>
        functions
          .environments()
          .map(({ name, environment }) => ({ ...functions.find(name).definition, environment })),
      '/_local/lambda': (body) => running.get().control(body),
    },
    deploy: async () => {
      const settings = storeSettings(account, 'lambda');
      const lambda = await createLambda({
        ...settings,
        functions,
        inProcesses,
        layers,
        log: outputOf(account, (_name, line) => {
          printed(undefined, line);
        }),
        ...(onUnlogged !== undefined && { onUnlogged: createLineSplitter(onUnlogged) }),
        observerOf,
        credentialsFor: (roleArn) => roles.credentialsFor(roleArn),
        canAssume: (roleArn) => roles.has(roleArn) && roles.trusts(roleArn, 'lambda.amazonaws.com'),
        canEncrypt: (keyArn, functionArn) => canEncrypt(account, keyPolicy(keyArn), keyArn, functionArn),
        mayWriteLogs: (roleArn, logGroup) => mayWriteLogs(account, roles, roleArn, logGroup),
      });
      running.set(lambda);
      account.onClose(() => lambda.close());
      return lambda.service;
    },
    start: (awsEndpointUrl, compileCache) => {
      running.get().start(awsEndpointUrl);
      functions.start(awsEndpointUrl, compileCache);
      account.onClose(() => functions.close());
    },
  };
}
