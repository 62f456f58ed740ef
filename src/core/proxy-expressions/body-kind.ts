/**
 * The kind of a body by its media type. For `other`, the content decides
 * (docs/contract.md#what-is-forwarded).
 */
export type BodyKind =
  | 'binary'
  | 'form'
  | 'multipart'
  /** Has headers and a body, which the proxy does not read. */
  | 'message'
  | 'xml'
  | 'json-lines'
  | 'json-sequence'
  /** Several types may apply, and it is unknown which of them the receiver uses. */
  | 'ambiguous'
  | 'other';

const KINDS: readonly (readonly [pattern: RegExp, kind: BodyKind])[] = [
  [/^(?:image|audio|video|font)\/(?!svg)/, 'binary'],
  [/^application\/(?:octet-stream|pdf|zip|gzip|x-protobuf|protobuf|wasm)\b/, 'binary'],
  [/^application\/x-www-form-urlencoded$/, 'form'],
  [/^multipart\//, 'multipart'],
  [/^message\/|^application\/http$|^text\/rfc822-headers$/, 'message'],
  [/^(?:text|application)\/(?:html|xsl|xml-external-parsed-entity|xml-dtd)$|[/+.-]xml$/, 'xml'],
  // The names that clients use for one JSON text per line; only ndjson and jsonl are registered or
  // proposed.
  [/[/+.](?:x-)?(?:ndjson|ldjson|jsonl|json-?lines|json-?stream)$|^application\/stream\+json$/, 'json-lines'],
  [/[/+](?:x-)?json-seq$/, 'json-sequence'],
];

/** The media type of a `Content-Type` without its parameters; empty if there is none. */
export function mediaTypeOf(contentType: string): string {
  return contentType.split(';', 1)[0]?.trim().toLowerCase() ?? '';
}

/**
 * Whether a `Content-Type` names a single type: it has no comma outside of quoted parameters, and
 * no value can add one.
 */
function isOneType(contentType: string): boolean {
  return !contentType.includes('{{') && !contentType.replace(/="[^"\\]*"/g, '').includes(',');
}

export function bodyKind(contentType: string): BodyKind {
  if (!isOneType(contentType)) return 'ambiguous';
  const mediaType = mediaTypeOf(contentType);
  return KINDS.find(([pattern]) => pattern.test(mediaType))?.[1] ?? 'other';
}

/** The first non-blank character of a text; a byte order mark counts as blank. */
function firstCharacter(text: string): string {
  // This is a loop because megabytes of spaces are too many for a regular expression.
  let at = 0;
  while (at < text.length && text.charAt(at).trim() === '') at += 1;
  return text.charAt(at);
}

/** Whether a text may be JSON with a string in it: other JSON contains no expression. */
export function mayBeJson(text: string): boolean {
  return ['{', '[', '"'].includes(firstCharacter(text));
}

export function beginsLikeJson(text: string): boolean {
  return ['{', '['].includes(firstCharacter(text));
}

/**
 * Whether a body that is not JSON claims to be JSON: its type names JSON, or it has no type and
 * starts like JSON.
 */
export function claimsJson(mediaType: string, text: string): boolean {
  return mediaType === '' ? beginsLikeJson(text) : mediaType.includes('json');
}
