import {
  alarmDefinition,
  alarmProperties,
  type AlarmDefinition,
} from '../../src/cloudwatch/alarm-definition.ts';

/** Watches the sum of `App Failures` of a minute; the properties are those of a template. */
export function anAlarm(properties: Readonly<Record<string, unknown>> = {}): AlarmDefinition {
  const metric = { Namespace: 'App', MetricName: 'Failures', Statistic: 'Sum', Period: 60 };
  const condition = {
    Threshold: 1,
    ComparisonOperator: 'GreaterThanOrEqualToThreshold',
    EvaluationPeriods: 1,
  };
  const merged = { ...('Metrics' in properties ? {} : metric), ...condition, ...properties };
  return alarmDefinition('Failing', alarmProperties.parse(merged));
}
