import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Control } from '../assembly/local-service.ts';
import type { AwsResponse } from '../aws-service.ts';
import { errorMessage } from '../error-code.ts';
import { foreignHostResponse, isLoopbackHost } from '../loopback-host.ts';
import { isAdministrator } from './authenticate.ts';
import { createCallCounter, type CallCounter } from './call-counter.ts';
import { bodyOf, CallHandler, type CallHandlerOptions } from './call-handler.ts';

export interface AwsEndpointOptions extends CallHandlerOptions {
  /** Default 0: any free port. */
  readonly port?: number;
  /**
   * Handlers of the local account's own paths below `/_local/`: each receives the body of a PUT and
   * the method. A failure becomes a 400 with its message. These paths require the administrator's
   * key as HTTP Basic.
   */
  readonly controls?: Readonly<Record<string, Control>>;
}

export interface AwsEndpoint {
  /** `http://127.0.0.1:<port>`, the value of `AWS_ENDPOINT_URL`. */
  readonly url: string;
  /** Stops listening and drops open connections. The creator of the services closes them. */
  close(): Promise<void>;
}

/** The local account handles paths below this itself. They belong to no service of AWS. */
const CONTROL_PATHS = '/_local';
const JSON_HEADERS = { 'content-type': 'application/json' };
const strangerResponse: AwsResponse = {
  status: 401,
  headers: JSON_HEADERS,
  body: JSON.stringify({
    message: 'The administrator of the local account has to send its key (HTTP Basic).',
  }),
};
/** `{ "calls": CallCount[] }` since the last DELETE. */
const COUNTS_PATH = '/_local/calls';
/** `{ "calls": CallRecord[] }` */
const LOG_PATH = '/_local/call-log';

function send(response: ServerResponse, { status, headers, body }: AwsResponse): void {
  response.writeHead(status, {
    ...headers,
    'x-amzn-requestid': randomUUID(),
    'content-length': Buffer.byteLength(body),
  });
  response.end(body);
}

function listen(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => {
      resolve((server.address() as AddressInfo).port);
    });
  });
}

function respondWithCounts({ method, url }: IncomingMessage, counter: CallCounter): AwsResponse {
  if (method === 'DELETE' && url === COUNTS_PATH) counter.reset();
  const body = JSON.stringify({ calls: url === LOG_PATH ? counter.latest() : counter.counts() });
  return { status: 200, headers: JSON_HEADERS, body };
}

async function respondToControl(request: IncomingMessage, control: Control): Promise<AwsResponse> {
  try {
    const body = (await bodyOf(request)).toString('utf8');
    // A web page may send any other method to this machine.
    const { method = 'GET' } = request;
    const controlled = await control(method === 'PUT' ? body : '', method);
    return { status: 200, headers: JSON_HEADERS, body: JSON.stringify(controlled) };
  } catch (error) {
    return { status: 400, headers: JSON_HEADERS, body: JSON.stringify({ message: errorMessage(error) }) };
  }
}

/** Checks who sends a request, before anything reads its body. */
function refusal({ headers, url }: IncomingMessage, options: AwsEndpointOptions): AwsResponse | undefined {
  if (!isLoopbackHost(headers.host)) return foreignHostResponse;
  if (url?.startsWith(CONTROL_PATHS) !== true || isAdministrator(options, headers.authorization))
    return undefined;
  return strangerResponse;
}

/**
 * The only AWS endpoint of the local account. It passes calls to {@link CallHandler}, and serves
 * the account's own paths to the administrator.
 */
export async function startAwsEndpoint(options: AwsEndpointOptions): Promise<AwsEndpoint> {
  const counter = createCallCounter();
  const calls = new CallHandler(options, counter);

  async function respond(request: IncomingMessage): Promise<AwsResponse | 'cut'> {
    const refused = refusal(request, options);
    if (refused !== undefined) {
      request.resume();
      return refused;
    }
    const { url = '' } = request;
    if (url === COUNTS_PATH || url === LOG_PATH) {
      request.resume();
      return respondWithCounts(request, counter);
    }
    const control = options.controls?.[url];
    return control === undefined ? await calls.reply(request) : await respondToControl(request, control);
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
