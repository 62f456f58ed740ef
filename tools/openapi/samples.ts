import type { AnyRoute } from './all-routes.ts';
import { JAVASCRIPT, literalOf, PYTHON } from './literals.ts';

/** A sample sends this besides its route. */
export interface SampleRequest {
  /** Names the method of the SDK. */
  readonly sdk: string;
  /** Contains the values of the path's parameters. */
  readonly params: Readonly<Record<string, string>>;
  /** Headers by their names, except the key. */
  readonly headers: Readonly<Record<string, string>>;
  /** A value of JSON; `undefined` sends no body. */
  readonly body: unknown;
}

const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;
const filled = (path: string, fill: (name: string) => string): string =>
  path.replaceAll(/\{([^}+]+)\+?\}/g, (_, name: string) => fill(name));

/** A call of curl; the variables `URL` and `KEY`, and those of the path, are the reader's. */
function curlSample({ method, path }: AnyRoute, { headers, body }: SampleRequest): string {
  const address = filled(path, (name) => `$${name.toUpperCase()}`);
  return [
    `curl ${method === 'GET' ? '' : `-X ${method} `}"$URL${address}"`,
    '-H "SVC-API-KEY: $KEY"',
    ...Object.entries(headers).map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`),
    ...(body === undefined ? [] : [`-d ${quoted(JSON.stringify(body, null, 2))}`]),
  ].join(' \\\n  ');
}

/** The options of `client.proxy`, which has no parameters of its own. */
const proxyOptions = ({ method }: AnyRoute, { params, headers, body }: SampleRequest) => ({
  url: headers['SVC-PROXY-URL'] ?? '',
  method,
  ...(params['suffix'] !== undefined && { path: params['suffix'] }),
  ...(body !== undefined && { body }),
});

function nodeSample(route: AnyRoute, request: SampleRequest): string {
  const args =
    route.operation === 'proxy'
      ? [proxyOptions(route, request)]
      : [...Object.values(request.params), ...(request.body === undefined ? [] : [request.body])];
  const call = `client.${request.sdk}(${args.map((arg) => literalOf(arg, JAVASCRIPT)).join(', ')})`;
  const hasResult = route.success !== 204;
  return `import { createClient } from '@cloakroom/sdk';

const client = createClient({ baseUrl: process.env.URL, apiKey: process.env.KEY });
${hasResult ? 'const result = ' : ''}await ${call};${hasResult ? '\nconsole.log(result);' : ''}`;
}

/** Uses the package `requests`, which would take the key to the address of a redirect. */
function pythonSample(
  { operation, method, path, success }: AnyRoute,
  { params, headers, body }: SampleRequest,
): string {
  const address = filled(path, (name) => params[name] ?? '');
  const sent = Object.entries(headers).map(
    ([name, value]) => `        ${PYTHON.name(name)}: ${PYTHON.text(value)},\n`,
  );
  return `import os
import requests

response = requests.${method.toLowerCase()}(
    os.environ["URL"] + ${PYTHON.text(address)},
    headers={
        "SVC-API-KEY": os.environ["KEY"],
${sent.join('')}    },
${body === undefined ? '' : `    json=${literalOf(body, PYTHON, '    ')},\n`}${operation === 'proxy' ? '    allow_redirects=False,\n' : ''})
if not response.ok:
    print(response.text)
response.raise_for_status()${success === 204 ? '' : '\nprint(response.json())'}`;
}

/** How to call an operation from a shell, from Node.js with the SDK, and from Python. */
export const samplesOf = (route: AnyRoute, request: SampleRequest) => [
  { lang: 'shell', label: 'curl', source: curlSample(route, request) },
  { lang: 'javascript', label: 'Node.js', source: nodeSample(route, request) },
  { lang: 'python', label: 'Python', source: pythonSample(route, request) },
];
