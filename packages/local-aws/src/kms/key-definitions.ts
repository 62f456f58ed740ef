import type { PolicyDocument } from '../aws-service.ts';
import type { KeySpec } from './key-store.ts';

export interface KeyDefinition {
  readonly keyId: string;
  readonly policy: PolicyDocument;
  readonly enableRotation: boolean;
  readonly spec: KeySpec;
  readonly tags: Readonly<Record<string, string>>;
}

/**
 * KMS keys and their aliases, collected until both are known: a template contains them as separate
 * resources in any order.
 */
export interface KeyDefinitions {
  define(key: KeyDefinition): void;
  /** `target` is a key id or ARN. Throws an Error for a second alias of one key. */
  alias(name: string, target: string): void;
  all(): readonly (KeyDefinition & { alias?: string })[];
}

export function createKeyDefinitions(): KeyDefinitions {
  const keys: KeyDefinition[] = [];
  const aliases = new Map<string, string>();

  return {
    define: (key) => {
      keys.push(key);
    },
    alias: (name, target) => {
      const keyId = target.slice(target.lastIndexOf('/') + 1);
      const other = aliases.get(keyId);
      if (other !== undefined)
        throw new Error(
          `key ${keyId} has two aliases, ${other} and ${name}: the local KMS supports one alias per key`,
        );
      aliases.set(keyId, name);
    },
    all: () =>
      keys.map((key) => {
        const alias = aliases.get(key.keyId);
        return alias === undefined ? key : { ...key, alias };
      }),
  };
}
