import type { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';

export interface StoredSecret {
  readonly text: string;
  /** Names the version that this text is. */
  readonly version: string;
}

/** The calls of AWS Secrets Manager. Each rejects with the error of its client. */
export interface Secrets {
  /** Resolves with `undefined` for a secret that does not exist, or that has no value. */
  readonly read: (name: string) => Promise<StoredSecret | undefined>;
  /** Resolves with the current version, which needs no right to read the value. */
  readonly version: (name: string) => Promise<string | undefined>;
  /** Makes a secret without a value. */
  readonly create: (name: string) => Promise<void>;
  readonly put: (name: string, text: string) => Promise<void>;
}

/** The name of an error of AWS, which has nothing of a value. */
export const codeOf = (error: unknown): string => {
  const { name = '' } = error as Partial<Error>;
  return name === '' || name === 'Error' ? 'unknown reason' : name;
};

async function unlessMissing<T>(call: Promise<T>): Promise<T | undefined> {
  try {
    return await call;
  } catch (error) {
    if (codeOf(error) === 'ResourceNotFoundException') return undefined;
    throw error;
  }
}

/** Calls Secrets Manager with the AWS credentials and the Region of the environment. */
export function awsSecrets(): Secrets {
  let client: SecretsManagerClient | undefined;
  const withClient = async () => {
    const commands = await import('@aws-sdk/client-secrets-manager');
    client ??= new commands.SecretsManagerClient();
    return { client, commands };
  };
  return {
    read: async (name) => {
      const { client: secrets, commands } = await withClient();
      const found = await unlessMissing(secrets.send(new commands.GetSecretValueCommand({ SecretId: name })));
      const { SecretString: text, VersionId: version = '' } = found ?? {};
      return text === undefined ? undefined : { text, version };
    },
    version: async (name) => {
      const { client: secrets, commands } = await withClient();
      const found = await secrets.send(new commands.DescribeSecretCommand({ SecretId: name }));
      const versions = Object.entries(found.VersionIdsToStages ?? {});
      return versions.find(([, stages]) => stages.includes('AWSCURRENT'))?.[0];
    },
    create: async (name) => {
      const { client: secrets, commands } = await withClient();
      await secrets.send(new commands.CreateSecretCommand({ Name: name }));
    },
    put: async (name, text) => {
      const { client: secrets, commands } = await withClient();
      await secrets.send(new commands.PutSecretValueCommand({ SecretId: name, SecretString: text }));
    },
  };
}
