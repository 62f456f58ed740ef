import { later, type LocalAccount, type LocalService } from '../assembly/local-service.ts';
import { definedIn } from '../assembly/resource-type.ts';
import type { AwsService } from '../aws-service.ts';
import type { CallFaults } from '../faults/call-faults.ts';
import { parseFunctionName } from '../lambda/function-name.ts';
import type { LocalLambda } from '../lambda/local-lambda.ts';
import type { LocalSqs } from '../sqs/local-sqs.ts';
import { cloudWatchResources } from './cloudwatch-resources.ts';
import type { CloudWatch } from './create-cloudwatch.ts';
import type { FunctionActivity } from './function-activity.ts';
import { createHealthReader, type HealthReader } from './health.ts';
import { observeThrottles, throttleMetricOf } from './refused-calls.ts';

export interface LocalCloudWatchOptions {
  /** Other services add to both. */
  readonly cloudWatch: CloudWatch;
  readonly activity: FunctionActivity;
  readonly lambda: LocalLambda;
  readonly sqs: LocalSqs;
}

export interface LocalCloudWatch extends LocalService {
  readonly passMinute: () => void;
  /** Counts the calls that faults throttle, as the throttled service would on AWS. */
  readonly observeFaults: (faults: CallFaults, services: readonly AwsService[]) => CallFaults;
}

/** CloudWatch: the alarms of the templates, and the health of the account. */
export function createLocalCloudWatch(
  { clock }: LocalAccount,
  { cloudWatch, activity, lambda, sqs }: LocalCloudWatchOptions,
): LocalCloudWatch {
  const health = later<HealthReader>('CloudWatch');
  return {
    resources: definedIn(cloudWatch, cloudWatchResources),
    removers: {
      'AWS::CloudWatch::Alarm': ({ identity }) => {
        cloudWatch.remove(identity.ref);
      },
    },
    controls: { '/_local/health': () => health.get().read() },
    deploy: () => {
      const { functions } = lambda;
      const watched = { cloudWatch, activity, functions, lambda, queues: sqs.queues.all(), sqs };
      health.set(createHealthReader({ ...watched, now: () => clock.now() }));
      return undefined;
    },
    passMinute: () => {
      health.get().passMinute();
    },
    observeFaults: (faults, services) =>
      observeThrottles(faults, (call, action) => {
        const service = services.find(({ signingName }) => signingName === call.service);
        for (const access of service?.accesses(call) ?? []) {
          const metric = throttleMetricOf(action, access);
          if (metric !== undefined) cloudWatch.find(metric)?.add(1);
          if (access.action === 'lambda:InvokeFunction')
            activity.observer(parseFunctionName(access.resource).name).throttled();
        }
      }),
  };
}
