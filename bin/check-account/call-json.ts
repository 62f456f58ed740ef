import { createSigner, type SignerCredentials } from '../../packages/local-aws/src/aws-endpoint/signature.ts';
import { JSON_SERVICES, type JsonService } from './account.ts';

const TIMEOUT_MS = 30_000;

export interface JsonCall {
  readonly credentials: SignerCredentials;
  readonly service: JsonService;
  readonly region: string;
  readonly operation: string;
  readonly input: Readonly<Record<string, unknown>>;
  /** Default: that of the process. */
  readonly fetch?: typeof globalThis.fetch;
}

interface Failure {
  readonly __type?: string;
  readonly message?: string;
  readonly Message?: string;
}

/** An error of AWS, named by its code (AWS JSON 1.1 protocol: after `#`, before `:`). */
function failureOf(text: string, status: number): Error {
  let failure: Failure = {};
  try {
    failure = JSON.parse(text) as Failure;
  } catch {
    // A proxy on the way may respond with another format.
  }
  const error = new Error(failure.message ?? failure.Message ?? `status ${String(status)}`);
  error.name = /([^#:]+)(?::.*)?$/.exec(failure.__type ?? '')?.[1] ?? 'UnknownError';
  return error;
}

/**
 * Calls a service that has no client here: the SDK would add 5 MB for five operations. Rejects with
 * the error of AWS.
 */
export async function callJson({ service, region, operation, input, ...call }: JsonCall): Promise<unknown> {
  const hostname = `${service}.${region}.amazonaws.com${region.startsWith('cn-') ? '.cn' : ''}`;
  const body = JSON.stringify(input);
  const { headers } = await createSigner(service, region, call.credentials).sign({
    method: 'POST',
    protocol: 'https:',
    hostname,
    path: '/',
    headers: {
      host: hostname,
      'content-type': 'application/x-amz-json-1.1',
      'x-amz-target': `${JSON_SERVICES[service]}.${operation}`,
    },
    body,
  });
  const response = await (call.fetch ?? globalThis.fetch)(`https://${hostname}/`, {
    method: 'POST',
    headers,
    body,
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  const text = await response.text();
  if (!response.ok) throw failureOf(text, response.status);
  return JSON.parse(text) as unknown;
}
