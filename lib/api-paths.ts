/**
 * The first segments of the paths of each function behind the API, to which the gateway routes
 * everything below. They repeat the routes of the functions (a test compares them): a package with
 * the stacks would contain the whole service if it imported those.
 */
export const API_PATHS = {
  applications: ['/applications', '/permissions', '/access', '/tenants', '/sessions'],
  tokens: ['/tokens', '/tokenize', '/detokenize'],
  proxies: ['/proxies'],
  proxy: ['/proxy'],
  logs: ['/logs'],
  reactors: ['/reactors', '/runtimes'],
} as const satisfies Readonly<Record<string, readonly string[]>>;
