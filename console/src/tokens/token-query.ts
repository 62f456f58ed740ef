import type { Token } from '../sdk.ts';
import type { TokenFilter } from '../session/token-filter.ts';

const HAS_TERMS = /(?:^|\sAND\s)\s*(?:data|type|container|fingerprint|id|metadata\.[^\s:]+):/;

const quoted = (text: string): string => `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;

export const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;
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

/** Whether a metadata filter lacks its key or its value: it would filter nothing. */
export const isIncomplete = ({ key, value }: TokenFilter): boolean => (key === '') !== (value === '');

/** An expiry as people write it; empty if it has no month and year. */
function expiryOf(month: unknown, year: unknown): string {
  if (typeof month !== 'number' || typeof year !== 'number') return '';
  return `${String(month).padStart(2, '0')}/${String(year % 100).padStart(2, '0')}`;
}

/** Summarizes masked data for a list: its values, of which each stays on one line. */
export function summaryOf(data: Token['data']): readonly string[] {
  if (data === undefined) return [];
  if (typeof data !== 'object' || data === null)
    return [typeof data === 'string' ? data : JSON.stringify(data)];
  const {
    expiration_month: month,
    expiration_year: year,
    ...others
  } = data as Readonly<Record<string, unknown>>;
  const expiry = expiryOf(month, year);
  const all = expiry === '' ? Object.values(data) : [...Object.values(others), expiry];
  const texts = all.filter((member) => typeof member !== 'object').map(String);
  return texts.length === 0 ? [JSON.stringify(data)] : texts;
}
