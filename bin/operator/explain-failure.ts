import { ZodError } from 'zod';
import type { LocalAdministrator } from '../../packages/local-aws/src/control.ts';
import { CommandFailure, UsageError } from '../command-line/failures.ts';

/** The operator function that receives a command. */
export interface Target {
  readonly functionName: string;
  /** Set if the target is the service of `cloakroom start`; absent for AWS. */
  readonly local?: LocalAdministrator;
}

const LOCAL_HINT = 'or add --local for the service of cloakroom start';

const INVOKE = 'lambda:InvokeFunction';
/** A restore makes other calls than that of the function. */
const DENIED_ACTION = /not authorized to perform: (\w+:\w+)/;

/** The keys are names of AWS errors. */
const EXPLANATIONS: Readonly<Record<string, (message: string, target: Target) => string>> = {
  CredentialsProviderError: (message) => {
    if (!message.startsWith('Could not load credentials')) return `no AWS credentials: ${message}`;
    const { AWS_PROFILE: profile } = process.env;
    return profile === undefined
      ? `no AWS credentials: set AWS_PROFILE or sign in (aws sso login), ${LOCAL_HINT}`
      : `no AWS credentials: the profile ${profile} (AWS_PROFILE) has none`;
  },
  AccessDeniedException: (message, { functionName }) => {
    const action = DENIED_ACTION.exec(message)?.[1] ?? INVOKE;
    return `the AWS credentials do not allow ${action === INVOKE ? `${INVOKE} on ${functionName}` : action}`;
  },
  ResourceNotFoundException: (_message, { functionName, local }) =>
    local === undefined
      ? `the function ${functionName} does not exist in this account and Region; --function selects another one (stack output OperatorFunctionName)`
      : `the service of cloakroom start has no function ${functionName}`,
  TooManyRequestsException: () => 'Lambda is throttling: retry in a moment',
};
const REFUSED = ['UnrecognizedClientException', 'InvalidSignatureException', 'InvalidClientTokenId'];
const EXPIRED = ['ExpiredTokenException', 'ExpiredToken', 'TokenProviderError'];
const UNREACHABLE = ['ECONNREFUSED', 'ECONNRESET', 'ENOTFOUND', 'EAI_AGAIN', 'ETIMEDOUT', 'TimeoutError'];

const codeOf = (error: Error): string => {
  const { code } = error as { readonly code?: unknown };
  return typeof code === 'string' ? code : error.name;
};

const issueLine = ({ path, message }: ZodError['issues'][number]) => `${path.join('.')}: ${message}`;

/** The failure in one line, and how to fix it. */
export function explainFailure(error: unknown, target: Target): string {
  if (!(error instanceof Error)) return String(error);
  const [message = ''] = error.message.split('\n');
  return explainOwn(error, message) ?? explainCall(error, message, target);
}

/** A failure that no call of AWS has caused. */
function explainOwn(error: Error, message: string): string | undefined {
  if (error instanceof UsageError || error instanceof CommandFailure) return message;
  if (message === 'Region is missing') return `no AWS Region: set AWS_REGION, ${LOCAL_HINT}`;
  if (error instanceof ZodError)
    return `what was read has another form than expected: ${error.issues.map(issueLine).join('; ')}`;
  return undefined;
}

function explainCall(error: Error, message: string, target: Target): string {
  const code = codeOf(error);
  const { name } = error;
  if (UNREACHABLE.includes(code)) {
    return target.local === undefined
      ? `AWS is unreachable (${code})`
      : `the service at ${target.local.aws_endpoint_url} is unreachable (${code}): is cloakroom start still running?`;
  }
  if (REFUSED.includes(name)) return `AWS rejects the credentials (${name})`;
  if (EXPIRED.includes(name)) return 'the AWS credentials have expired: sign in again (aws sso login)';
  return EXPLANATIONS[name]?.(message, target) ?? `${name}: ${message}`;
}
