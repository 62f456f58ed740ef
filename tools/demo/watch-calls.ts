import type { Exchange } from './screen.ts';

/** The members of the next exchanges to show, by name; all without names. */
export interface Showing {
  readonly sent?: readonly string[];
  readonly received?: readonly string[];
  /** The members that are shown of each resource in a list. */
  readonly items?: readonly string[];
}

export interface CallWatch {
  /** Names the owner of a key. */
  name(key: string, owner: string): void;
  show(showing: Showing): void;
  stop(): void;
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function pick(value: unknown, members: readonly string[] | undefined): unknown {
  if (members === undefined || !isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).filter(([name]) => members.includes(name)));
}

function pickResponse(value: unknown, { received, items }: Showing): unknown {
  const picked = pick(value, received);
  if (items === undefined || !isRecord(picked) || !Array.isArray(picked['data'])) return picked;
  return { ...picked, data: picked['data'].map((item: unknown) => pick(item, items)) };
}

/** Members of an error object, and of the proxy's own. */
const PROBLEM = ['title', 'detail', 'errors', 'proxy_error'];

function parsed(text: string): unknown {
  if (text === '') return undefined;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

function addressOf(input: Parameters<typeof fetch>[0]): string {
  if (typeof input === 'string') return input;
  return input instanceof URL ? input.href : input.url;
}

/**
 * Reports every exchange of the SDK with the service by wrapping the `fetch` that the SDK uses, so
 * that the printed exchange is the real one.
 */
export function watchCalls(baseUrl: string, tell: (exchange: Exchange) => void): CallWatch {
  const original = globalThis.fetch;
  const owners = new Map<string, string>();
  let showing: Showing = {};
  globalThis.fetch = async (input, init) => {
    const response = await original(input, init);
    const url = addressOf(input);
    if (!url.startsWith(baseUrl)) return response;
    const headers = new Headers(init?.headers);
    const key = headers.get('SVC-API-KEY');
    const named = ['SVC-PROXY-URL', 'SVC-PROXY-KEY'].find((name) => headers.has(name));
    const sent = typeof init?.body === 'string' ? parsed(init.body) : undefined;
    const received = parsed(await response.clone().text());
    tell({
      method: init?.method ?? 'GET',
      path: url.slice(baseUrl.length),
      by: key === null ? 'no API key' : `key of ${owners.get(key) ?? 'an unknown owner'}: ${key}`,
      through: named && `${named}: ${headers.get(named) ?? ''}`,
      sent: pick(sent, showing.sent),
      status: response.status,
      received: response.ok ? pickResponse(received, showing) : pick(received, PROBLEM),
    });
    return response;
  };
  return {
    name: (key, owner) => void owners.set(key, owner),
    show: (next) => {
      showing = next;
    },
    stop: () => {
      globalThis.fetch = original;
    },
  };
}
