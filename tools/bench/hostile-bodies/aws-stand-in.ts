import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { HOSTILE_ARGS } from './hostile-requests.ts';

const HOSTILE = JSON.stringify(HOSTILE_ARGS).slice(1, -1);

/**
 * Lambda and SQS for a function's calls: an invocation with hostile arguments returns `payload`,
 * and every message is stored here.
 */
export interface AwsStandIn {
  readonly url: string;
  payload: string;
  readonly messages: string[];
  close(): Promise<void>;
}

export async function startAwsStandIn(): Promise<AwsStandIn> {
  const state = { payload: '{}', messages: [] as string[] };
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      if (request.url?.startsWith('/2015-03-31/functions/') === true) {
        const payload = body.includes(HOSTILE) ? state.payload : '{"outcome":"returned","value":{}}';
        response.setHeader('content-type', 'application/json').end(payload);
        return;
      }
      const { MessageBody: message = '' } = JSON.parse(body) as { MessageBody?: string };
      state.messages.push(message);
      response.setHeader('content-type', 'application/x-amz-json-1.0').end(
        JSON.stringify({
          MessageId: '1',
          MD5OfMessageBody: createHash('md5').update(message).digest('hex'),
        }),
      );
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return Object.assign(state, {
    url: `http://127.0.0.1:${String(port)}`,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  });
}
