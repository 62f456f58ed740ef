import { SecretValue } from 'aws-cdk-lib';
import type { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import type { Settings } from './settings.ts';

/**
 * Returns references to values of the edge secret. The first is the one that the edge sends.
 * Functions accept the others too.
 */
export function edgeSecretValues({ edge, edgeSecretVersions }: Settings, secret: Secret): readonly string[] {
  if (edge === 'none') return [];
  const ofVersions = edgeSecretVersions.map((versionId) =>
    SecretValue.secretsManager(secret.secretArn, { versionId }),
  );
  // Before the first rotation no version id is known, and there is no AWSPREVIOUS.
  const values = ofVersions.length === 0 ? [secret.secretValue] : ofVersions;
  return values.map((value) => value.unsafeUnwrap());
}
