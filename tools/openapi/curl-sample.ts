import type { Example } from '../../src/wire/described-operation.ts';
import type { AnyRoute } from './all-routes.ts';

/** What a sample sends besides its route. */
interface SampleRequest {
  /** Headers by their names, except the key. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Example | undefined;
}

const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;

/** A call of curl; the variables `URL` and `KEY`, and those of the path, are the reader's. */
export function curlSample({ method, path }: AnyRoute, { headers, body }: SampleRequest): string {
  const address = path.replaceAll(/\{([^}+]+)\+?\}/g, (_, name: string) => `$${name.toUpperCase()}`);
  return [
    `curl ${method === 'GET' ? '' : `-X ${method} `}"$URL${address}"`,
    '-H "SVC-API-KEY: $KEY"',
    ...Object.entries(headers).map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`),
    ...(body === undefined ? [] : [`-d ${quoted(JSON.stringify(body.value, null, 2))}`]),
  ].join(' \\\n  ');
}
