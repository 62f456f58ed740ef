import type * as AwsClient from '@aws-sdk/client-secrets-manager';
import { lacksCredentials } from '../command-line/failures.ts';

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

type Commands = typeof AwsClient;

/** Calls Secrets Manager with the AWS credentials and the Region of the environment. */
export function awsSecrets(): Secrets {
  let client: AwsClient.SecretsManagerClient | undefined;
  let withoutCredentials: Error | undefined;
  /** Without credentials each call would look for them again, which takes seconds. */
  const call = async <T>(
    act: (client: AwsClient.SecretsManagerClient, commands: Commands) => Promise<T>,
  ): Promise<T> => {
    if (withoutCredentials !== undefined) throw withoutCredentials;
    const commands = await import('@aws-sdk/client-secrets-manager');
    try {
      client ??= new commands.SecretsManagerClient();
      return await act(client, commands);
    } catch (error) {
      if (error instanceof Error && lacksCredentials(error)) withoutCredentials = error;
      throw error;
    }
  };
  return {
    read: async (name) => {
      const found = await unlessMissing(
        call((secrets, { GetSecretValueCommand }) =>
          secrets.send(new GetSecretValueCommand({ SecretId: name })),
        ),
      );
      const { SecretString: text, VersionId: version = '' } = found ?? {};
      return text === undefined ? undefined : { text, version };
    },
    version: async (name) => {
      const found = await call((secrets, { DescribeSecretCommand }) =>
        secrets.send(new DescribeSecretCommand({ SecretId: name })),
      );
      const versions = Object.entries(found.VersionIdsToStages ?? {});
      return versions.find(([, stages]) => stages.includes('AWSCURRENT'))?.[0];
    },
    create: async (name) => {
      await call((secrets, { CreateSecretCommand }) => secrets.send(new CreateSecretCommand({ Name: name })));
    },
    put: async (name, text) => {
      await call((secrets, { PutSecretValueCommand }) =>
        secrets.send(new PutSecretValueCommand({ SecretId: name, SecretString: text })),
      );
    },
  };
}
