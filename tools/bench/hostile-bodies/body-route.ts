import { anEvent } from '../an-event.ts';
import { HOSTILE_VALUES } from './hostile-values.ts';

export type ApiFolder = 'tokens' | 'applications' | 'proxies' | 'proxy' | 'reactors';

/** A request that is as expensive for a route as a caller can make it. */
export interface HostileRequest {
  /** Method and path of the route. */
  readonly route: string;
  readonly folder: ApiFolder;
  /** Describes what is hostile about it. */
  readonly what: string;
  /** The same with a small body, to warm up an instance. */
  readonly warmUp: object;
  /** The event, created on demand, since each has megabytes. */
  readonly event: () => object | Promise<object>;
  /** The runtime of a reactor returns it for hostile arguments. */
  readonly payload?: () => string;
}

/** The place in a body that contains the hostile value. */
export interface HostilePlace {
  readonly name: string;
  readonly before: string;
  readonly after: string;
  /** Bytes of the whole body; the route's limit by default. */
  readonly bytes?: number;
}

export interface BodyRoute {
  readonly folder: ApiFolder;
  readonly method: string;
  readonly pattern: string;
  /** The path that a request has. Default: the pattern. */
  readonly path?: string;
  readonly key: string;
  readonly id?: string;
  /** The id in the request that warms up an instance: the other one may have grown. */
  readonly warmUpId?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly maxBytes?: number;
  readonly places: readonly HostilePlace[];
  readonly values: keyof typeof VALUES;
}

export const BODY_MAX_BYTES = 6_000_000;

/** Each value is expensive for a different reason. */
export const DEAREST = [
  '[[],[],...]',
  'objects of other names',
  'members of long names',
  'long names with a quote',
  'objects with other escaped names',
  'a text of control characters',
];
/** Used for routes that only read the body, because all routes read it in the same way. */
export const FEW = ['objects of other names', 'long names with a quote'];

const VALUES = { all: undefined, dearest: DEAREST, few: FEW } as const;

export const valuesOf = (names: readonly string[]) =>
  HOSTILE_VALUES.filter(({ name }) => names.includes(name));

export const WHOLE: HostilePlace = { name: 'body', before: '', after: '' };
export const member = (name: string, rest = ''): HostilePlace => ({
  name,
  before: `{${rest}${rest === '' ? '' : ','}"${name}":`,
  after: '}',
});

/** The event of a body as text, which may be invalid JSON. */
function withBody(event: object, body: string): object {
  return { ...event, body };
}

export function requestsOf(route: BodyRoute): readonly HostileRequest[] {
  const { folder, method, pattern, path = pattern, key, id, headers, maxBytes = BODY_MAX_BYTES } = route;
  const event = anEvent({
    method,
    path,
    key,
    ...(id !== undefined && { id }),
    ...(headers !== undefined && { headers }),
  });
  const { warmUpId = id } = route;
  const warm = anEvent({
    method,
    path: path.replace(id ?? path, warmUpId ?? path),
    key,
    ...(warmUpId !== undefined && { id: warmUpId }),
    ...(headers !== undefined && { headers }),
  });
  const values = HOSTILE_VALUES.filter(({ name }) => VALUES[route.values]?.includes(name) ?? true);
  return route.places.flatMap(({ name: place, before, after, bytes = maxBytes }) =>
    values.map(({ name, text }) => ({
      route: `${method} ${pattern}`,
      folder,
      what: `${place}: ${name}`,
      warmUp: withBody(warm, '{}'),
      event: () => withBody(event, `${before}${text(bytes - before.length - after.length)}${after}`),
    })),
  );
}
