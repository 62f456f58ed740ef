import { z } from 'zod';
import { alarmDefinition, alarmProperties } from './alarm-definition.ts';
import { parseFilterPattern, parseMetricValue } from './filter-pattern.ts';
import { errorMessage } from '../error-code.ts';
import { physicalName } from '../assembly/physical-name.ts';
import { resourceType, withoutEffect, type ResourceType } from '../assembly/resource-type.ts';
import type { AlarmDefinitions } from './create-cloudwatch.ts';

const alarm = resourceType({
  identify: ({ stack, logicalId, text }, { accountId, region }) => {
    const name = text('AlarmName') ?? physicalName(stack.name, logicalId, 255);
    return { ref: name, attributes: { Arn: `arn:aws:cloudwatch:${region}:${accountId}:alarm:${name}` } };
  },
  properties: alarmProperties,
  start: ({ stackName, logicalId, identity, properties }, alarms: AlarmDefinitions) => {
    try {
      alarms.define(alarmDefinition(identity.ref, properties));
    } catch (error) {
      throw new Error(`${stackName}/${logicalId} cannot run locally: ${errorMessage(error)}`, {
        cause: error,
      });
    }
  },
});

const metricFilter = resourceType({
  identify: ({ stack, logicalId }) => ({ ref: physicalName(stack.name, logicalId, 255), attributes: {} }),
  properties: z.strictObject({
    MetricTransformations: z.array(
      z.strictObject({
        MetricNamespace: z.string(),
        MetricName: z.string(),
        MetricValue: z.string().regex(/^(?:1|\$\.\w+)$/, 'must be 1 or the path of a member'),
      }),
    ),
    FilterName: withoutEffect,
    FilterPattern: z.string(),
    LogGroupName: z.string(),
    ApplyOnTransformedLogs: withoutEffect,
  }),
  start: ({ properties }, alarms: AlarmDefinitions) => {
    const { LogGroupName: logGroup, FilterPattern, MetricTransformations } = properties;
    const matches = parseFilterPattern(FilterPattern);
    for (const { MetricNamespace: namespace, MetricName: name, MetricValue } of MetricTransformations)
      alarms.defineFilter({ namespace, name, logGroup, matches, valueIn: parseMetricValue(MetricValue) });
  },
});

export const cloudWatchResources: Readonly<Record<string, ResourceType<AlarmDefinitions>>> = {
  'AWS::CloudWatch::Alarm': alarm,
  'AWS::Logs::MetricFilter': metricFilter,
};
