import { z } from 'zod';
import { physicalKeyId } from '../assembly/physical-name.ts';
import { resourceTags } from '../assembly/resource-tags.ts';
import { resourceType, withoutEffect, type ResourceType } from '../assembly/resource-type.ts';
import { policyDocument } from '../iam/policy-document.ts';
import type { KeyDefinitions } from './key-definitions.ts';
import { KEY_SPECS } from './key-store.ts';

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
      Tags: resourceTags,
    })
    .refine(
      ({ KeySpec, KeyUsage }) => (KeySpec === 'SYMMETRIC_DEFAULT') === (KeyUsage === 'ENCRYPT_DECRYPT'),
      { path: ['KeyUsage'], error: 'must be SIGN_VERIFY for ECC_NIST_P256, and ENCRYPT_DECRYPT otherwise' },
    )
    .refine(({ KeySpec, EnableKeyRotation }) => KeySpec === 'SYMMETRIC_DEFAULT' || !EnableKeyRotation, {
      path: ['EnableKeyRotation'],
      error: 'an asymmetric key cannot be rotated',
    }),
  start: ({ identity, properties }, keys: KeyDefinitions) => {
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
  start: ({ properties }, keys: KeyDefinitions) => {
    keys.alias(properties.AliasName, properties.TargetKeyId);
  },
});

export const kmsResources: Readonly<Record<string, ResourceType<KeyDefinitions>>> = {
  'AWS::KMS::Key': key,
  'AWS::KMS::Alias': alias,
};
