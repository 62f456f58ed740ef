import { z } from 'zod';
import { physicalName } from '../assembly/physical-name.ts';
import { resourceType, withoutEffect, type ResourceType } from '../assembly/resource-type.ts';
import type { ScheduleTable } from './schedule-table.ts';

const state = z.enum(['ENABLED', 'DISABLED']).default('ENABLED');

const rule = resourceType({
  identify: ({ stack, logicalId, text }, { accountId, region }) => {
    const name = text('Name') ?? physicalName(stack.name, logicalId, 64);
    return { ref: name, attributes: { Arn: `arn:aws:events:${region}:${accountId}:rule/${name}` } };
  },
  properties: z.strictObject({
    Name: z.string().optional(),
    ScheduleExpression: z.string().optional(),
    // One machine raises no events: a rule about them never fires.
    EventPattern: withoutEffect,
    State: state,
    Targets: z
      .array(
        z.strictObject({
          Id: z.string(),
          Arn: z.string(),
          Input: z.string().optional(),
          // A failed target is logged and not retried.
          RetryPolicy: withoutEffect,
        }),
      )
      .default([]),
    Description: withoutEffect,
    Tags: withoutEffect,
  }),
  start: ({ identity, properties }, schedules: ScheduleTable) => {
    const { State: state, ScheduleExpression: expression } = properties;
    if (state === 'DISABLED' || expression === undefined) return;
    for (const target of properties.Targets)
      schedules.add({
        arn: identity.attributes['Arn'] ?? '',
        expression,
        functionArn: target.Arn,
        ...(target.Input !== undefined && { input: target.Input }),
      });
  },
});

export const scheduleResources: Readonly<Record<string, ResourceType<ScheduleTable>>> = {
  'AWS::Events::Rule': rule,
};
