/**
 * A path as API Gateway hands it on: `segments` are decoded once and decide the route, `raw` is
 * decoded twice.
 */
export interface RequestPath {
  readonly segments: readonly string[];
  readonly raw: string;
}

/**
 * What API Gateway makes of the path of a request, observed on AWS (github.com/hotsock/voker, live
 * captures of HTTP APIs with payload format 2.0): the path is decoded, cut at a `?` that this lays
 * bare, and decoded once more. `/a%20b` arrives as `/a b`, `/a%252Fb` as `/a/b`, `/a%3Fb` as `/a`.
 * `undefined` if that fails (`/a%25b`), which AWS answers with 400.
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
