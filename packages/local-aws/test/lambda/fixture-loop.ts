// A custom runtime in a few lines: runs `module.exports` of index.cjs in the code folder for each
// invocation.
import { request, type IncomingHttpHeaders } from 'node:http';
import { createRequire } from 'node:module';
import { join } from 'node:path';

interface Response {
  readonly status: number | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

type Call = (method: string, url: string, body?: string) => Promise<Response>;
type Handler = (
  event: unknown,
  invocation: { id: string; headers: IncomingHttpHeaders; call: Call },
) => unknown;

const [host, port] = (process.env['AWS_LAMBDA_RUNTIME_API'] ?? '').split(':');

const call: Call = (method, url, body = '') =>
  new Promise((resolve, reject) => {
    const path = `/2018-06-01/runtime/${url}`;
    const headers = { 'content-length': Buffer.byteLength(body) };
    const sent = request({ host, port, method, path, headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => {
        const text = Buffer.concat(chunks).toString();
        resolve({ status: response.statusCode, headers: response.headers, body: text });
      });
    });
    sent.on('error', reject);
    sent.end(body);
  });

function failureOf(error: unknown, errorType?: string): string {
  const { name, message } = error as Error;
  return JSON.stringify({ errorType: errorType ?? name, errorMessage: message });
}

async function load(): Promise<Handler> {
  try {
    const code = join(process.env['LAMBDA_TASK_ROOT'] ?? '', 'index.cjs');
    return createRequire(code)(code) as Handler;
  } catch (error) {
    await call('POST', 'init/error', failureOf(error, 'Runtime.Init'));
    // Lambda expects a runtime that has reported this to end.
    process.exit(1);
  }
}

async function serve(handler: Handler): Promise<never> {
  for (;;) {
    const { headers, body } = await call('GET', 'invocation/next');
    const id = String(headers['lambda-runtime-aws-request-id']);
    try {
      const result = await handler(JSON.parse(body), { id, headers, call });
      await call('POST', `invocation/${id}/response`, JSON.stringify(result ?? null));
    } catch (error) {
      await call('POST', `invocation/${id}/error`, failureOf(error));
    }
  }
}

// The Runtime API has ended, so this process has no purpose.
await serve(await load()).catch(() => process.exit(1));
