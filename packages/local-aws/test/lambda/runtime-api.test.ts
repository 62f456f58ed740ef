import { connect } from 'node:net';
import { startRuntimeApi, type RuntimeApi } from '../../src/lambda/custom-runtime/runtime-api.ts';

let api: RuntimeApi;
const seen: string[] = [];

beforeEach(async () => {
  seen.length = 0;
  api = await startRuntimeApi({
    onNext: () => seen.push('next'),
    onOutcome: () => seen.push('outcome'),
    onInitError: () => seen.push('init error'),
  });
});
afterEach(() => {
  api.close();
});

/** The status code and the type of the response; `fetch` would set the Host itself. */
function answerTo(start: string, host: string | undefined, body = ''): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const socket = connect(Number(api.address.split(':')[1]), '127.0.0.1');
  let response = '';
  socket.on('error', reject);
  socket.on('data', (piece) => (response += piece.toString()));
  socket.on('close', () => {
    const type = /^content-type: (.*)$/im.exec(response)?.[1] ?? '';
    resolve(`${response.split(' ')[1] ?? ''} ${type}`);
  });
  const header = host === undefined ? '' : `Host: ${host}\r\n`;
  const length = `Content-Length: ${String(body.length)}\r\n`;
  socket.end(`${start} HTTP/1.1\r\n${header}${length}Connection: close\r\n\r\n${body}`);
  return promise;
}

const base = '/2018-06-01/runtime';
const foreign = ['evil.example', 'evil.example:80', '127.0.0.1.evil.example', 'localhost.', undefined];

describe('the Runtime API of an instance', () => {
  it.each(foreign)('returns 403 to Host %s, and the instance gets no event', async (host) => {
    const plain = '403 text/plain; charset=utf-8';
    expect(await answerTo(`GET ${base}/invocation/next`, host)).toBe(plain);
    expect(await answerTo(`POST ${base}/invocation/x/response`, host, '{}')).toBe(plain);
    expect(await answerTo(`POST ${base}/init/error`, host, '{}')).toBe(plain);
    expect(await answerTo('GET /', host)).toBe(plain);
    expect(seen).toEqual([]);
  });

  it.each(['localhost', 'own address', '[::1]:80'])('serves Host %s', async (host) => {
    const name = host === 'own address' ? api.address : host;
    expect(await answerTo(`POST ${base}/init/error`, name, '{}')).toBe('202 application/json');
    expect(seen).toEqual(['init error']);
  });
});
