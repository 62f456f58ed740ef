import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

/** A call to AWS as it was sent. Its times are those of `performance.now()`. */
export interface RecordedCall {
  /** It is the value of `X-Amz-Target`, such as `DynamoDB_20120810.Query`. */
  readonly target: string;
  /** JSON. */
  readonly body: string;
  readonly from: number;
  readonly to: number;
}

/** Passes calls on to an endpoint of AWS, and records them. */
export async function startRecorder(endpoint: string) {
  const calls: RecordedCall[] = [];
  const server = createServer((incoming, response) => {
    const from = performance.now();
    void (async () => {
      const body = await buffer(incoming);
      const { method, url = '/', headers } = incoming;
      const outgoing = request(new URL(url, endpoint), { method, headers });
      outgoing.end(body);
      const [answered] = (await once(outgoing, 'response')) as [typeof incoming];
      const answer = await buffer(answered);
      const target = String(headers['x-amz-target'] ?? `${String(method)} ${url}`);
      calls.push({ target, body: body.toString('utf8'), from, to: performance.now() });
      response.writeHead(answered.statusCode ?? 500, answered.headers).end(answer);
    })().catch(() => response.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`,
    calls: calls as readonly RecordedCall[],
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** Groups calls by when they began: those of a group began after all of the group before ended. */
export function inSequence(calls: readonly RecordedCall[]): readonly (readonly RecordedCall[])[] {
  const groups: RecordedCall[][] = [];
  let end = -Infinity;
  for (const call of calls.toSorted((a, b) => a.from - b.from)) {
    if (call.from > end) groups.push([]);
    groups.at(-1)?.push(call);
    end = Math.max(end, call.to);
  }
  return groups;
}
