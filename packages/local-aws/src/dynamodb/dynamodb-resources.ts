import { z } from 'zod';
import { physicalName } from '../assembly/physical-name.ts';
import { resourceTags } from '../assembly/resource-tags.ts';
import { resourceType, withoutEffect, type ResourceType } from '../assembly/resource-type.ts';
import { policyDocument } from '../iam/policy-document.ts';
import type { TableDefinition } from './table.ts';

const keySchema = z.array(z.strictObject({ AttributeName: z.string(), KeyType: z.enum(['HASH', 'RANGE']) }));

const globalSecondaryIndex = z
  .strictObject({
    IndexName: z.string(),
    KeySchema: keySchema,
    Projection: z.strictObject({
      ProjectionType: z.enum(['ALL', 'KEYS_ONLY', 'INCLUDE']),
      NonKeyAttributes: z.array(z.string()).exactOptional(),
    }),
    OnDemandThroughput: withoutEffect,
    ContributorInsightsSpecification: withoutEffect,
    WarmThroughput: withoutEffect,
  })
  .transform(({ IndexName, KeySchema, Projection }) => ({ IndexName, KeySchema, Projection }));

const table = resourceType({
  identify: ({ stack, logicalId, text }, { accountId, region }) => {
    const name = text('TableName') ?? physicalName(stack.name, logicalId, 255);
    return { ref: name, attributes: { Arn: `arn:aws:dynamodb:${region}:${accountId}:table/${name}` } };
  },
  properties: z.strictObject({
    TableName: z.string().optional(),
    AttributeDefinitions: z.array(
      z.strictObject({ AttributeName: z.string(), AttributeType: z.enum(['S', 'N', 'B']) }),
    ),
    KeySchema: keySchema,
    GlobalSecondaryIndexes: z.array(globalSecondaryIndex).default([]),
    TimeToLiveSpecification: z.strictObject({ AttributeName: z.string(), Enabled: z.boolean() }).optional(),
    // Only pay per request: provisioned capacity would throttle on AWS and not here.
    BillingMode: z.literal('PAY_PER_REQUEST'),
    ContributorInsightsSpecification: withoutEffect,
    DeletionProtectionEnabled: z.boolean().default(false),
    OnDemandThroughput: withoutEffect,
    PointInTimeRecoverySpecification: z.strictObject({ PointInTimeRecoveryEnabled: z.boolean() }).optional(),
    ResourcePolicy: z.strictObject({ PolicyDocument: policyDocument }).optional(),
    SSESpecification: z
      .strictObject({
        SSEEnabled: z.boolean(),
        SSEType: z.literal('KMS').optional(),
        KMSMasterKeyId: z.string().optional(),
      })
      .optional(),
    TableClass: withoutEffect,
    Tags: resourceTags,
    WarmThroughput: withoutEffect,
  }),
  start: ({ identity, properties }, tables: TableDefinition[]) => {
    const timeToLive = properties.TimeToLiveSpecification;
    const keyArn = properties.SSESpecification?.KMSMasterKeyId;
    tables.push({
      name: identity.ref,
      attributeDefinitions: properties.AttributeDefinitions,
      keySchema: properties.KeySchema,
      ...(properties.GlobalSecondaryIndexes.length > 0 && {
        globalSecondaryIndexes: properties.GlobalSecondaryIndexes,
      }),
      ...(timeToLive?.Enabled === true && { timeToLiveAttribute: timeToLive.AttributeName }),
      isProtected: properties.DeletionProtectionEnabled,
      hasPointInTimeRecovery:
        properties.PointInTimeRecoverySpecification?.PointInTimeRecoveryEnabled === true,
      ...(keyArn !== undefined && { keyArn }),
      tags: properties.Tags,
      ...(properties.ResourcePolicy !== undefined && {
        resourcePolicy: properties.ResourcePolicy.PolicyDocument,
      }),
    });
  },
});

export const dynamoDbResources: Readonly<Record<string, ResourceType<TableDefinition[]>>> = {
  'AWS::DynamoDB::Table': table,
};
