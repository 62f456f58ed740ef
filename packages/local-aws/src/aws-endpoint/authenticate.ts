import { AwsError, type Principal, type Role } from '../aws-service.ts';
import { parseSignature, type Signature } from './signature.ts';

/** Looks up the owner of credentials. */
export interface Credentials {
  /** The role of an access key id; undefined for a key that was never issued. */
  roleForAccessKey(accessKeyId: string): Role | 'administrator' | undefined;
  /** The session token issued with the key, if any: a call must then carry it. */
  sessionTokenFor?(accessKeyId: string): string | undefined;
  /**
   * The session's name in error messages, on AWS the name of the function. The role's name when
   * absent.
   */
  sessionNameFor?(accessKeyId: string): string | undefined;
}

export interface Caller {
  readonly principal: Principal;
  /** Absent for the administrator, who may do everything that no resource policy denies. */
  readonly role?: Role;
  /** The role's name or `administrator`. */
  readonly name: string;
  /** The caller's ARN in error messages. */
  readonly arn: string;
}

function lastPart(arn: string): string {
  return arn.slice(arn.lastIndexOf('/') + 1);
}

function caller(role: Role | 'administrator', accountId: string, session: string | undefined): Caller {
  if (role === 'administrator') {
    return {
      principal: { kind: 'administrator' },
      name: 'administrator',
      arn: `arn:aws:iam::${accountId}:root`,
    };
  }
  const name = lastPart(role.arn);
  return {
    principal: { kind: 'role', roleArn: role.arn },
    role,
    name,
    arn: `arn:aws:sts::${accountId}:assumed-role/${name}/${session ?? name}`,
  };
}

/** Throws AwsError 403 MissingAuthenticationTokenException without a Signature Version 4. */
export function requireSignature(authorization: string | undefined): Signature {
  const signature = parseSignature(authorization);
  if (signature !== undefined) return signature;
  throw new AwsError('MissingAuthenticationTokenException', 403, 'Missing Authentication Token');
}

/** Throws AwsError 403 UnrecognizedClientException for credentials that were never issued. */
export function authenticate(
  credentials: Credentials,
  accountId: string,
  { accessKeyId }: Signature,
  sessionToken: string | undefined,
): Caller {
  const role = credentials.roleForAccessKey(accessKeyId);
  const expectedToken = credentials.sessionTokenFor?.(accessKeyId);
  if (role === undefined || (expectedToken !== undefined && expectedToken !== sessionToken)) {
    throw new AwsError(
      'UnrecognizedClientException',
      403,
      'The security token included in the request is invalid.',
    );
  }
  return caller(role, accountId, credentials.sessionNameFor?.(accessKeyId));
}
