import { randomBytes } from 'node:crypto';
import type { PolicyDocument, Role } from '../aws-service.ts';
import { managedPolicies } from './managed-policies.ts';

export interface RoleDefinition {
  readonly name: string;
  readonly arn: string;
  readonly trust: PolicyDocument;
  readonly policies: readonly PolicyDocument[];
  readonly managedPolicyArns: readonly string[];
  readonly permissionsBoundaryArn?: string;
}

export interface AccessKey {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

/** The three values that the AWS SDKs read from the environment. */
export interface RoleCredentials extends AccessKey {
  readonly sessionToken: string;
}

/**
 * The roles of the app with all policies that decide their access. Definitions may arrive in any
 * order.
 */
export interface RoleRegistry {
  define(role: RoleDefinition): void;
  /** Adds an inline policy to a role by the role's name. */
  attach(roleName: string, policy: PolicyDocument): void;
  /** Defines a managed policy and adds it to roles by their names. */
  defineManagedPolicy(arn: string, policy: PolicyDocument, roleNames: readonly string[]): void;
  has(arn: string): boolean;
  /** Throws an Error if the template lacks the role or a policy that it refers to. */
  role(arn: string): Role;
  /** Returns the same credentials for a role as long as the account runs. */
  credentialsFor(roleArn: string): RoleCredentials;
  /** Returns the key that was issued for a role under this access key id, if any. */
  issuedKey(accessKeyId: string): (RoleCredentials & { readonly owner: Role }) | undefined;
  /** True if the role's trust policy lets an AWS service assume it. */
  trusts(roleArn: string, service: string): boolean;
}

/** On AWS, too, the key ids of roles and of users begin differently. */
const KEY_PREFIXES = { role: 'ASIA', user: 'AKIA' } as const;

const ACCESS_KEY_ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** Creates a random access key and its secret. */
export function newAccessKey(of: keyof typeof KEY_PREFIXES): AccessKey {
  const characters = [...randomBytes(16)].map((byte) => ACCESS_KEY_ALPHABET[byte % 32]);
  return {
    accessKeyId: `${KEY_PREFIXES[of]}${characters.join('')}`,
    secretAccessKey: randomBytes(30).toString('base64'),
  };
}

function trustedServices(principal: unknown): readonly string[] {
  if (typeof principal !== 'object' || principal === null || !('Service' in principal)) return [];
  return [principal.Service].flat().filter((service) => typeof service === 'string');
}

export function createRoleRegistry(): RoleRegistry {
  const definitions = new Map<string, RoleDefinition>();
  const keys = new Map<string, RoleCredentials>();
  const inline = new Map<string, PolicyDocument[]>();
  const managed = new Map<string, PolicyDocument>(Object.entries(managedPolicies));
  const attachedManaged = new Map<string, string[]>();
  const roles = new Map<string, Role>();

  function defined(arn: string): RoleDefinition {
    const definition = definitions.get(arn);
    if (definition === undefined) throw new Error(`the app has no role ${arn}`);
    return definition;
  }

  function managedPolicy(arn: string, roleName: string): PolicyDocument {
    const policy = managed.get(arn);
    if (policy === undefined)
      throw new Error(`role ${roleName} has the managed policy ${arn}, which is not known locally`);
    return policy;
  }

  function assemble(definition: RoleDefinition): Role {
    const { name, arn, permissionsBoundaryArn } = definition;
    const managedArns = [...definition.managedPolicyArns, ...(attachedManaged.get(name) ?? [])];
    const fromManaged = managedArns.map((policyArn) => managedPolicy(policyArn, name));
    const policies = [...definition.policies, ...(inline.get(name) ?? []), ...fromManaged];
    if (permissionsBoundaryArn === undefined) return { arn, policies };
    return { arn, policies, permissionsBoundary: managedPolicy(permissionsBoundaryArn, name) };
  }

  function role(arn: string): Role {
    const known = roles.get(arn) ?? assemble(defined(arn));
    roles.set(arn, known);
    return known;
  }

  return {
    define: (definition) => {
      definitions.set(definition.arn, definition);
    },
    attach: (roleName, policy) => {
      inline.set(roleName, [...(inline.get(roleName) ?? []), policy]);
    },
    defineManagedPolicy: (arn, policy, roleNames) => {
      managed.set(arn, policy);
      for (const name of roleNames) attachedManaged.set(name, [...(attachedManaged.get(name) ?? []), arn]);
    },
    has: (arn) => definitions.has(arn),
    role,
    credentialsFor: (roleArn) => {
      const { arn } = defined(roleArn);
      const issued = keys.get(arn) ?? {
        ...newAccessKey('role'),
        sessionToken: randomBytes(48).toString('base64'),
      };
      keys.set(arn, issued);
      return issued;
    },
    issuedKey: (accessKeyId) => {
      for (const [arn, key] of keys) if (key.accessKeyId === accessKeyId) return { ...key, owner: role(arn) };
      return undefined;
    },
    trusts: (roleArn, service) =>
      defined(roleArn).trust.Statement.some(
        ({ Effect, Principal }) => Effect === 'Allow' && trustedServices(Principal).includes(service),
      ),
  };
}
