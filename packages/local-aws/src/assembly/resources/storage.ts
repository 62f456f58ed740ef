import { z } from 'zod';
import { KEY_SPECS } from '../../kms/key-store.ts';
import { physicalKeyId, physicalName } from '../physical-name.ts';
import { resourceType, withoutEffect, type ResourceType } from '../resource-type.ts';
import { policyDocument } from '../../iam/policy-document.ts';

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

const tags = z
  .array(z.strictObject({ Key: z.string(), Value: z.string() }))
  .default([])
  .transform((all) => Object.fromEntries(all.map(({ Key, Value }) => [Key, Value])));

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
    Tags: tags,
    WarmThroughput: withoutEffect,
  }),
  start: async ({ identity, properties }, { createTable }) => {
    const timeToLive = properties.TimeToLiveSpecification;
    const keyArn = properties.SSESpecification?.KMSMasterKeyId;
    await createTable({
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

const key = resourceType({
  identify: ({ stack, logicalId, isTrue }, { accountId, region }) => {
    const keyId = physicalKeyId(stack.name, logicalId, isTrue('MultiRegion'));
    return {
      ref: keyId,
      attributes: { KeyId: keyId, Arn: `arn:aws:kms:${region}:${accountId}:key/${keyId}` },
    };
  },
  properties: z
    .strictObject({
      KeyPolicy: policyDocument,
      EnableKeyRotation: z.boolean().default(false),
      Enabled: z.literal(true).optional(),
      KeySpec: z.enum(KEY_SPECS).default('SYMMETRIC_DEFAULT'),
      KeyUsage: z.enum(['ENCRYPT_DECRYPT', 'SIGN_VERIFY']).default('ENCRYPT_DECRYPT'),
      // Read by `identify`: it decides the form of the id. There is only one Region.
      MultiRegion: z.boolean().optional(),
      Description: withoutEffect,
      PendingWindowInDays: withoutEffect,
      RotationPeriodInDays: withoutEffect,
      Tags: tags,
    })
    .refine(
      ({ KeySpec, KeyUsage }) => (KeySpec === 'SYMMETRIC_DEFAULT') === (KeyUsage === 'ENCRYPT_DECRYPT'),
      { path: ['KeyUsage'], error: 'must be SIGN_VERIFY for ECC_NIST_P256, and ENCRYPT_DECRYPT otherwise' },
    )
    .refine(({ KeySpec, EnableKeyRotation }) => KeySpec === 'SYMMETRIC_DEFAULT' || !EnableKeyRotation, {
      path: ['EnableKeyRotation'],
      error: 'an asymmetric key cannot be rotated',
    }),
  start: ({ identity, properties }, { keys }) => {
    keys.define({
      keyId: identity.ref,
      policy: properties.KeyPolicy,
      enableRotation: properties.EnableKeyRotation,
      spec: properties.KeySpec,
      tags: properties.Tags,
    });
  },
});

const alias = resourceType({
  identify: ({ text, logicalId }) => ({ ref: text('AliasName') ?? `alias/${logicalId}`, attributes: {} }),
  properties: z.strictObject({ AliasName: z.string(), TargetKeyId: z.string() }),
  start: ({ properties }, { keys }) => {
    keys.alias(properties.AliasName, properties.TargetKeyId);
  },
});

export const storageResources: Readonly<Record<string, ResourceType>> = {
  'AWS::DynamoDB::Table': table,
  'AWS::KMS::Key': key,
  'AWS::KMS::Alias': alias,
};
