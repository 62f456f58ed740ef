/** The signer of a call: the role whose credentials were used, or the account's administrator. */
export type Principal = { kind: 'role'; roleArn: string } | { kind: 'administrator' };

/**
 * One unchanged call to the local AWS endpoint. `target` is the value of `X-Amz-Target` without its
 * version prefix.
 */
export interface AwsCall {
  readonly service: string;
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: Readonly<Record<string, string>>;
  readonly target: string | undefined;
  readonly body: Buffer;
  readonly principal: Principal;
}

/**
 * One access that a call needs: `action` as IAM spells it (`dynamodb:PutItem`), `resource` an ARN,
 * `context` the condition keys.
 */
export interface AwsAccess {
  readonly action: string;
  readonly resource: string;
  readonly context?: Readonly<Record<string, string | readonly string[]>>;
}

export interface AwsResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | string;
  /** Capacity units of the call, for the endpoint's record of calls; not sent to the caller. */
  readonly consumedCapacity?: number;
}

/**
 * One AWS service behind the local endpoint, which checks the accesses of a call against the
 * caller's policies before the service handles it.
 */
export interface AwsService {
  /** The SigV4 signing name: `dynamodb`, `kms`, `lambda`, `sqs`, ... */
  readonly signingName: string;
  /** All accesses of the call. Throws {@link AwsError} for an unknown call (with its name). */
  accesses(call: AwsCall): readonly AwsAccess[];
  /** Responds to the call. Throws {@link AwsError} for every failure that AWS would report. */
  handle(call: AwsCall): Promise<AwsResponse>;
  /** Formats an error in the service's own protocol. */
  failure(error: AwsError): AwsResponse;
  close(): Promise<void>;
  /** The policy of a resource of this service, by the ARN of an access; undefined without one. */
  resourcePolicy?(arn: string): ResourcePolicy | undefined;
}

/**
 * A failure that AWS reports: `code` is the exception's short name, `fields` are members besides
 * the message.
 */
export class AwsError extends Error {
  readonly code: string;
  readonly status: number;
  readonly fields: Readonly<Record<string, unknown>>;

  constructor(code: string, status: number, message: string, fields: Readonly<Record<string, unknown>> = {}) {
    super(message);
    this.name = 'AwsError';
    this.code = code;
    this.status = status;
    this.fields = fields;
  }
}

/** An IAM policy document with resolved references. */
export interface PolicyDocument {
  readonly Version?: string;
  readonly Statement: readonly PolicyStatement[];
}

/** The policy of a resource itself, which names its principals. */
export interface ResourcePolicy {
  readonly document: PolicyDocument;
  /** Whether it denies everything that it does not allow, as on a KMS key. */
  readonly isRequired: boolean;
}

type OneOrMany = string | readonly string[];

export interface PolicyStatement {
  readonly Sid?: string;
  readonly Effect: 'Allow' | 'Deny';
  readonly Action?: OneOrMany;
  readonly NotAction?: OneOrMany;
  readonly Resource?: OneOrMany;
  readonly NotResource?: OneOrMany;
  readonly Principal?: unknown;
  readonly Condition?: Readonly<Record<string, Readonly<Record<string, OneOrMany>>>>;
}

/**
 * A role with all policies that decide its access: identity policies, and its boundary if there is
 * one.
 */
export interface Role {
  readonly arn: string;
  readonly policies: readonly PolicyDocument[];
  readonly permissionsBoundary?: PolicyDocument;
}
