import type { AnyRoute } from './all-routes.ts';
import { JAVASCRIPT, literalOf, PYTHON } from './literals.ts';

/** What a sample sends besides its route. */
export interface SampleRequest {
  /** Contains the values of the path's parameters. */
  readonly params: Readonly<Record<string, string>>;
  /** Headers by their names, except the key. */
  readonly headers: Readonly<Record<string, string>>;
  /** A value of JSON; `undefined` sends no body. */
  readonly body: unknown;
}

/** Each operation has a method of the SDK, which takes the parameters of the path and the body. */
const SDK_METHODS: Readonly<Record<string, string>> = {
  createToken: 'tokens.create',
  listTokens: 'tokens.list',
  getToken: 'tokens.retrieve',
  updateToken: 'tokens.update',
  deleteToken: 'tokens.delete',
  searchTokens: 'tokens.search',
  tokenize: 'tokenize',
  detokenize: 'detokenize',
  proxy: 'proxy',
  createApplication: 'applications.create',
  listApplications: 'applications.list',
  getApplicationByKey: 'applications.retrieveByKey',
  getApplication: 'applications.retrieve',
  updateApplication: 'applications.update',
  deleteApplication: 'applications.delete',
  regenerateApplicationKey: 'applications.regenerateKey',
  createApplicationKey: 'applications.keys.create',
  listApplicationKeys: 'applications.keys.list',
  getApplicationKey: 'applications.keys.retrieve',
  updateApplicationKey: 'applications.keys.update',
  deleteApplicationKey: 'applications.keys.delete',
  listPermissions: 'permissions.list',
  explainAccess: 'access.explain',
  getTenant: 'tenants.retrieve',
  updateTenant: 'tenants.update',
  createSession: 'sessions.create',
  authorizeSession: 'sessions.authorize',
  listLogs: 'logs.list',
  createProxy: 'proxies.create',
  listProxies: 'proxies.list',
  getProxy: 'proxies.retrieve',
  updateProxy: 'proxies.update',
  patchProxy: 'proxies.patch',
  deleteProxy: 'proxies.delete',
  listProxyVersions: 'proxies.listVersions',
  listProxyFailures: 'proxies.listFailures',
  revertProxy: 'proxies.revert',
  createProxyKey: 'proxies.keys.create',
  listProxyKeys: 'proxies.keys.list',
  getProxyKey: 'proxies.keys.retrieve',
  updateProxyKey: 'proxies.keys.update',
  deleteProxyKey: 'proxies.keys.delete',
  createReactor: 'reactors.create',
  listReactors: 'reactors.list',
  getReactor: 'reactors.retrieve',
  updateReactor: 'reactors.update',
  patchReactor: 'reactors.patch',
  deleteReactor: 'reactors.delete',
  invokeReactor: 'reactors.react',
  getReactorResult: 'reactors.retrieveResult',
  listReactorDeliveries: 'reactors.deliveries.list',
  resendReactorDelivery: 'reactors.deliveries.resend',
};

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

/** Throws for an operation without a method of the SDK. */
function nodeSample(route: AnyRoute, request: SampleRequest): string {
  const method = SDK_METHODS[route.operation];
  if (method === undefined) throw new Error(`samples: the SDK has no method for ${route.operation}`);
  const args =
    route.operation === 'proxy'
      ? [proxyOptions(route, request)]
      : [...Object.values(request.params), ...(request.body === undefined ? [] : [request.body])];
  const call = `client.${method}(${args.map((arg) => literalOf(arg, JAVASCRIPT)).join(', ')})`;
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
