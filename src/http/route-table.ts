import { ServiceError } from '../core/shared/service-error.ts';
import type { Route } from './route.ts';

interface CompiledRoute<Deps> {
  readonly route: Route<Deps>;
  readonly segments: readonly string[];
}

const isParameter = (segment: string): boolean => segment.startsWith('{');

/** A path segment decoded once; what cannot be decoded names nothing. */
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
    // What a greedy segment takes is read from the request itself, where it is not decoded.
    if (segment.endsWith('+}')) return params;
    const given = path[index] ?? '';
    if (isParameter(segment)) {
      const value = decoded(given);
      if (value === undefined || value === '') return undefined;
      params[segment.slice(1, -1)] = value;
    } else if (segment !== given) {
      return undefined;
    }
  }
  return params;
}

/** Literal segments before parameters: `/applications/key` is not an id. */
function literalsFirst<Deps>(a: CompiledRoute<Deps>, b: CompiledRoute<Deps>): number {
  return a.segments.filter(isParameter).length - b.segments.filter(isParameter).length;
}

/**
 * Finds the route of a request. Throws `not_found` for a path that no route has, and
 * `method_not_allowed` with `Allow` for a path that others have.
 */
export function routeTable<Deps>(routes: readonly Route<Deps>[]) {
  const compiled = routes.map((route) => ({ route, segments: route.path.split('/') })).sort(literalsFirst);
  return (method: string, path: string) => {
    const segments = path.split('/');
    const matches = compiled.flatMap(({ route, segments: pattern }) => {
      const params = matchSegments(pattern, segments);
      return params === undefined ? [] : [{ route, params }];
    });
    const match = matches.find(({ route }) => route.method === method);
    if (match !== undefined) return match;
    if (matches.length === 0) throw new ServiceError('not_found', 'There is no such path.');
    const allow = [...new Set(matches.map(({ route }) => route.method))].sort().join(', ');
    throw new ServiceError('method_not_allowed', `The path does not have this method.`, {
      headers: { Allow: allow },
    });
  };
}
