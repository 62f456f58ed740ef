import { createServer, type ServerResponse } from 'node:http';
import { listenOnLocalhost } from '../../src/gateway/listen.ts';

/** A server that stores its requests, for the test to respond to. */
async function aServer() {
  const { promise: asked, resolve } = Promise.withResolvers<ServerResponse>();
  const listening = await listenOnLocalhost(() => createServer((_request, response) => resolve(response)), 0);
  return { asked, listening, url: `http://127.0.0.1:${String(listening.port)}` };
}

it('a running request gets its response before the server closes, and new ones are rejected', async () => {
  const { asked, listening, url } = await aServer();
  const reply = fetch(url);
  const response = await asked;
  const closed = listening.close(60_000);
  await expect(fetch(url)).rejects.toThrow();
  response.end('done');
  expect(await (await reply).text()).toBe('done');
  await closed;
});

it('a request that runs longer than the grace period is cut', async () => {
  const { asked, listening, url } = await aServer();
  const reply = fetch(url).catch(() => 'cut');
  await asked;
  await listening.close(20);
  expect(await reply).toBe('cut');
});
