import type { Random } from '../core/shared/platform.ts';

/**
 * The caller's trace id if it has 1 to 200 visible ASCII characters, else a new one
 * (docs/contract.md#reserved-headers).
 */
export function traceId(random: Random, header: string | undefined): string {
  return header !== undefined && /^[\x21-\x7e]{1,200}$/.test(header) ? header : random.uuid();
}
