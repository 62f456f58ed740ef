import { createHash, createHmac } from 'node:crypto';

export interface ToSign {
  readonly url: string;
  readonly service: string;
  readonly accessKeyId: string;
  readonly secretAccessKey?: string;
  /** Names in lower case. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly date?: Date;
  readonly region: string;
}

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
const hmac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text).digest();

/**
 * Headers of a POST with a Signature Version 4, written after AWS's description and without the
 * SDK, with which the endpoint verifies.
 */
export function signedHeaders(request: ToSign): Readonly<Record<string, string>> {
  const { url, service, accessKeyId, secretAccessKey = 'secret', body = '', region } = request;
  const date = (request.date ?? new Date()).toISOString().replaceAll(/[-:]|\.\d+/g, '');
  const { host, pathname } = new URL(url);
  const headers: Record<string, string> = { host, 'x-amz-date': date, ...request.headers };
  const names = Object.keys(headers).toSorted();
  const lines = names.map((name) => `${name}:${headers[name] ?? ''}\n`).join('');
  const scope = [date.slice(0, 8), region, service, 'aws4_request'];
  const canonical = ['POST', pathname, '', lines, names.join(';'), sha256(body)].join('\n');
  const key = scope.reduce<string | Buffer>(hmac, `AWS4${secretAccessKey}`);
  const text = ['AWS4-HMAC-SHA256', date, scope.join('/'), sha256(canonical)].join('\n');
  const signature = hmac(key, text).toString('hex');
  const authorization = `AWS4-HMAC-SHA256 Credential=${accessKeyId}/${scope.join('/')}, SignedHeaders=${names.join(';')}, Signature=${signature}`;
  return { ...headers, authorization };
}
