import type { IncomingMessage } from 'node:http';
import {
  AwsError,
  type AwsAccess,
  type AwsCall,
  type AwsResponse,
  type AwsService,
  type ResourcePolicy,
} from '../aws-service.ts';
import type { CallFaults } from '../faults/call-faults.ts';
import { readBody } from '../read-body.ts';
import { authenticate, requireSignature, type Caller, type Credentials } from './authenticate.ts';
import { authorize } from './authorize.ts';
import type { CallCounter, CallRecord } from './call-counter.ts';
import type { Signature } from './signature.ts';

export interface CallHandlerOptions extends Credentials {
  readonly accountId: string;
  readonly region: string;
  readonly services: readonly AwsService[];
  /** Called after every response. */
  onCall?(record: CallRecord): void;
  /** The time of the local account, in ms. Functions sign by it. Default: that of the machine. */
  now?(): number;
  /** Faults for calls with a role's credentials. Default: none. */
  readonly faults?: CallFaults;
  /**
   * Called for failures that are a fault of the local account and no response of a service.
   * Default: standard error.
   */
  onFault?(error: unknown): void;
}

/** More than the largest call of any service: a function's code, 50 MB zipped, in base64. */
const MAX_BODY_BYTES = 72 * 1024 * 1024;
/** Has the `Host` that a client signed if it reached the endpoint through a relay. */
const SIGNED_HOST = 'x-forwarded-host';
/** Recorded for a call whose connection was cut, because HTTP has no status for that. */
const CUT_STATUS = 599;

/** Throws {@link AwsError} if the body is larger than that of any call. */
export async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const body = await readBody(request, MAX_BODY_BYTES);
  if (body !== undefined) return body;
  throw new AwsError('RequestEntityTooLargeException', 413, 'The request is too large.');
}

function singleHeaders(request: IncomingMessage): Readonly<Record<string, string>> {
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(request.headers)) {
    if (value !== undefined) headers[name] = typeof value === 'string' ? value : value.join(', ');
  }
  return headers;
}

function jsonFailure({ code, status, message, fields }: AwsError): AwsResponse {
  const body = JSON.stringify({ __type: code, message, ...fields });
  return { status, headers: { 'content-type': 'application/json', 'x-amzn-errortype': code }, body };
}

interface Exchange {
  readonly caller: Caller;
  readonly service: AwsService;
  readonly call: AwsCall;
  /** When the request arrived, before its body was read. */
  readonly startedMs: number;
}

function actionOf({ service, call }: Exchange, accesses: readonly AwsAccess[]): string {
  const operation = call.target === undefined ? undefined : `${service.signingName}:${call.target}`;
  return operation ?? accesses[0]?.action ?? `${service.signingName}:${call.method} ${call.path}`;
}

function recordOf(
  exchange: Exchange,
  accesses: readonly AwsAccess[],
  response: AwsResponse | 'cut',
): CallRecord {
  const { service, caller, call, startedMs } = exchange;
  const { status, consumedCapacity, body } =
    response === 'cut' ? { status: CUT_STATUS, consumedCapacity: undefined, body: '' } : response;
  return {
    service: service.signingName,
    action: actionOf(exchange, accesses),
    principal: caller.name,
    resources: accesses.map(({ resource }) => resource),
    status,
    startedMs,
    durationMs: performance.now() - startedMs,
    requestBytes: call.body.length,
    responseBytes: Buffer.byteLength(body),
    ...(consumedCapacity !== undefined && { consumedCapacity }),
  };
}

/**
 * Finds the service of a call by the signing name and the caller by the access key id, and checks
 * the signature and all accesses before the service handles the call: whatever runs on this machine
 * reaches the port, and that proves nothing.
 */
export class CallHandler {
  readonly #options: CallHandlerOptions;
  readonly #counter: CallCounter;
  readonly #services: ReadonlyMap<string, AwsService>;

  constructor(options: CallHandlerOptions, counter: CallCounter) {
    this.#options = options;
    this.#counter = counter;
    this.#services = new Map(options.services.map((service) => [service.signingName, service]));
  }

  async reply(request: IncomingMessage): Promise<AwsResponse | 'cut'> {
    let service: AwsService | undefined;
    const startedMs = performance.now();
    try {
      // The body is read even for a rejected call, or the connection could not be reused.
      const body = await bodyOf(request);
      const signature = requireSignature(request.headers.authorization);
      service = this.#serviceFor(signature);
      return await this.#perform(await this.#exchangeOf(request, body, signature, service, startedMs));
    } catch (error) {
      return this.#failureOf(error, service);
    }
  }

  #serviceFor({ service, region }: Signature): AwsService {
    const found = this.#services.get(service);
    if (found === undefined) {
      throw new AwsError('UnknownServiceException', 404, `The AWS service ${service} does not run locally.`);
    }
    if (region === this.#options.region) return found;
    const message = `Credential should be scoped to a valid region, not '${region}'.`;
    throw new AwsError('InvalidSignatureException', 403, message);
  }

  async #exchangeOf(
    request: IncomingMessage,
    body: Buffer,
    signature: Signature,
    service: AwsService,
    startedMs: number,
  ): Promise<Exchange> {
    const headers = singleHeaders(request);
    const { method = 'GET', url: requestTarget = '/' } = request;
    const signedHost = headers[SIGNED_HOST] ?? headers['host'] ?? '';
    const signed = { method, url: requestTarget, headers: { ...headers, host: signedHost }, body };
    const times = [Date.now(), this.#options.now?.() ?? Date.now()];
    const caller = await authenticate(this.#options, this.#options.accountId, signature, signed, times);
    const url = new URL(requestTarget, 'http://localhost');
    const target = headers['x-amz-target'];
    const call = {
      service: service.signingName,
      method,
      path: url.pathname,
      query: url.searchParams,
      headers,
      target: target?.slice(target.lastIndexOf('.') + 1),
      body,
      principal: caller.principal,
    };
    return { caller, service, startedMs, call };
  }

  async #perform(exchange: Exchange): Promise<AwsResponse | 'cut'> {
    const { service, caller, call } = exchange;
    let accesses: readonly AwsAccess[] = [];
    let response: AwsResponse | 'cut';
    try {
      accesses = service.accesses(call);
      authorize(caller, service.signingName, accesses, (arn) => this.#resourcePolicyOf(arn));
      response = await this.#carryOut(exchange, accesses);
    } catch (error) {
      response = this.#failureOf(error, service);
    }
    const record = recordOf(exchange, accesses, response);
    this.#counter.add(record);
    this.#options.onCall?.(record);
    return response;
  }

  /** A service can need a resource of another one, such as SQS the key of an encrypted queue. */
  #resourcePolicyOf(arn: string): ResourcePolicy | undefined {
    return this.#services.get(arn.split(':')[2] ?? '')?.resourcePolicy?.(arn);
  }

  /** Faults affect the app, not an administrator who looks at it. */
  async #carryOut(exchange: Exchange, accesses: readonly AwsAccess[]): Promise<AwsResponse | 'cut'> {
    const { service, caller, call } = exchange;
    const { faults } = this.#options;
    if (faults === undefined || caller.role === undefined) return await service.handle(call);
    const action = actionOf(exchange, accesses).slice(service.signingName.length + 1);
    return await faults.carryOut(call, action, (wanted) => service.handle(wanted));
  }

  #failureOf(error: unknown, service: AwsService | undefined): AwsResponse {
    if (!(error instanceof AwsError)) {
      if (this.#options.onFault === undefined) console.error(error);
      else this.#options.onFault(error);
      const message = error instanceof Error ? error.message : String(error);
      return this.#failureOf(new AwsError('InternalFailure', 500, message), service);
    }
    return service?.failure(error) ?? jsonFailure(error);
  }
}
