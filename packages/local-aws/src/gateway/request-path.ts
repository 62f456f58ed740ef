/**
 * A path as API Gateway passes it: `segments` are decoded once and decide the route, `raw` is
 * decoded twice.
 */
export interface RequestPath {
  readonly segments: readonly string[];
  readonly raw: string;
}

/**
 * How API Gateway treats the path of a request, observed on AWS (github.com/hotsock/voker, live
 * captures of HTTP APIs with payload format 2.0): it decodes the path, cuts it at a decoded `?`,
 * and decodes it once more. `/a%20b` arrives as `/a b`, `/a%252Fb` as `/a/b`, `/a%3Fb` as `/a`.
 * `undefined` if that fails (`/a%25b`), for which AWS returns 400.
 */
export function requestPath(path: string): RequestPath | undefined {
  if (!path.includes('%')) return { segments: path.slice(1).split('/'), raw: path };
  try {
    const [once = ''] = decodeURIComponent(path).split('?', 1);
    return { segments: once.slice(1).split('/'), raw: decodeURIComponent(once) };
  } catch {
    return undefined;
  }
}
