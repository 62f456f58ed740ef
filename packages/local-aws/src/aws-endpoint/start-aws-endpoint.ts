import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  AwsError,
  type AwsAccess,
  type AwsCall,
  type AwsResponse,
  type AwsService,
  type ResourcePolicy,
} from '../aws-service.ts';
import type { CallFaults } from '../faults/call-faults.ts';
import { errorMessage } from '../error-code.ts';
import { foreignHostResponse, isLoopbackHost } from '../loopback-host.ts';
import { readBody } from '../read-body.ts';
import {
  authenticate,
  isAdministrator,
  requireSignature,
  type Caller,
  type Credentials,
} from './authenticate.ts';
import { authorize } from './authorize.ts';
import { createCallCounter, type CallRecord } from './call-counter.ts';
import type { Signature } from './signature.ts';

export interface AwsEndpointOptions extends Credentials {
  /** Default 0: any free port. */
  readonly port?: number;
  readonly accountId: string;
  readonly region: string;
  readonly services: readonly AwsService[];
  /** Called after every response. */
  onCall?(record: CallRecord): void;
  /**
   * Handlers of the local account's own paths below `/_local/`: each receives the method and the
   * body of a PUT, and returns JSON or a promise of it. A failure becomes a 400 with its message.
   * These paths require the administrator's key as HTTP Basic.
   */
  readonly controls?: Readonly<Record<string, (body: string, method: string) => unknown>>;
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

export interface AwsEndpoint {
  /** `http://127.0.0.1:<port>`, the value of `AWS_ENDPOINT_URL`. */
  readonly url: string;
  /** Stops listening and drops open connections. The creator of the services closes them. */
  close(): Promise<void>;
}

/** More than the largest call of any service: a function's code, 50 MB zipped, in base64. */
const MAX_BODY_BYTES = 72 * 1024 * 1024;
/** The local account handles paths below this itself. They belong to no service of AWS. */
const CONTROL_PATHS = '/_local';
const strangerResponse: AwsResponse = {
  status: 401,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({
    message: 'The administrator of the local account has to send its key (HTTP Basic).',
  }),
};
/** `{ "calls": CallCount[] }` since the last DELETE. */
const COUNTS_PATH = '/_local/calls';
/** `{ "calls": CallRecord[] }` */
const LOG_PATH = '/_local/call-log';
/** Has the `Host` that a client signed if it reached the endpoint through a relay. */
const SIGNED_HOST = 'x-forwarded-host';
/** Recorded for a call whose connection was cut, because HTTP has no status for that. */
const CUT_STATUS = 599;

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
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

function send(response: ServerResponse, { status, headers, body }: AwsResponse): void {
  response.writeHead(status, {
    ...headers,
    'x-amzn-requestid': randomUUID(),
    'content-length': Buffer.byteLength(body),
  });
  response.end(body);
}

function jsonFailure({ code, status, message, fields }: AwsError): AwsResponse {
  const body = JSON.stringify({ __type: code, message, ...fields });
  return { status, headers: { 'content-type': 'application/json', 'x-amzn-errortype': code }, body };
}

function listen(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => {
      resolve((server.address() as AddressInfo).port);
    });
  });
}

interface Exchange {
  readonly caller: Caller;
  readonly service: AwsService;
  readonly call: AwsCall;
  /** When the request arrived, before its body was read. */
  readonly startedMs: number;
}

/**
 * The only AWS endpoint of the local account. It finds the service by the signing name and the
 * caller by the access key id, and checks the signature and all accesses before the service handles
 * the call: whatever runs on this machine reaches the port, and that proves nothing.
 */
// oxlint-disable-next-line max-lines-per-function -- one owner of the open connections and services
export async function startAwsEndpoint(options: AwsEndpointOptions): Promise<AwsEndpoint> {
  const services = new Map(options.services.map((service) => [service.signingName, service]));
  const counter = createCallCounter();
  // A service can need a resource of another one, such as SQS the key of an encrypted queue.
  const resourcePolicyOf = (arn: string): ResourcePolicy | undefined =>
    services.get(arn.split(':')[2] ?? '')?.resourcePolicy?.(arn);

  function serviceFor({ service, region }: Signature): AwsService {
    const found = services.get(service);
    if (found === undefined) {
      throw new AwsError('UnknownServiceException', 404, `The AWS service ${service} does not run locally.`);
    }
    if (region === options.region) return found;
    const message = `Credential should be scoped to a valid region, not '${region}'.`;
    throw new AwsError('InvalidSignatureException', 403, message);
  }

  function failureOf(error: unknown, service: AwsService | undefined): AwsResponse {
    if (!(error instanceof AwsError)) {
      if (options.onFault === undefined) console.error(error);
      else options.onFault(error);
      const message = error instanceof Error ? error.message : String(error);
      return failureOf(new AwsError('InternalFailure', 500, message), service);
    }
    return service?.failure(error) ?? jsonFailure(error);
  }

  function actionOf({ service, call }: Exchange, accesses: readonly AwsAccess[]): string {
    const operation = call.target === undefined ? undefined : `${service.signingName}:${call.target}`;
    return operation ?? accesses[0]?.action ?? `${service.signingName}:${call.method} ${call.path}`;
  }

  function record(exchange: Exchange, accesses: readonly AwsAccess[], response: AwsResponse | 'cut'): void {
    const { service, caller, call, startedMs } = exchange;
    const { status, consumedCapacity, body } =
      response === 'cut' ? { status: CUT_STATUS, consumedCapacity: undefined, body: '' } : response;
    const entry: CallRecord = {
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
    counter.add(entry);
    options.onCall?.(entry);
  }

  /** Faults affect the app, not an administrator who looks at it. */
  async function carryOut(exchange: Exchange, accesses: readonly AwsAccess[]): Promise<AwsResponse | 'cut'> {
    const { service, caller, call } = exchange;
    const { faults } = options;
    if (faults === undefined || caller.role === undefined) return await service.handle(call);
    const action = actionOf(exchange, accesses).slice(service.signingName.length + 1);
    return await faults.carryOut(call, action, (wanted) => service.handle(wanted));
  }

  async function perform(exchange: Exchange): Promise<AwsResponse | 'cut'> {
    const { service, caller, call } = exchange;
    let accesses: readonly AwsAccess[] = [];
    let response: AwsResponse | 'cut';
    try {
      accesses = service.accesses(call);
      authorize(caller, service.signingName, accesses, resourcePolicyOf);
      response = await carryOut(exchange, accesses);
    } catch (error) {
      response = failureOf(error, service);
    }
    record(exchange, accesses, response);
    return response;
  }

  async function exchangeOf(
    request: IncomingMessage,
    body: Buffer,
    signature: Signature,
    service: AwsService,
    startedMs: number,
  ): Promise<Exchange> {
    const headers = singleHeaders(request);
    const { method = 'GET', url: requestTarget = '/' } = request;
    const signedHost = headers[SIGNED_HOST] ?? headers['host'] ?? '';
    const call = { method, url: requestTarget, headers: { ...headers, host: signedHost }, body };
    const times = [Date.now(), options.now?.() ?? Date.now()];
    const caller = await authenticate(options, options.accountId, signature, call, times);
    const url = new URL(requestTarget, 'http://localhost');
    const target = headers['x-amz-target'];
    return {
      caller,
      service,
      startedMs,
      call: {
        service: service.signingName,
        method,
        path: url.pathname,
        query: url.searchParams,
        headers,
        target: target?.slice(target.lastIndexOf('.') + 1),
        body,
        principal: caller.principal,
      },
    };
  }

  async function reply(request: IncomingMessage): Promise<AwsResponse | 'cut'> {
    let service: AwsService | undefined;
    const startedMs = performance.now();
    try {
      // The body is read even for a rejected call, or the connection could not be reused.
      const body = await bodyOf(request);
      const signature = requireSignature(request.headers.authorization);
      service = serviceFor(signature);
      return await perform(await exchangeOf(request, body, signature, service, startedMs));
    } catch (error) {
      return failureOf(error, service);
    }
  }

  function respondWithCounts({ method, url }: IncomingMessage): AwsResponse {
    if (method === 'DELETE' && url === COUNTS_PATH) counter.reset();
    const body = JSON.stringify({ calls: url === LOG_PATH ? counter.latest() : counter.counts() });
    return { status: 200, headers: { 'content-type': 'application/json' }, body };
  }

  async function respondToControl(
    request: IncomingMessage,
    control: (body: string, method: string) => unknown,
  ): Promise<AwsResponse> {
    const headers = { 'content-type': 'application/json' };
    try {
      const body = (await bodyOf(request)).toString('utf8');
      // A web page may send any other method to this machine.
      const { method = 'GET' } = request;
      const controlled = await control(method === 'PUT' ? body : '', method);
      return { status: 200, headers, body: JSON.stringify(controlled) };
    } catch (error) {
      return { status: 400, headers, body: JSON.stringify({ message: errorMessage(error) }) };
    }
  }

  async function respond(request: IncomingMessage): Promise<AwsResponse | 'cut'> {
    if (!isLoopbackHost(request.headers.host)) {
      request.resume();
      return foreignHostResponse;
    }
    if (
      request.url?.startsWith(CONTROL_PATHS) === true &&
      !isAdministrator(options, request.headers.authorization)
    ) {
      request.resume();
      return strangerResponse;
    }
    if (request.url === COUNTS_PATH || request.url === LOG_PATH) {
      request.resume();
      return respondWithCounts(request);
    }
    const control = options.controls?.[request.url ?? ''];
    return control === undefined ? await reply(request) : await respondToControl(request, control);
  }

  // Node's own response to a request without a Host would be 400.
  const server = createServer({ requireHostHeader: false }, (request, response) => {
    void respond(request).then((result) => {
      if (result === 'cut') request.socket.destroy();
      else send(response, result);
    });
  });
  // The client ends connections, not the server: no call meets a closing socket.
  server.keepAliveTimeout = 0;
  const port = await listen(server, options.port ?? 0);

  return {
    url: `http://127.0.0.1:${String(port)}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => {
          resolve();
        });
        server.closeAllConnections();
      }),
  };
}
