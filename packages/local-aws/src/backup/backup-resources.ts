import { z } from 'zod';
import { physicalName } from '../assembly/physical-name.ts';
import { resourceType, withoutEffect, type ResourceType } from '../assembly/resource-type.ts';
import { parseSchedule } from '../schedules/parse-schedule.ts';
import type { BackupDefinitions } from './backup-definitions.ts';

const vault = resourceType({
  identify: ({ stack, logicalId, text }, { accountId, region }) => {
    const name = text('BackupVaultName') ?? physicalName(stack.name, logicalId, 50);
    const arn = `arn:aws:backup:${region}:${accountId}:backup-vault:${name}`;
    return { ref: name, attributes: { BackupVaultName: name, BackupVaultArn: arn } };
  },
  properties: z.strictObject({ BackupVaultName: z.string(), BackupVaultTags: withoutEffect }),
  start: ({ identity }, { vaults }: BackupDefinitions) => {
    vaults.add(identity.ref);
  },
});

const lifecycle = z.strictObject({ DeleteAfterDays: z.number().optional() });

const rule = z.strictObject({
  RuleName: z.string(),
  TargetBackupVault: z.string(),
  ScheduleExpression: z.string(),
  // A local backup exists immediately.
  StartWindowMinutes: withoutEffect,
  CompletionWindowMinutes: withoutEffect,
  Lifecycle: lifecycle.default({}),
  CopyActions: z
    .array(z.strictObject({ DestinationBackupVaultArn: z.string(), Lifecycle: lifecycle.optional() }))
    .default([]),
});

const plan = resourceType({
  identify: ({ stack, logicalId }, { accountId, region }) => {
    const id = physicalName(stack.name, logicalId, 50);
    const arn = `arn:aws:backup:${region}:${accountId}:backup-plan:${id}`;
    return { ref: id, attributes: { BackupPlanId: id, BackupPlanArn: arn, VersionId: '1' } };
  },
  properties: z.strictObject({
    BackupPlan: z.strictObject({ BackupPlanName: z.string(), BackupPlanRule: z.array(rule) }),
    BackupPlanTags: withoutEffect,
  }),
  start: ({ identity, properties }, { plans }: BackupDefinitions) => {
    plans.set(identity.ref, {
      id: identity.ref,
      rules: properties.BackupPlan.BackupPlanRule.map((each) => ({
        vault: each.TargetBackupVault,
        isDue: parseSchedule(each.ScheduleExpression),
        deleteAfterDays: each.Lifecycle.DeleteAfterDays,
        copiesTo: each.CopyActions.map(({ DestinationBackupVaultArn }) => DestinationBackupVaultArn),
      })),
      tableArns: [],
    });
  },
});

const selection = resourceType({
  identify: ({ stack, logicalId }) => ({ ref: physicalName(stack.name, logicalId, 50), attributes: {} }),
  properties: z.strictObject({
    BackupPlanId: z.string(),
    BackupSelection: z.strictObject({
      SelectionName: z.string(),
      // Nothing is called with the rights of the role locally.
      IamRoleArn: z.string(),
      Resources: z.array(z.string().regex(/^arn:aws:dynamodb:/)),
    }),
  }),
  start: ({ properties }, { plans }: BackupDefinitions) => {
    plans.get(properties.BackupPlanId)?.tableArns.push(...properties.BackupSelection.Resources);
  },
});

/** A selection adds to its plan, so it comes after it. */
export const backupResources: Readonly<Record<string, ResourceType<BackupDefinitions>>> = {
  'AWS::Backup::BackupVault': vault,
  'AWS::Backup::BackupPlan': plan,
  'AWS::Backup::BackupSelection': selection,
};
