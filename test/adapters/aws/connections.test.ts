import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { Agent, createServer as createSecureServer, get } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { setTimeout as sleep } from 'node:timers/promises';
import { DynamoDBClient, ListTablesCommand } from '@aws-sdk/client-dynamodb';
import { whenever } from '../../../packages/test-kit/src/event-loop.ts';
import { needing } from '../../support/needing.ts';
import {
  CONNECTION_TIMEOUT_MS,
  createAwsConnections,
  runLimits,
  USUAL,
  type ClientLimits,
} from '../../../src/adapters/aws/client-settings.ts';
import { EarlyAgent, SOCKETS_MAX } from '../../../src/adapters/aws/connections.ts';
import { testCertificate } from '../../support/destination.ts';
import { machinePlatform } from '../../../src/adapters/machine-platform.ts';

const listening = async (server: Server) => {
  server.listen(0, 'localhost');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
};

const clientOf = (port: number, limits: ClientLimits, worldClock = machinePlatform.worldClock) =>
  new DynamoDBClient({
    ...createAwsConnections({ worldClock }).reach(limits),
    maxAttempts: limits.maxAttempts,
    endpoint: `http://localhost:${String(port)}`,
    region: 'us-east-1',
    credentials: { accessKeyId: 'a', secretAccessKey: 'b' },
  });

/**
 * A service that can silently lose all its connections, like those of a frozen instance: a client
 * only notices when it writes to one.
 */
async function startForgetful() {
  const connections = new Set<Socket>();
  const lost = new Set<Socket>();
  const server = createServer((request, response) => {
    if (lost.has(request.socket)) request.socket.resetAndDestroy();
    else response.setHeader('content-type', 'application/x-amz-json-1.0').end('{"TableNames":[]}');
  }).on('connection', (socket) => connections.add(socket));
  const port = await listening(server);
  return {
    port,
    connections,
    forget: () => connections.forEach((socket) => lost.add(socket)),
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

let service: Awaited<ReturnType<typeof startForgetful>>;
beforeEach(async () => (service = await startForgetful()));
afterEach(() => service.close());

it('a call succeeds although all pooled connections are dead', async () => {
  const client = clientOf(service.port, USUAL);
  const call = () => client.send(new ListTablesCommand());
  await Promise.all(Array.from({ length: 8 }, call));
  expect(service.connections.size).toBe(8);
  service.forget();
  await expect(call()).resolves.toMatchObject({ TableNames: [] });
  // The others are closed, so that the next call does not find them in the pool.
  await expect(call()).resolves.toMatchObject({ TableNames: [] });
  expect(service.connections.size).toBe(9);
});

it('a call may wait for a free connection for longer than one may take to open', async () => {
  const arrived: ServerResponse[] = [];
  const answer = (response: ServerResponse) =>
    response.setHeader('content-type', 'application/x-amz-json-1.0').end('{"TableNames":[]}');
  let isBusy = true;
  const server = createServer((request, response) => {
    request.resume();
    if (isBusy) arrived.push(response);
    else answer(response);
  });
  const client = clientOf(await listening(server), { ...USUAL, maxAttempts: 1 });
  try {
    const calls = Array.from({ length: SOCKETS_MAX + 10 }, () => client.send(new ListTablesCommand()));
    await whenever(() => arrived.length === SOCKETS_MAX);
    // The timers of the calls began before this one.
    await Promise.race([sleep(1.5 * CONNECTION_TIMEOUT_MS), Promise.all(calls)]);
    expect(arrived).toHaveLength(SOCKETS_MAX);
    isBusy = false;
    arrived.forEach(answer);
    await expect(Promise.all(calls)).resolves.toHaveLength(SOCKETS_MAX + 10);
  } finally {
    server.closeAllConnections();
    server.close();
  }
});

const ONCE = { ...USUAL, maxAttempts: 1 };
const listed = (response: ServerResponse) =>
  response.setHeader('content-type', 'application/x-amz-json-1.0').end('{"TableNames":[]}');

it('a call gives its connection back once, whatever becomes of it', async () => {
  const lost = SOCKETS_MAX + 10;
  let nth = 0;
  let atOnce = 0;
  let most = 0;
  const server = createServer((request, response) => {
    nth += 1;
    atOnce += 1;
    most = Math.max(most, atOnce);
    response.once('close', () => (atOnce -= 1));
    request.resume();
    if (nth > lost) listed(response);
    else if (nth % 2 === 0) request.socket.resetAndDestroy();
    else {
      response.writeHead(200, { 'content-type': 'application/x-amz-json-1.0', 'content-length': '100' });
      response.write('{', () => request.socket.resetAndDestroy());
    }
  });
  const client = clientOf(await listening(server), ONCE);
  const calls = (count: number) =>
    Promise.allSettled(Array.from({ length: count }, () => client.send(new ListTablesCommand())));
  try {
    const outcomes = [...(await calls(lost)), ...(await calls(2 * SOCKETS_MAX))];
    expect(outcomes.map(({ status }) => status)).toEqual([
      ...Array.from({ length: lost }, () => 'rejected'),
      ...Array.from({ length: 2 * SOCKETS_MAX }, () => 'fulfilled'),
    ]);
    expect(most).toBeLessThanOrEqual(SOCKETS_MAX);
  } finally {
    server.closeAllConnections();
    server.close();
  }
});

it('a call for which a connection is free too late is not sent', async () => {
  let now = 0;
  const arrived: ServerResponse[] = [];
  const server = createServer((request, response) => {
    request.resume();
    arrived.push(response);
  });
  const client = clientOf(await listening(server), ONCE, () => now);
  try {
    const first = Array.from({ length: SOCKETS_MAX }, () => client.send(new ListTablesCommand()));
    await whenever(() => arrived.length === SOCKETS_MAX);
    const waiting = client.send(new ListTablesCommand());
    const refused = expect(waiting).rejects.toMatchObject({ name: 'TimeoutError' });
    // The call waits as soon as the event loop has turned.
    await new Promise((resolve) => setImmediate(resolve));
    now = 3_600_000;
    arrived.forEach(listed);
    await Promise.all([...first, refused]);
    expect(arrived).toHaveLength(SOCKETS_MAX);
  } finally {
    server.closeAllConnections();
    server.close();
  }
});

it('a call that runs code has a separate connection', async () => {
  const client = clientOf(service.port, runLimits(1_000));
  await client.send(new ListTablesCommand());
  service.forget();
  await expect(client.send(new ListTablesCommand())).resolves.toMatchObject({ TableNames: [] });
});

const { describe: describeWithTls } = needing('openssl');

describeWithTls('a connection that is opened early', () => {
  let server: Server;
  let port: number;
  let agent: EarlyAgent;
  let now: number;
  let made: Socket[];
  let create: jest.SpyInstance;

  beforeEach(async () => {
    create = jest.spyOn(Agent.prototype, 'createConnection');
    const { keyFile, certFile } = testCertificate();
    const cert = readFileSync(certFile);
    made = [];
    server = createSecureServer({ key: readFileSync(keyFile), cert }, (_request, response) => response.end());
    server.on('connection', (socket: Socket) => made.push(socket));
    port = await listening(server);
    now = 0;
    agent = new EarlyAgent({ keepAlive: true, ca: cert }, () => now);
  });

  afterEach(() => {
    create.mockRestore();
    agent.destroy();
    server.closeAllConnections();
    server.close();
  });

  /** Returns the client's side of the first connection. */
  const opened = (): Socket => create.mock.results[0]?.value as Socket;

  const request = async () => {
    const [response] = (await once(get({ host: 'localhost', port, agent }), 'response')) as [
      NodeJS.ReadableStream,
    ];
    response.resume();
    await once(response, 'end');
  };

  it('is used by the first request', async () => {
    agent.open('localhost', port);
    await once(server, 'secureConnection');
    await request();
    await request();
    expect(made).toHaveLength(1);
  });

  it('is used by a request that is sent before it is established', async () => {
    agent.open('localhost', port);
    await request();
    expect(made).toHaveLength(1);
  });

  it('is replaced if it has ended before the first request', async () => {
    agent.open('localhost', port);
    await once(server, 'secureConnection');
    made.forEach((socket) => socket.destroy());
    await once(opened(), 'close');
    await request();
    expect(made).toHaveLength(2);
  });

  it('is not used after a long wait: it may be dead without notice', async () => {
    agent.open('localhost', port);
    await once(server, 'secureConnection');
    now = 5_000;
    await request();
    expect(made).toHaveLength(2);
  });

  it('is not used after unsolicited bytes, which would be taken for a response', async () => {
    server.once('secureConnection', (socket: Socket) =>
      socket.write('HTTP/1.1 408 Request Timeout\r\nContent-Length: 0\r\n\r\n'),
    );
    agent.open('localhost', port);
    await whenever(() => opened().readableLength > 0);
    await request();
    expect(made).toHaveLength(2);
  });

  it('is opened once, and closed with the agent', async () => {
    agent.open('localhost', port);
    agent.open('localhost', port);
    await once(server, 'secureConnection');
    agent.destroy();
    const [first] = made;
    if (first?.destroyed === false) await once(first, 'close');
    expect(made).toHaveLength(1);
  });

  it('shares its TLS session with later connections', async () => {
    const resumed: boolean[] = [];
    agent.open('localhost', port);
    await request();
    await Promise.all([request(), request()]);
    for (const socket of Object.values(agent.freeSockets).flat())
      resumed.push((socket as TLSSocket).isSessionReused());
    expect(resumed.filter(Boolean).length).toBeGreaterThan(0);
  });

  it('causes no error if no server listens', async () => {
    agent.open('localhost', 1);
    await request();
    expect(made).toHaveLength(1);
  });
});
