import { z } from 'zod';
import { physicalName } from '../assembly/physical-name.ts';
import { resourceType, withoutEffect, type ResourceType } from '../assembly/resource-type.ts';
import { policyDocument } from './policy-document.ts';
import type { RoleRegistry } from './role-registry.ts';

const role = resourceType({
  identify: ({ stack, logicalId, text }, { accountId }) => {
    const name = text('RoleName') ?? physicalName(stack.name, logicalId, 64);
    const path = text('Path') ?? '/';
    return {
      ref: name,
      attributes: { Arn: `arn:aws:iam::${accountId}:role${path}${name}`, RoleId: `AROA${logicalId}` },
    };
  },
  properties: z.strictObject({
    RoleName: z.string().optional(),
    Path: z.string().optional(),
    AssumeRolePolicyDocument: policyDocument,
    Policies: z.array(z.object({ PolicyDocument: policyDocument })).default([]),
    ManagedPolicyArns: z.array(z.string()).default([]),
    PermissionsBoundary: z.string().optional(),
    Description: withoutEffect,
    MaxSessionDuration: withoutEffect,
    Tags: withoutEffect,
  }),
  start: ({ identity, properties }, roles: RoleRegistry) => {
    roles.define({
      name: identity.ref,
      arn: identity.attributes['Arn'] ?? '',
      trust: properties.AssumeRolePolicyDocument,
      policies: properties.Policies.map((policy) => policy.PolicyDocument),
      managedPolicyArns: properties.ManagedPolicyArns,
      ...(properties.PermissionsBoundary !== undefined && {
        permissionsBoundaryArn: properties.PermissionsBoundary,
      }),
    });
  },
});

const policy = resourceType({
  identify: ({ stack, logicalId, text }) => ({
    ref: text('PolicyName') ?? physicalName(stack.name, logicalId, 128),
    attributes: {},
  }),
  properties: z.strictObject({
    PolicyName: z.string(),
    PolicyDocument: policyDocument,
    Roles: z.array(z.string()).default([]),
  }),
  start: ({ properties }, roles: RoleRegistry) => {
    for (const roleName of properties.Roles) roles.attach(roleName, properties.PolicyDocument);
  },
});

const managedPolicy = resourceType({
  identify: ({ stack, logicalId, text }, { accountId }) => {
    const name = text('ManagedPolicyName') ?? physicalName(stack.name, logicalId, 128);
    const arn = `arn:aws:iam::${accountId}:policy${text('Path') ?? '/'}${name}`;
    return { ref: arn, attributes: { PolicyArn: arn } };
  },
  properties: z.strictObject({
    ManagedPolicyName: z.string().optional(),
    Path: z.string().optional(),
    PolicyDocument: policyDocument,
    Roles: z.array(z.string()).default([]),
    Description: withoutEffect,
  }),
  start: ({ identity, properties }, roles: RoleRegistry) => {
    roles.defineManagedPolicy(identity.ref, properties.PolicyDocument, properties.Roles);
  },
});

export const iamResources: Readonly<Record<string, ResourceType<RoleRegistry>>> = {
  'AWS::IAM::Role': role,
  'AWS::IAM::Policy': policy,
  'AWS::IAM::ManagedPolicy': managedPolicy,
};
