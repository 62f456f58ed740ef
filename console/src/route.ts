/** A place in the console. It is the fragment of the address, so no server sees it. */
export interface Route {
  /** Such as `['tokens', '0b7f7f4e-7a43-4a52-9d2b-0c3f6ad1d3c8']`. */
  readonly path: readonly string[];
  readonly query: Readonly<Record<string, string>>;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Parses `#/trail?token_id=...`. Any text is a route; views reject what they do not know. */
export function parseRoute(hash: string): Route {
  const [path = '', query = ''] = hash.replace(/^#?\/?/, '').split(/\?(.*)/s, 2);
  return {
    path: path
      .split('/')
      .filter((part) => part !== '')
      .map(decoded),
    query: Object.fromEntries(new URLSearchParams(query)),
  };
}

/**
 * The link to a place. Only ids, containers, names of operations and times may be in it: the
 * browser stores addresses in its history.
 */
export function linkTo(
  path: readonly string[],
  query: Readonly<Record<string, string | undefined>> = {},
): string {
  const chosen = Object.entries(query).filter((entry): entry is [string, string] => Boolean(entry[1]));
  const text = new URLSearchParams(chosen).toString();
  return `#/${path.map(encodeURIComponent).join('/')}${text === '' ? '' : `?${text}`}`;
}

/** Names a thing that does not exist yet: no id has this character (docs/contract.md#token-ids). */
export const NEW = '+';
