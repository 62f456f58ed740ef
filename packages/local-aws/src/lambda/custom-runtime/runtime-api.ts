import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { foreignHostResponse, isLoopbackHost } from '../../loopback-host.ts';
import {
  failure,
  MAX_PAYLOAD_BYTES,
  type Invocation,
  type InvocationOutcome,
} from '../function-definition.ts';

/** What the runtime inside an instance does. */
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

/** Serves the Runtime API on a separate port, the instance's only way to reach Lambda. */
// oxlint-disable-next-line max-lines-per-function -- one owner of the runs of an instance
export async function startRuntimeApi(events: RuntimeEvents): Promise<RuntimeApi> {
  let waiting: ServerResponse | undefined;
  let current: Running | undefined;
  let delivered = false;
  let answered = true;
  let initialized = false;

  function deliver(): void {
    if (waiting === undefined || current === undefined || delivered) return;
    const { invocation, deadlineMs } = current;
    delivered = true;
    waiting.writeHead(200, {
      'content-type': 'application/json',
      'lambda-runtime-aws-request-id': invocation.requestId,
      'lambda-runtime-deadline-ms': String(deadlineMs),
      'lambda-runtime-invoked-function-arn': invocation.invokedFunctionArn,
      'lambda-runtime-trace-id': 'Root=1-00000000-000000000000000000000000;Parent=0000000000000000;Sampled=0',
    });
    waiting.end(invocation.payload);
    waiting = undefined;
  }

  function next(response: ServerResponse): void {
    if (!answered && delivered) {
      refuse(response, invalidTransition('Running', 'Ready'));
      return;
    }
    // A runtime that asks again has abandoned the connection of its earlier request.
    waiting?.destroy();
    waiting = response;
    response.once('close', () => {
      if (waiting === response) waiting = undefined;
    });
    initialized = true;
    events.onNext();
    deliver();
  }

  function refusalOf(requestId: string, transition: string): ErrorResponse | undefined {
    if (current?.invocation.requestId !== requestId) return invalidRequestId;
    if (!delivered) return invalidTransition('Ready', transition);
    return answered ? invalidTransition('InvocationResponse', transition) : undefined;
  }

  async function finish(
    request: IncomingMessage,
    response: ServerResponse,
    requestId: string,
    failed: boolean,
  ): Promise<void> {
    const transition = failed ? 'InvocationErrorResponse' : 'InvocationResponse';
    const early = refusalOf(requestId, transition);
    if (early !== undefined) {
      request.resume();
      refuse(response, early);
      return;
    }
    const payload = await readPayload(request);
    // Another response may have arrived while this one was read.
    const late = refusalOf(requestId, transition);
    if (late !== undefined) {
      refuse(response, late);
      return;
    }
    answered = true;
    if (typeof payload === 'number') {
      refuse(response, tooLarge);
      events.onOutcome(sizeFailure(payload));
      return;
    }
    accept(response);
    events.onOutcome({ payload, failed });
  }

  async function initError(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const payload = await readPayload(request);
    if (initialized) {
      refuse(response, invalidTransition('Ready', 'InitError'));
      return;
    }
    if (typeof payload === 'number') {
      refuse(response, tooLarge);
      return;
    }
    accept(response);
    events.onInitError(payload);
  }

  async function reply(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (!isLoopbackHost(request.headers.host)) {
      request.resume();
      response.writeHead(foreignHostResponse.status, foreignHostResponse.headers);
      response.end(foreignHostResponse.body);
      return;
    }
    const path = request.url?.startsWith(PREFIX) === true ? request.url.slice(PREFIX.length) : '';
    const [, requestId, kind] = /^invocation\/([^/]+)\/(response|error)$/.exec(path) ?? [];
    if (request.method === 'GET' && path === 'invocation/next') next(response);
    else if (request.method === 'POST' && requestId !== undefined)
      await finish(request, response, requestId, kind === 'error');
    else if (request.method === 'POST' && path === 'init/error') await initError(request, response);
    else {
      request.resume();
      refuse(response, { status: 404, errorType: 'NotFound', errorMessage: `no ${path} in the Runtime API` });
    }
  }

  // A request without a Host gets 403, like one with a wrong Host. Node alone would return 400.
  const server = createServer({ requireHostHeader: false }, (request, response) => {
    // A killed runtime drops its connections in the middle of a body.
    reply(request, response).catch(() => response.destroy());
  });
  // A runtime waits for its next invocation without a timeout.
  server.requestTimeout = 0;
  server.keepAliveTimeout = 0;
  const port = await listen(server);
  server.unref();

  return {
    address: `127.0.0.1:${String(port)}`,
    dispatch: (invocation, deadlineMs) => {
      current = { invocation, deadlineMs };
      delivered = false;
      answered = false;
      deliver();
    },
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
