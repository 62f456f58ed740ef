import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent, type AgentOptions } from 'node:https';
import type { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import { NodeHttpHandler, type NodeHttpHandlerOptions } from '@smithy/node-http-handler';
import type { Clock } from '../../core/shared/clock.ts';

/** Most concurrent connections to one service; further calls wait for a free one. */
export const SOCKETS_MAX = 50;

/**
 * How long a connection may wait for its first request, in ms of wall-clock time. That time
 * continues while an instance is frozen, and an older connection may be dead without notice.
 */
const EARLY_MS = 5_000;

interface Early {
  readonly socket: Socket;
  readonly until: number;
}

const placeOf = (host: unknown, port: unknown): string => `${String(host)}:${String(port)}`;

/** Keeps connections open, and can open one before the first request needs it. */
export class EarlyAgent extends HttpsAgent {
  readonly #clock: Clock;

  readonly #early = new Map<string, Early>();

  constructor(options: AgentOptions, clock: Clock) {
    super(options);
    this.#clock = clock;
  }

  /**
   * Opens a connection for the first request to this host and port. If it fails, or ends before
   * that, the request opens its own.
   */
  open(host: string, port: number): void {
    const place = placeOf(host, port);
    if (this.#early.has(place)) return;
    const options = { ...this.options, host, port, servername: host };
    // Node's own agent adds this name, by which it caches TLS sessions, so later connections
    // resume.
    const named = { ...options, _agentKey: this.getName(options) };
    const socket = super.createConnection(named) as Socket;
    this.#early.set(place, { socket, until: this.#clock() + EARLY_MS });
    // The connection does not keep the process alive, and its failure is no failure of the agent.
    socket.unref().on('error', () => undefined);
    socket.on('close', () => {
      if (this.#early.get(place)?.socket === socket) this.#early.delete(place);
    });
  }

  override createConnection(...args: Parameters<HttpsAgent['createConnection']>) {
    const [{ host, port }] = args;
    const place = placeOf(host, port);
    const early = this.#early.get(place);
    this.#early.delete(place);
    // Data that arrives before a request cannot be its response.
    const isGood = early?.socket.writable === true && early.socket.readableLength === 0;
    if (isGood && this.#clock() < early.until) return early.socket.ref();
    early?.socket.destroy();
    return super.createConnection(...args);
  }

  /** Closes the early connections that no request has used. */
  dropEarly(): void {
    for (const { socket } of this.#early.values()) socket.destroy();
    this.#early.clear();
  }

  override destroy(): void {
    this.dropEarly();
    super.destroy();
  }
}

/**
 * Errors after which all idle connections are closed. A connection whose call timed out may be dead
 * without notice.
 */
const CONNECTION_LOST: readonly unknown[] = ['ECONNRESET', 'EPIPE', 'ETIMEDOUT'];

type Sent = Parameters<NodeHttpHandler['handle']>;

/** How long a call may wait for a free connection, in ms of wall-clock time. */
const WAIT_MS = 10_000;

/** The connections to one host that are in use, and the calls that wait for one. */
class Slots {
  #used = 0;

  readonly #waiting: (() => void)[] = [];

  /** Takes a connection, and returns a promise only if none is free. */
  take(): Promise<void> | undefined {
    if (this.#used === SOCKETS_MAX) return new Promise((resolve) => this.#waiting.push(resolve));
    this.#used += 1;
    return undefined;
  }

  /** Hands the connection to the call that waits longest. */
  readonly release = (): void => {
    const next = this.#waiting.shift();
    if (next === undefined) this.#used -= 1;
    else next();
  };
}

/**
 * Sends requests of the SDK.
 *
 * - A request waits here until a connection is free. The SDK would count this time as part of the
 *   time in which a connection has to open, and reject the request.
 * - If a connection is lost, all idle ones are closed. While the instance was frozen, the other
 *   side may have closed them, and each retry could use the next dead one.
 */
export class ConnectionKeeper extends NodeHttpHandler {
  readonly #httpAgent: HttpAgent;

  readonly #httpsAgent: EarlyAgent;

  /** The agents count their connections by host. */
  readonly #slots = new Map<string, Slots>();

  readonly #clock: Clock;

  constructor(options: NodeHttpHandlerOptions, httpsAgent: EarlyAgent, clock: Clock) {
    const httpAgent = new HttpAgent({ keepAlive: true, maxSockets: SOCKETS_MAX });
    super({ ...options, httpAgent, httpsAgent });
    this.#httpAgent = httpAgent;
    this.#httpsAgent = httpsAgent;
    this.#clock = clock;
  }

  override async handle(...args: Sent): ReturnType<NodeHttpHandler['handle']> {
    const slots = this.#slotsOf(args[0]);
    const free = slots.take();
    try {
      if (free !== undefined) await this.#inTime(free);
      const sent = await super.handle(...args);
      // The connection is free as soon as the body is read. The body of a response of Node has no
      // `error` event without a listener for it.
      const body = sent.response.body as Readable;
      if (body.closed) slots.release();
      else body.once('close', slots.release);
      return sent;
    } catch (error) {
      slots.release();
      if (CONNECTION_LOST.includes((error as { code?: unknown }).code)) this.#dropIdle();
      throw error;
    }
  }

  /**
   * Rejects if the connection is free too late, such as after the instance was frozen: the call
   * would be sent although its caller has its error.
   */
  async #inTime(free: Promise<void>): Promise<void> {
    const since = this.#clock();
    await free;
    if (this.#clock() - since <= WAIT_MS) return;
    throw Object.assign(new Error('no connection was free in time'), { name: 'TimeoutError' });
  }

  #slotsOf({ hostname, port }: Sent[0]): Slots {
    const place = placeOf(hostname, port);
    const slots = this.#slots.get(place) ?? new Slots();
    this.#slots.set(place, slots);
    return slots;
  }

  #dropIdle(): void {
    this.#httpsAgent.dropEarly();
    for (const { freeSockets } of [this.#httpAgent, this.#httpsAgent])
      for (const socket of Object.values(freeSockets).flatMap((sockets) => sockets ?? [])) socket.destroy();
  }
}
