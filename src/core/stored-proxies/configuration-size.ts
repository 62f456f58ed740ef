import type { ConfigurationValue } from './stored-proxy.ts';

/**
 * Values count in steps of so many bytes: who may only change a proxy could otherwise measure a
 * secret by what still fits beside it.
 */
export const COUNTED_BYTES = 1_000;

/** The bytes that a value counts in the limits of a configuration. */
export const countedBytes = (entry: readonly [name: string, ConfigurationValue]): number =>
  Math.ceil(Buffer.byteLength(JSON.stringify(entry)) / COUNTED_BYTES) * COUNTED_BYTES;
