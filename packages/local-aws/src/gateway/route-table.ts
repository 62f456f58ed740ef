/** A route that matched, and the values of its path variables. */
export interface RouteMatch<Target> {
  readonly routeKey: string;
  readonly target: Target;
  /** Decoded values by name; empty if the route has no variables. */
  readonly pathParameters: Readonly<Record<string, string>>;
}

interface Segment {
  readonly kind: 'literal' | 'variable' | 'greedy';
  readonly name: string;
}

interface Route<Target> {
  readonly routeKey: string;
  readonly method: string;
  readonly segments: readonly Segment[];
  readonly target: Target;
}

const kindOrder = { literal: 0, variable: 1, greedy: 2 } as const;

function parseSegment(text: string): Segment {
  const variable = /^\{([^}+]+)(\+?)\}$/.exec(text);
  if (variable?.[1] === undefined) return { kind: 'literal', name: text };
  return { kind: variable[2] === '+' ? 'greedy' : 'variable', name: variable[1] };
}

function parseRoute<Target>(routeKey: string, target: Target): Route<Target> {
  const [method = '', path = ''] = routeKey.split(' ');
  if (!path.startsWith('/')) throw new Error(`not a route key: ${routeKey}`);
  const segments = path.slice(1).split('/').map(parseSegment);
  const greedy = segments.findIndex(({ kind }) => kind === 'greedy');
  if (greedy !== -1 && greedy !== segments.length - 1)
    throw new Error(`greedy variable before the end: ${routeKey}`);
  return { routeKey, method, segments, target };
}

/**
 * Sorts the more specific route first. Segment by segment, a literal precedes a variable, which
 * precedes a greedy variable. Then a method precedes ANY.
 */
function bySpecificity(a: Route<unknown>, b: Route<unknown>): number {
  for (const [index, segment] of a.segments.entries()) {
    const other = b.segments[index];
    if (other === undefined) break;
    const difference = kindOrder[segment.kind] - kindOrder[other.kind];
    if (difference !== 0) return difference;
  }
  return b.segments.length - a.segments.length || Number(a.method === 'ANY') - Number(b.method === 'ANY');
}

function decodeVariable(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}

function matchSegments(
  segments: readonly Segment[],
  values: readonly string[],
): Readonly<Record<string, string>> | undefined {
  const parameters: Record<string, string> = {};
  for (const [index, { kind, name }] of segments.entries()) {
    const value = values[index];
    if (kind === 'greedy') {
      // `/x/{rest+}` takes `/x/` with an empty rest, but not `/x`
      // (github.com/storacha/w3infra/pull/166).
      if (value === undefined) return undefined;
      parameters[name] = decodeVariable(values.slice(index).join('/'));
      return parameters;
    }
    if (value === undefined || (kind === 'literal' ? value !== name : value === '')) return undefined;
    if (kind === 'variable') parameters[name] = decodeVariable(value);
  }
  return values.length === segments.length ? parameters : undefined;
}

/** Finds the route of a request, by API Gateway's precedence for HTTP APIs. */
export type RouteTable<Target> = (
  method: string,
  segments: readonly string[],
) => RouteMatch<Target> | undefined;

export function createRouteTable<Target>(
  routes: readonly { routeKey: string; target: Target }[],
): RouteTable<Target> {
  const fallback = routes.find(({ routeKey }) => routeKey === '$default');
  const sorted = routes
    .filter((route) => route !== fallback)
    .map(({ routeKey, target }) => parseRoute(routeKey, target))
    .sort(bySpecificity);

  return (method, segments) => {
    for (const route of sorted) {
      if (route.method !== method && route.method !== 'ANY') continue;
      const pathParameters = matchSegments(route.segments, segments);
      if (pathParameters !== undefined)
        return { routeKey: route.routeKey, target: route.target, pathParameters };
    }
    return fallback && { routeKey: '$default', target: fallback.target, pathParameters: {} };
  };
}
