import { createServer, type ServerResponse } from 'node:http';
import { listenOnLocalhost } from '../../src/gateway/listen.ts';

/** A server that keeps what it is asked, for the test to answer. */
async function aServer() {
  const { promise: asked, resolve } = Promise.withResolvers<ServerResponse>();
  const listening = await listenOnLocalhost(() => createServer((_request, response) => resolve(response)), 0);
  return { asked, listening, url: `http://127.0.0.1:${String(listening.port)}` };
}

it('a request that runs is answered before the server closes, and no other is taken', async () => {
  const { asked, listening, url } = await aServer();
  const answer = fetch(url);
  const response = await asked;
  const closed = listening.close(60_000);
  await expect(fetch(url)).rejects.toThrow();
  response.end('done');
  expect(await (await answer).text()).toBe('done');
  await closed;
});

it('a request that runs for longer than its grace is cut', async () => {
  const { asked, listening, url } = await aServer();
  const answer = fetch(url).catch(() => 'cut');
  await asked;
  await listening.close(20);
  expect(await answer).toBe('cut');
});
