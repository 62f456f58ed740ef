import { nearestName } from '../core/shared/known-names.ts';
import { ServiceError } from '../core/shared/service-error.ts';
import type { Route } from './route.ts';

interface CompiledRoute<Deps> {
  readonly route: Route<Deps>;
  readonly segments: readonly string[];
}

const isParameter = (segment: string): boolean => segment.startsWith('{');

/** Decodes a path segment once. A segment that cannot be decoded matches no resource. */
function decoded(segment: string): string | undefined {
  try {
    return decodeURIComponent(segment);
  } catch {
    return undefined;
  }
}

function matchSegments(
  pattern: readonly string[],
  path: readonly string[],
): Record<string, string> | undefined {
  const isGreedy = pattern.at(-1)?.endsWith('+}') === true;
  if (isGreedy ? path.length < pattern.length : path.length !== pattern.length) return undefined;
  const params: Record<string, string> = {};
  for (const [index, segment] of pattern.entries()) {
    // The route reads a greedy segment from the request itself, where it is not decoded.
    if (segment.endsWith('+}')) return params;
    const part = path[index] ?? '';
    if (isParameter(segment)) {
      const value = decoded(part);
      if (value === undefined || value === '') return undefined;
      params[segment.slice(1, -1)] = value;
    } else if (segment !== part) {
      return undefined;
    }
  }
  return params;
}

const parametersOf = (path: string): number => path.split('/').filter(isParameter).length;

/** Orders literal segments before parameters, so that `/applications/key` is not read as an id. */
function literalsFirst<Deps>(a: CompiledRoute<Deps>, b: CompiledRoute<Deps>): number {
  return parametersOf(a.route.path) - parametersOf(b.route.path);
}

/**
 * The first segments of all paths of the service. A function knows only its own routes, so a test
 * compares this list with the routes of all functions.
 */
export const RESOURCES = [
  'tokens',
  'tokenize',
  'detokenize',
  'applications',
  'permissions',
  'tenants',
  'sessions',
  'access',
  'reactors',
  'runtimes',
  'proxies',
  'proxy',
  'logs',
] as const;

function noSuchPath([, first = '', ...rest]: readonly string[]): ServiceError {
  const isResource = (segment: string) => RESOURCES.some((resource) => resource === segment);
  const isKnown = isResource(first);
  const paths = RESOURCES.map((resource) => `/${resource}`);
  // A caller that writes `/v1/tokens` means `/tokens`.
  const near = isKnown
    ? undefined
    : (nearestName(first, RESOURCES) ??
      nearestName(first.replace(/ies$/i, 'y'), RESOURCES) ??
      rest.find(isResource));
  const hint = isKnown
    ? `See docs/api.md for those below /${first}.`
    : near === undefined
      ? `There are ${paths.join(', ')}.`
      : `Did you mean /${near}?`;
  return new ServiceError('not_found', `There is no such path. ${hint}`);
}

/**
 * Finds the route of a request. Throws `not_found` for an unknown path, and `method_not_allowed`
 * with `Allow` for a known path with another method.
 */
export function routeTable<Deps>(routes: readonly Route<Deps>[]) {
  const compiled = routes.map((route) => ({ route, segments: route.path.split('/') })).sort(literalsFirst);
  return (method: string, path: string) => {
    const segments = path.split('/');
    const matches = compiled.flatMap(({ route, segments: pattern }) => {
      const params = matchSegments(pattern, segments);
      return params === undefined ? [] : [{ route, params }];
    });
    const [first] = matches;
    if (first === undefined) throw noSuchPath(segments);
    // `/tokens/search` is an operation and never a token with that id.
    const ofPath = matches.filter(({ route }) => parametersOf(route.path) === parametersOf(first.route.path));
    const match = ofPath.find(({ route }) => route.method === method);
    if (match !== undefined) return match;
    const allow = [...new Set(ofPath.map(({ route }) => route.method))].sort().join(', ');
    throw new ServiceError('method_not_allowed', `The path ${first.route.path} takes ${allow}.`, {
      headers: { Allow: allow },
    });
  };
}
