import type { IssuedKey } from '../src/aws-endpoint/authenticate.ts';

/** A key with the secret `secret`, for its owner; `undefined` without one. */
export function issuedTo(
  owner: IssuedKey['owner'] | undefined,
  session: Pick<IssuedKey, 'sessionToken'> = {},
): IssuedKey | undefined {
  return owner === undefined ? undefined : { owner, secretAccessKey: 'secret', ...session };
}
