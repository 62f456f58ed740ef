import { Alarm, type AlarmProps } from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import type { Construct } from 'constructs';
import { ALARMS, type AlarmName } from '../alarms.ts';

export interface RunbookAlarmProps extends Omit<AlarmProps, 'alarmName' | 'alarmDescription'> {
  readonly serviceName: string;
  /** Receives the alarm and its end. */
  readonly topic: ITopic;
}

/** An alarm that describes its impact on users and links to the runbook. */
export class RunbookAlarm extends Alarm {
  constructor(scope: Construct, name: AlarmName, { serviceName, topic, ...props }: RunbookAlarmProps) {
    super(scope, name, {
      ...props,
      alarmName: `${serviceName}-${name}`,
      alarmDescription: `${ALARMS[name]} What to do: docs/runbook.md, ${name}.`,
    });
    const action = new SnsAction(topic);
    this.addAlarmAction(action);
    this.addOkAction(action);
  }
}
