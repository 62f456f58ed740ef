import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { foreignHostResponse, isLoopbackHost } from '../../loopback-host.ts';
import {
  failure,
  MAX_PAYLOAD_BYTES,
  type Invocation,
  type InvocationOutcome,
} from '../function-definition.ts';

/** Events that the runtime inside an instance causes. */
export interface RuntimeEvents {
  /** It asks for its next invocation: it has loaded, or finished the previous one. */
  onNext(): void;
  onOutcome(outcome: InvocationOutcome): void;
  /** It could not load the function. `payload` is its error object. */
  onInitError(payload: string): void;
}

/**
 * Lambda's Runtime API for one instance
 * (https://docs.aws.amazon.com/lambda/latest/dg/runtimes-api.html).
 */
export interface RuntimeApi {
  /** `127.0.0.1:<port>`, the value of `AWS_LAMBDA_RUNTIME_API`. */
  readonly address: string;
  /**
   * Passes an invocation to the runtime, now or when it asks. `deadlineMs` is in milliseconds since
   * the epoch.
   */
  dispatch(invocation: Invocation, deadlineMs: number): void;
  /** Drops all connections. */
  close(): void;
}

interface Running {
  readonly invocation: Invocation;
  readonly deadlineMs: number;
}

interface ErrorResponse {
  readonly status: number;
  readonly errorType: string;
  readonly errorMessage: string;
}

const PREFIX = '/2018-06-01/runtime/';

const tooLarge: ErrorResponse = {
  status: 413,
  errorType: 'RequestEntityTooLarge',
  errorMessage: `Exceeded maximum allowed payload size (${String(MAX_PAYLOAD_BYTES)} bytes).`,
};

function invalidTransition(from: string, to: string): ErrorResponse {
  const errorMessage = `State transition from ${from} to ${to} failed for runtime. Error: State transition is not allowed`;
  return { status: 403, errorType: 'InvalidStateTransition', errorMessage };
}

const invalidRequestId: ErrorResponse = {
  status: 400,
  errorType: 'InvalidRequestID',
  errorMessage: 'Invalid request ID',
};

function refuse(response: ServerResponse, { status, errorType, errorMessage }: ErrorResponse): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ errorMessage, errorType }));
}

function accept(response: ServerResponse): void {
  response.writeHead(202, { 'content-type': 'application/json' });
  response.end('{"status":"OK"}');
}

/** The body as text, or its size if it is over the limit; the rest of such a body is dropped. */
async function readPayload(request: IncomingMessage): Promise<string | number> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes <= MAX_PAYLOAD_BYTES) chunks.push(chunk);
    else chunks.length = 0;
  }
  return bytes > MAX_PAYLOAD_BYTES ? bytes : Buffer.concat(chunks).toString('utf8');
}

function sizeFailure(bytes: number): InvocationOutcome {
  return failure(
    'Function.ResponseSizeTooLarge',
    `Response payload size (${String(bytes)} bytes) exceeded maximum allowed payload size (${String(MAX_PAYLOAD_BYTES)} bytes).`,
  );
}

function listen(server: Server): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      resolve((server.address() as AddressInfo).port);
    });
  });
}

/** Owns the runs of an instance, and responds to the requests of its runtime. */
class RuntimeRequests {
  readonly #events: RuntimeEvents;
  #waiting: ServerResponse | undefined;
  #current: Running | undefined;
  #delivered = false;
  #answered = true;
  #initialized = false;

  constructor(events: RuntimeEvents) {
    this.#events = events;
  }

  dispatch(invocation: Invocation, deadlineMs: number): void {
    this.#current = { invocation, deadlineMs };
    this.#delivered = false;
    this.#answered = false;
    this.#deliver();
  }

  async reply(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (!isLoopbackHost(request.headers.host)) {
      request.resume();
      response.writeHead(foreignHostResponse.status, foreignHostResponse.headers);
      response.end(foreignHostResponse.body);
      return;
    }
    const path = request.url?.startsWith(PREFIX) === true ? request.url.slice(PREFIX.length) : '';
    const [, requestId, kind] = /^invocation\/([^/]+)\/(response|error)$/.exec(path) ?? [];
    if (request.method === 'GET' && path === 'invocation/next') this.#next(response);
    else if (request.method === 'POST' && requestId !== undefined)
      await this.#finish(request, response, requestId, kind === 'error');
    else if (request.method === 'POST' && path === 'init/error') await this.#initError(request, response);
    else {
      request.resume();
      refuse(response, { status: 404, errorType: 'NotFound', errorMessage: `no ${path} in the Runtime API` });
    }
  }

  #deliver(): void {
    if (this.#waiting === undefined || this.#current === undefined || this.#delivered) return;
    const { invocation, deadlineMs } = this.#current;
    this.#delivered = true;
    this.#waiting.writeHead(200, {
      'content-type': 'application/json',
      'lambda-runtime-aws-request-id': invocation.requestId,
      'lambda-runtime-deadline-ms': String(deadlineMs),
      'lambda-runtime-invoked-function-arn': invocation.invokedFunctionArn,
      'lambda-runtime-trace-id': 'Root=1-00000000-000000000000000000000000;Parent=0000000000000000;Sampled=0',
    });
    this.#waiting.end(invocation.payload);
    this.#waiting = undefined;
  }

  #next(response: ServerResponse): void {
    if (!this.#answered && this.#delivered) {
      refuse(response, invalidTransition('Running', 'Ready'));
      return;
    }
    // A runtime that asks again has abandoned the connection of its earlier request.
    this.#waiting?.destroy();
    this.#waiting = response;
    response.once('close', () => {
      if (this.#waiting === response) this.#waiting = undefined;
    });
    this.#initialized = true;
    this.#events.onNext();
    this.#deliver();
  }

  #refusalOf(requestId: string, transition: string): ErrorResponse | undefined {
    if (this.#current?.invocation.requestId !== requestId) return invalidRequestId;
    if (!this.#delivered) return invalidTransition('Ready', transition);
    return this.#answered ? invalidTransition('InvocationResponse', transition) : undefined;
  }

  async #finish(
    request: IncomingMessage,
    response: ServerResponse,
    requestId: string,
    failed: boolean,
  ): Promise<void> {
    const transition = failed ? 'InvocationErrorResponse' : 'InvocationResponse';
    const early = this.#refusalOf(requestId, transition);
    if (early !== undefined) {
      request.resume();
      refuse(response, early);
      return;
    }
    const payload = await readPayload(request);
    // Another response may have arrived while this one was read.
    const late = this.#refusalOf(requestId, transition);
    if (late !== undefined) {
      refuse(response, late);
      return;
    }
    this.#answered = true;
    if (typeof payload === 'number') {
      refuse(response, tooLarge);
      this.#events.onOutcome(sizeFailure(payload));
      return;
    }
    accept(response);
    this.#events.onOutcome({ payload, failed });
  }

  async #initError(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const payload = await readPayload(request);
    if (this.#initialized) {
      refuse(response, invalidTransition('Ready', 'InitError'));
      return;
    }
    if (typeof payload === 'number') {
      refuse(response, tooLarge);
      return;
    }
    accept(response);
    this.#events.onInitError(payload);
  }
}

/** Serves the Runtime API on a separate port, the instance's only way to reach Lambda. */
export async function startRuntimeApi(events: RuntimeEvents): Promise<RuntimeApi> {
  const requests = new RuntimeRequests(events);
  // A request without a Host gets 403, like one with a wrong Host. Node alone would return 400.
  const server = createServer({ requireHostHeader: false }, (request, response) => {
    // A killed runtime drops its connections in the middle of a body.
    requests.reply(request, response).catch(() => response.destroy());
  });
  // A runtime waits for its next invocation without a timeout.
  server.requestTimeout = 0;
  server.keepAliveTimeout = 0;
  const port = await listen(server);
  server.unref();

  return {
    address: `127.0.0.1:${String(port)}`,
    dispatch: (invocation, deadlineMs) => {
      requests.dispatch(invocation, deadlineMs);
    },
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
