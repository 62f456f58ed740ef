import { getMember } from './primordials.ts';

/** A member of something hostile: getters may throw, proxies refuse. */
export function memberOf(value: unknown, key: string | number): unknown {
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null) return undefined;
  try {
    return getMember(value, key) as unknown;
  } catch {
    return undefined;
  }
}
