import type { LocalAccount, LocalService } from './assembly/local-service.ts';
import { resourcesWithoutBehaviour } from './assembly/without-behaviour.ts';
import { createLocalBackup } from './backup/local-backup.ts';
import { createCloudFormation } from './cloudformation/create-cloudformation.ts';
import { createCloudWatch } from './cloudwatch/create-cloudwatch.ts';
import { createFunctionActivity } from './cloudwatch/function-activity.ts';
import { gatewayObserver } from './cloudwatch/gateway-metrics.ts';
import { createLocalCloudWatch, type LocalCloudWatch } from './cloudwatch/local-cloudwatch.ts';
import { createLocalDynamoDb } from './dynamodb/local-dynamodb.ts';
import { createLocalGateway, type ExtendGateway } from './gateway/local-gateway.ts';
import { createLocalIam } from './iam/local-iam.ts';
import type { RoleRegistry } from './iam/role-registry.ts';
import { createLocalKms } from './kms/local-kms.ts';
import type { FunctionHost } from './lambda/function-host.ts';
import type { FunctionKills } from './lambda/function-instance.ts';
import { createLocalLambda, type FunctionOptions } from './lambda/local-lambda.ts';
import { createLocalLogs } from './logs/local-logs.ts';
import { createLocalSchedules } from './schedules/local-schedules.ts';
import { createLocalSqs } from './sqs/local-sqs.ts';

export interface ServicesOptions extends FunctionOptions {
  readonly kills: FunctionKills;
  readonly extendGateway?: ExtendGateway;
  /** How long a scheduled minute lasts. Default 60. */
  readonly tickSeconds?: number;
}

/** The services of a local account, and what a start needs of certain ones. */
export interface Services {
  /** Each step of a start goes through them in this order. */
  readonly all: readonly LocalService[];
  readonly roles: RoleRegistry;
  readonly functions: FunctionHost;
  readonly observeFaults: LocalCloudWatch['observeFaults'];
}

/** Creates each service with those that it uses. A new service is a row of `all`. */
export function createServices(account: LocalAccount, options: ServicesOptions): Services {
  const { extendGateway, tickSeconds = 60 } = options;
  const metrics = createCloudWatch();
  const activity = createFunctionActivity(metrics, () => account.clock.now());

  const iam = createLocalIam(account);
  const dynamoDb = createLocalDynamoDb(account);
  const backup = createLocalBackup(account, () => dynamoDb.store());
  const kms = createLocalKms(account);
  const { roles } = iam;
  const { keyPolicy } = kms;
  const lambda = createLocalLambda(account, {
    ...options,
    roles,
    keyPolicy,
    observerOf: activity.observer,
    printed: (logGroup, line) => {
      metrics.logged(logGroup, line);
    },
  });
  const { functions } = lambda;
  const sqs = createLocalSqs(account, { functions, roles, keyPolicy });
  const gateway = createLocalGateway(account, {
    functions,
    observerOf: (api) => gatewayObserver(metrics, api),
    ...(extendGateway !== undefined && { extendGateway }),
  });
  const cloudWatch = createLocalCloudWatch(account, { cloudWatch: metrics, activity, lambda, sqs });
  const schedules = createLocalSchedules(account, {
    functions,
    tickSeconds,
    onMinutes: (before, after) => {
      cloudWatch.passMinute();
      dynamoDb.passMinutes(before, after);
      backup.passMinutes(before, after);
    },
  });
  const all = [
    // Roles first: functions read them when they are defined.
    iam,
    dynamoDb,
    backup,
    kms,
    lambda,
    sqs,
    gateway,
    schedules,
    cloudWatch,
    createLocalLogs(account),
    { deploy: createCloudFormation },
    { resources: resourcesWithoutBehaviour },
  ];
  return { all, roles, functions, observeFaults: cloudWatch.observeFaults };
}
