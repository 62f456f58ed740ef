import { resolve } from 'node:path';
import { UsageError } from '../command-line/failures.ts';
import { createSecretsFile } from './secrets-file.ts';

/** A place for a key that no output may have: a new file, or a new secret of AWS. */
export interface SecretTarget {
  readonly kind: 'file' | 'aws-secret';
  readonly name: string;
  /** The target as messages name it. */
  readonly shown: string;
  /** The name of the option, for messages. */
  readonly option: string;
}

/** A target that was proven to be writable. */
export interface OpenTarget {
  readonly write: (text: string) => Promise<void>;
  /** Removes what was made for a key that there is not. */
  readonly discard: () => Promise<void>;
}

/** The calls of AWS Secrets Manager. Each rejects with the error of its client. */
export interface SecretsManager {
  /** Makes a secret without a value. */
  readonly create: (name: string) => Promise<unknown>;
  readonly put: (name: string, text: string) => Promise<unknown>;
  readonly remove: (name: string) => Promise<unknown>;
}

/** Secrets Manager takes these names (API reference, CreateSecret). */
const SECRET_NAME = /^[\w/+=.@-]{1,512}$/;

/** Reads a target: `aws-secret:NAME`, or a path with or without `file:`. Throws `UsageError`. */
export function parseTarget(option: string, text: string): SecretTarget {
  const [, kind, rest = ''] = /^(file|aws-secret|env):(.*)$/s.exec(text) ?? [undefined, 'file', text];
  if (kind === 'env' || rest === '')
    throw new UsageError(`--${option} must be the path of a new file, or aws-secret:NAME`);
  if (kind === 'file') return { kind, name: resolve(rest), shown: rest, option };
  if (!SECRET_NAME.test(rest))
    throw new UsageError(`--${option} aws-secret: a name has up to 512 letters, digits and /_+=.@-`);
  return { kind: 'aws-secret', name: rest, shown: text, option };
}

/** Calls Secrets Manager with the AWS credentials and the Region of the environment. */
export async function secretsManager(): Promise<SecretsManager> {
  const { CreateSecretCommand, DeleteSecretCommand, PutSecretValueCommand, SecretsManagerClient } =
    await import('@aws-sdk/client-secrets-manager');
  const client = new SecretsManagerClient();
  return {
    create: (Name) => client.send(new CreateSecretCommand({ Name })),
    put: (SecretId, SecretString) => client.send(new PutSecretValueCommand({ SecretId, SecretString })),
    remove: (SecretId) =>
      client.send(new DeleteSecretCommand({ SecretId, ForceDeleteWithoutRecovery: true })),
  };
}

async function openSecret(
  { name, shown, option }: SecretTarget,
  { create, put, remove }: SecretsManager,
): Promise<OpenTarget> {
  const refused = (error: unknown): UsageError => {
    const { name: code = '' } = error as Partial<Error>;
    const why = code === 'ResourceExistsException' ? 'the secret exists' : `it cannot be written (${code})`;
    return new UsageError(`--${option} ${shown}: ${why}; no key was made`);
  };
  await create(name).catch((error: unknown) => {
    throw refused(error);
  });
  // The right to make a secret is none to write one.
  await put(name, '{}').catch(async (error: unknown) => {
    await remove(name).catch(() => undefined);
    throw refused(error);
  });
  return {
    write: async (text) => void (await put(name, text)),
    discard: async () => void (await remove(name)),
  };
}

/**
 * Proves that a target can be written, before there is a key: one that cannot be stored is lost.
 * Throws {@link UsageError} if the target exists or cannot be written.
 */
export async function openTarget(target: SecretTarget, secrets: SecretsManager): Promise<OpenTarget> {
  if (target.kind === 'aws-secret') return await openSecret(target, secrets);
  const file = createSecretsFile(target.name, target.option);
  return {
    write: (text) => {
      file.write(text);
      return Promise.resolve();
    },
    discard: () => {
      file.discard();
      return Promise.resolve();
    },
  };
}
