/**
 * A path as API Gateway passes it: `segments` are decoded once and decide the route, `raw` is
 * decoded twice.
 */
export interface RequestPath {
  readonly segments: readonly string[];
  readonly raw: string;
}

/**
 * Decodes a path like API Gateway (captures of format 2.0 in github.com/hotsock/voker): `/a%252Fb`
 * arrives as `/a/b`, `/a%3Fb` as `/a`. Returns `undefined` where AWS returns 400, as for `/a%25b`.
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
