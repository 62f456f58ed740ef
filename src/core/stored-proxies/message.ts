import { readName } from '../proxy-expressions/request-headers.ts';
import { contentOfBytes } from '../shared/content.ts';
import type { HeaderFields } from '../egress/egress-client.ts';

/** A part of a header that is filled in last of all. */
type DeferredPiece = string | { readonly configuration: string };

/** A header whose value has values of the configuration, which no transform sees. */
export interface DeferredField {
  readonly name: string;
  readonly pieces: readonly DeferredPiece[];
}

/** A request or a response while transforms work on it. It may have plaintext. */
export interface Message {
  readonly method: string;
  /** The path below the destination, encoded; empty or starting with `/`. */
  readonly path: string;
  /** Present in a response. */
  readonly status?: number;
  /** Headers as they arrived, as far as no transform removed them. */
  readonly headers: HeaderFields;
  /** Headers that transforms set. */
  readonly ownHeaders: HeaderFields;
  /** Headers of a request that have values of the configuration. */
  readonly deferred: readonly DeferredField[];
  readonly body: Buffer;
}

const isSame = (one: string, other: string): boolean => readName(one) === readName(other);

/** Keeps the headers whose name, in lower case, passes. */
function filtered(message: Message, keeps: (name: string) => boolean): Message {
  return {
    ...message,
    headers: message.headers.filter(([name]) => keeps(name.toLowerCase())),
    ownHeaders: message.ownHeaders.filter(([name]) => keeps(name.toLowerCase())),
    deferred: message.deferred.filter(({ name }) => keeps(name.toLowerCase())),
  };
}

export const withoutHeader = (message: Message, name: string): Message =>
  filtered(message, (each) => !isSame(each, name));

export function withOnlyHeaders(message: Message, names: readonly string[]): Message {
  const allowed = new Set(names.map((name) => name.toLowerCase()));
  return filtered(message, (name) => allowed.has(name));
}

/** Sets a header in the place of all with its name. */
export function withHeader(message: Message, name: string, value: string): Message {
  const without = withoutHeader(message, name);
  return { ...without, ownHeaders: [...without.ownHeaders, [name, value]] };
}

/** Sets a header that is filled in last of all, in the place of all with its name. */
export function withDeferredHeader(message: Message, field: DeferredField): Message {
  const without = withoutHeader(message, field.name);
  return { ...without, deferred: [...without.deferred, field] };
}

/** Changes every header, or removes it. */
export function withEachHeader(
  message: Message,
  change: (name: string, value: string) => string | undefined,
): Message {
  const changed = (fields: HeaderFields): HeaderFields =>
    fields.flatMap(([name, value]) => {
      const next = change(name, value);
      return next === undefined ? [] : [[name, next] as const];
    });
  return { ...message, headers: changed(message.headers), ownHeaders: changed(message.ownHeaders) };
}

/** All headers that can be seen: those that arrived, and those that transforms set. */
export const headersOf = ({ headers, ownHeaders }: Message): HeaderFields => [...headers, ...ownHeaders];

export const withBody = (message: Message, body: Buffer): Message => ({ ...message, body });

/** The text of a body; `undefined` if it is not UTF-8. */
export const textOfBody = ({ body }: Message): string | undefined => contentOfBytes(body).text;
