import { Duration } from 'aws-cdk-lib';
import {
  Alarm,
  ComparisonOperator,
  MathExpression,
  Stats,
  TreatMissingData,
} from 'aws-cdk-lib/aws-cloudwatch';
import { LambdaDeploymentConfig, LambdaDeploymentGroup } from 'aws-cdk-lib/aws-codedeploy';
import type { Alias } from 'aws-cdk-lib/aws-lambda';
import { type ILogGroup, MetricFilter } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import { acceptFindings } from '../accept-findings.ts';
import { LINES } from '../log-metrics.ts';

export interface CanaryProps {
  readonly serviceName: string;
  /** The gateway invokes this alias. */
  readonly live: Alias;
  /** The log that the function writes. */
  readonly log: ILogGroup;
  /**
   * Callers without an API key can make the function exceed its time. Then a call that times out is
   * no failure of the version.
   */
  readonly ignoresTimeouts: boolean;
}

const MINUTE = { period: Duration.minutes(1), statistic: Stats.SUM };

/**
 * Moves the requests of a function to a new version: a tenth at first, and the others five minutes
 * later. If the service itself fails a percent of the requests, CodeDeploy moves them back and the
 * deployment fails.
 */
export class Canary extends Construct {
  constructor(scope: Construct, id: string, { serviceName, live, log, ignoresTimeouts }: CanaryProps) {
    super(scope, id);
    // A function responds 500 without an error of Lambda, so its log counts too: faults of its own,
    // and not those of a destination or a reactor.
    const counter = new MetricFilter(this, 'Failures', {
      logGroup: log,
      metricNamespace: serviceName,
      metricName: `${scope.node.id}Failures`,
      filterPattern: ignoresTimeouts ? LINES.faultOrCrash : LINES.fault,
    });
    // The metric of Lambda counts timeouts too, at the start of their calls. A count of timeouts
    // from the log could not be subtracted: it is in another minute.
    const counted = {
      failures: counter.metric(MINUTE),
      ...(ignoresTimeouts ? {} : { errors: live.metricErrors(MINUTE) }),
    };
    const failed = `(${Object.keys(counted)
      .map((name) => `FILL(${name}, 0)`)
      .join(' + ')})`;
    const alarm = new Alarm(this, 'Failing', {
      alarmDescription: 'Ends a deployment and restores the previous version: docs/deploy.md, Canary.',
      metric: new MathExpression({
        label: 'Failed responses in percent',
        period: MINUTE.period,
        // A few requests make no meaningful percentage.
        expression: `IF(requests > 50, 100 * ${failed} / requests, IF(${failed} > 5, 100, 0))`,
        usingMetrics: {
          requests: live.metricInvocations(MINUTE),
          ...counted,
        },
      }),
      threshold: 1,
      evaluationPeriods: 1,
      comparisonOperator: ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
      treatMissingData: TreatMissingData.NOT_BREACHING,
    });
    const group = new LambdaDeploymentGroup(this, 'Deployment', {
      alias: live,
      deploymentConfig: LambdaDeploymentConfig.CANARY_10PERCENT_5MINUTES,
      alarms: [alarm],
    });
    acceptFindings(group, {
      'AwsSolutions-IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/service-role/AWSCodeDeployRoleForLambdaLimited]':
        'The policy that AWS maintains for CodeDeploy: it moves aliases and looks at alarms, and invokes no function of the service.',
    });
  }
}
