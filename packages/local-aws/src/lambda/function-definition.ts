import { AwsError } from '../aws-service.ts';

/** A Lambda function that the template defines. */
export interface FunctionDefinition {
  readonly name: string;
  readonly arn: string;
  /** `module.export`, as in the template. */
  readonly handler: string;
  readonly runtime: string;
  /** The folder that is `/var/task` on AWS. */
  readonly codeDirectory: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly timeoutSeconds: number;
  readonly memoryMb: number;
  readonly reservedConcurrency?: number;
  readonly roleArn: string;
  readonly logGroup: string;
}

/** One call of a function. The payload is JSON text. */
export interface Invocation {
  readonly requestId: string;
  readonly payload: string;
  readonly invokedFunctionArn: string;
}

/** The result of a function: JSON text, and whether it is an error object instead of a result. */
export interface InvocationOutcome {
  readonly payload: string;
  readonly failed: boolean;
}

/**
 * Lambda accepts synchronous payloads of this size in both directions: 6 MB and room for its own
 * envelope.
 */
export const MAX_PAYLOAD_BYTES = 6_291_556;

/** Throws {@link AwsError} `RequestTooLargeException` for a payload over the limit. */
export function requirePayloadSize(payload: string): void {
  if (payload.length <= MAX_PAYLOAD_BYTES && Buffer.byteLength(payload) <= MAX_PAYLOAD_BYTES) return;
  throw new AwsError(
    'RequestTooLargeException',
    413,
    `Request must be smaller than ${String(MAX_PAYLOAD_BYTES)} bytes for the InvokeFunction operation`,
  );
}

/** The error object of a failed invocation, spelled as Lambda spells it. */
export function failure(errorType: string, errorMessage: string): InvocationOutcome {
  return { failed: true, payload: JSON.stringify({ errorType, errorMessage }) };
}
