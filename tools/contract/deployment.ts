import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

/** JSON of a response; readers check its shape. */
export interface DeploymentResponse {
  readonly status: number;
  readonly body: unknown;
}

/** Calls a deployment with one key. Rejects if it cannot be reached. */
export type CallDeployment = (method: string, path: string, body?: unknown) => Promise<DeploymentResponse>;

/** As `fetch`; a test has no network. */
export type Send = (url: string, init: RequestInit) => Promise<Response>;

/** How often a request is sent, and the pause after the first try. The last pauses take 10 s. */
const TRIES = 10;
const FIRST_PAUSE_MS = 250;
const PAUSE_MAX_MS = 10_000;
const TIMEOUT_MS = 60_000;

/** Whether the gateway or the edge refused a request. An error of the service has a code. */
export const isThrottled = (status: number, body: unknown): boolean =>
  status === 429 && !(typeof body === 'object' && body !== null && 'code' in body);

/** Pauses after a try. The pauses grow, and differ between requests. */
export const pauseAfter = (tried: number): Promise<void> =>
  sleep(Math.min(FIRST_PAUSE_MS * 2 ** tried, PAUSE_MAX_MS) * (0.5 + Math.random() / 2));

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

function unreachable(url: string, error: unknown): Error {
  const { message, cause } = error as Error;
  const reason = cause instanceof Error ? cause.message : message;
  return new Error(`${url} cannot be reached: ${reason}`, { cause: error });
}

/** Sends a request again if it is throttled, and after a failure of the network or the service. */
export function callDeployment(
  url: string,
  key: string,
  { send = fetch, tries = TRIES }: { readonly send?: Send | undefined; readonly tries?: number } = {},
): CallDeployment {
  return async (method, path, body) => {
    const headers = {
      'SVC-API-KEY': key,
      ...(body !== undefined && { 'Content-Type': 'application/json' }),
      // A repeated POST then has one effect.
      ...(method === 'POST' && { 'SVC-IDEMPOTENCY-KEY': randomUUID() }),
    };
    const init: RequestInit = {
      method,
      headers,
      // Another host must not get the key.
      redirect: 'error',
      ...(body !== undefined && { body: JSON.stringify(body) }),
    };
    for (let tried = 1; ; tried += 1) {
      try {
        const response = await send(`${url}${path}`, { ...init, signal: AbortSignal.timeout(TIMEOUT_MS) });
        const { status } = response;
        const content = parsed(await response.text());
        const mayPass = status >= 500 || isThrottled(status, content);
        if (!mayPass || tried === tries) return { status, body: content };
      } catch (error) {
        if (tried === tries) throw unreachable(url, error);
      }
      await pauseAfter(tried);
    }
  };
}
