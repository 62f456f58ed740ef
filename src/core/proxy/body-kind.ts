/**
 * What a media type says a body is. `other`: its content decides
 * (docs/contract.md#what-is-forwarded).
 */
export type BodyKind =
  | 'binary'
  | 'form'
  | 'multipart'
  /** Has headers and a body of its own, which are not looked into. */
  | 'message'
  | 'xml'
  | 'json-lines'
  | 'json-sequence'
  /** Which of several types the receiver takes is unknown. */
  | 'ambiguous'
  | 'other';

const KINDS: readonly (readonly [pattern: RegExp, kind: BodyKind])[] = [
  [/^(?:image|audio|video|font)\/(?!svg)/, 'binary'],
  [/^application\/(?:octet-stream|pdf|zip|gzip|x-protobuf|protobuf|wasm)\b/, 'binary'],
  [/^application\/x-www-form-urlencoded$/, 'form'],
  [/^multipart\//, 'multipart'],
  [/^message\/|^application\/http$|^text\/rfc822-headers$/, 'message'],
  [/^(?:text|application)\/(?:html|xsl|xml-external-parsed-entity|xml-dtd)$|[/+.-]xml$/, 'xml'],
  // The names under which clients send one JSON text a line; none but ndjson and jsonl is
  // registered or proposed.
  [/[/+.](?:x-)?(?:ndjson|ldjson|jsonl|json-?lines|json-?stream)$|^application\/stream\+json$/, 'json-lines'],
  [/[/+](?:x-)?json-seq$/, 'json-sequence'],
];

/** The media type of a `Content-Type`, without its parameters; empty if there is none. */
export function mediaTypeOf(contentType: string): string {
  return contentType.split(';', 1)[0]?.trim().toLowerCase() ?? '';
}

/**
 * Whether a `Content-Type` names one type: no comma outside of a quoted parameter adds another, and
 * no value can.
 */
function isOneType(contentType: string): boolean {
  return !contentType.includes('{{') && !contentType.replace(/="[^"\\]*"/g, '').includes(',');
}

export function bodyKind(contentType: string): BodyKind {
  if (!isOneType(contentType)) return 'ambiguous';
  const mediaType = mediaTypeOf(contentType);
  return KINDS.find(([pattern]) => pattern.test(mediaType))?.[1] ?? 'other';
}

/** The first character of a text that is not blank; a byte order mark counts as blank. */
function firstCharacter(text: string): string {
  // Character by character: megabytes of spaces are too many for a regular expression.
  let at = 0;
  while (at < text.length && text.charAt(at).trim() === '') at += 1;
  return text.charAt(at);
}

/** Whether a text may be JSON that holds a string: anything else holds no expression. */
export function mayBeJson(text: string): boolean {
  return ['{', '[', '"'].includes(firstCharacter(text));
}

/**
 * Whether a body that is not JSON claims to be: its type names JSON, or there is no type and it
 * begins like JSON.
 */
export function claimsJson(mediaType: string, text: string): boolean {
  return mediaType === '' ? ['{', '['].includes(firstCharacter(text)) : mediaType.includes('json');
}
