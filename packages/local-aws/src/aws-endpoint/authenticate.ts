import { AwsError, type Principal, type Role } from '../aws-service.ts';
import { isSame, parseSignature, signatureProblem, type Signature, type SignedCall } from './signature.ts';

/** Members that were issued with an access key id. */
export interface IssuedKey {
  readonly owner: Role | 'administrator';
  readonly secretAccessKey: string;
  /** If it is set, each call must have it. */
  readonly sessionToken?: string;
}

/** Looks up the owner of credentials. */
export interface Credentials {
  /** `undefined` for a key that was never issued. */
  issuedKey(accessKeyId: string): IssuedKey | undefined;
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

function caller(role: Role | 'administrator', accountId: string): Caller {
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
    // On AWS the session has the name of the function.
    arn: `arn:aws:sts::${accountId}:assumed-role/${name}/${name}`,
  };
}

/** Throws AwsError 403 MissingAuthenticationTokenException without a Signature Version 4. */
export function requireSignature(authorization: string | undefined): Signature {
  const signature = parseSignature(authorization);
  if (signature !== undefined) return signature;
  throw new AwsError('MissingAuthenticationTokenException', 403, 'Missing Authentication Token');
}

/**
 * The caller of a signed call. Throws AwsError 403: UnrecognizedClientException for credentials
 * that were never issued, InvalidSignatureException for a call that their owner has not signed.
 */
export async function authenticate(
  credentials: Credentials,
  accountId: string,
  signature: Signature,
  call: SignedCall,
  times: readonly number[],
): Promise<Caller> {
  const key = credentials.issuedKey(signature.accessKeyId);
  const token = call.headers['x-amz-security-token'];
  if (key === undefined || (key.sessionToken !== undefined && !isSame(key.sessionToken, token ?? ''))) {
    throw new AwsError(
      'UnrecognizedClientException',
      403,
      'The security token included in the request is invalid.',
    );
  }
  const problem = await signatureProblem(signature, call, key.secretAccessKey, times);
  if (problem !== undefined) throw new AwsError('InvalidSignatureException', 403, problem);
  return caller(key.owner, accountId);
}

/**
 * Whether a request to a control path has the administrator's key, as HTTP Basic: any client can
 * send it, and the request does not leave this machine.
 */
export function isAdministrator(credentials: Credentials, authorization: string | undefined): boolean {
  const [scheme, encoded = ''] = (authorization ?? '').split(' ');
  const [id = '', secret = ''] = Buffer.from(encoded, 'base64').toString('utf8').split(':');
  const key = scheme?.toLowerCase() === 'basic' ? credentials.issuedKey(id) : undefined;
  return key?.owner === 'administrator' && isSame(key.secretAccessKey, secret);
}
