import type { Token } from '../sdk.ts';

/**
 * What a person filters tokens by. A search may contain data, so only the container is ever in an
 * address.
 */
export interface TokenFilter {
  readonly container: string;
  readonly key: string;
  readonly value: string;
  /** A value that an index has, or terms of docs/contract.md#search-tokens. */
  readonly search: string;
}

const HAS_TERMS = /(?:^|\sAND\s)\s*(?:data|type|container|fingerprint|id|metadata\.[^\s:]+):/;

const quoted = (text: string): string => `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;

const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;
/** Digits as people write and copy them, in groups. */
const GROUPED = /^[\d -]+$/;

/** Terms as they are, an id as what it is, and any other text as a value. */
function termOf(text: string): string {
  if (HAS_TERMS.test(text)) return text;
  if (UUID.test(text)) return `id:${quoted(text.toLowerCase())}`;
  return `data:${quoted(GROUPED.test(text) ? text.replaceAll(/[ -]/g, '') : text)}`;
}

/** The query of a search; `undefined` if a list does. */
export function searchQueryOf({ container, key, value, search }: TokenFilter): string | undefined {
  const text = search.trim();
  if (text === '') return undefined;
  return [
    termOf(text),
    container === '' ? '' : `container:${quoted(container)}`,
    key === '' || value === '' ? '' : `metadata.${key}:${quoted(value)}`,
  ]
    .filter(Boolean)
    .join(' AND ');
}

/** What a list shows of masked data, on one line. */
export function summaryOf(data: Token['data']): string {
  if (data === undefined) return '';
  if (typeof data === 'string') return data;
  if (typeof data !== 'object' || data === null) return JSON.stringify(data);
  const texts = Object.values(data)
    .filter((member) => typeof member !== 'object')
    .map(String);
  return texts.length === 0 ? JSON.stringify(data) : texts.join(' · ');
}
