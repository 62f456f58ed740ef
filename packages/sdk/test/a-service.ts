import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Received {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: any;
}

export interface Reply {
  readonly status: number;
  readonly body?: unknown;
  readonly headers?: Record<string, string | string[]>;
  /** The body exactly as sent, instead of `body`. */
  readonly raw?: Buffer;
  /**
   * Used instead of a response: the connection ends before it or in its middle, or no response ever
   * arrives.
   */
  readonly instead?: 'drop' | 'cut' | 'hang';
}

/** A server on this machine that returns the configured responses in order, then `{}`. */
export async function withService<T>(
  replies: readonly Reply[],
  use: (baseUrl: string, received: readonly Received[]) => Promise<T>,
): Promise<T> {
  const received: Received[] = [];
  const queue = [...replies];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const text = Buffer.concat(chunks).toString();
      const { method = '', url = '', headers } = request;
      const isJson = String(headers['content-type']).includes('json');
      received.push({ method, url, headers, body: isJson ? JSON.parse(text) : text });
      const { status, body, headers: own, raw, instead } = queue.shift() ?? { status: 200, body: {} };
      if (instead === 'hang') return;
      if (instead === 'drop') {
        request.socket.destroy();
        return;
      }
      if (instead === 'cut') {
        response.writeHead(status, { 'Content-Length': '1000' }).write('{', () => request.socket.destroy());
        return;
      }
      response.writeHead(status, {
        'Content-Type': 'application/json',
        ...(raw && { 'Content-Length': String(raw.length) }),
        ...own,
      });
      response.end(raw ?? (body === undefined ? undefined : JSON.stringify(body)));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    return await use(`http://127.0.0.1:${String((server.address() as AddressInfo).port)}`, received);
  } finally {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
}
