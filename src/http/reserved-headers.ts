import { EDGE_HEADER } from './edge-secret.ts';

/**
 * Headers of the interface as they are without their prefix (docs/contract.md#reserved-headers).
 */
export type ReservedHeader =
  | 'api-key'
  | 'trace-id'
  | 'idempotency-key'
  | 'transform'
  | 'proxy-url'
  | 'proxy-key'
  | 'proxy-keep-alive'
  | 'proxy-connection'
  | 'proxy-destination-status'
  | 'proxy-location'
  | 'stopped-proxies';

/** The reserved headers that a response may have. Routes set no others. */
export type ResponseHeader = Extract<
  ReservedHeader,
  'trace-id' | 'proxy-destination-status' | 'stopped-proxies'
>;

/**
 * Reads and writes the reserved headers of one request under the prefixes of the deploy setting
 * `headerPrefixes`.
 */
export interface ReservedHeaders {
  /** Reads the value under any listed prefix. The first prefix of the list wins. */
  get(name: ReservedHeader): string | undefined;
  /** The name of a header in the response, which has the prefix of the request. */
  nameOf(name: ReservedHeader): string;
  /**
   * Whether a lower-case name is reserved for the service, as all names under a prefix and the
   * edge's are.
   */
  isReserved(name: string): boolean;
}

/** Expects `headers` in lower case, and `prefixes` as they are configured (`SVC`). */
export function reservedHeaders(
  headers: Readonly<Record<string, string>>,
  prefixes: readonly string[],
): ReservedHeaders {
  const isUsed = (prefix: string) =>
    Object.keys(headers).some((name) => name.startsWith(`${prefix.toLowerCase()}-`));
  const respondingPrefix = prefixes.find(isUsed) ?? prefixes[0] ?? 'SVC';
  return {
    get(name) {
      for (const prefix of prefixes) {
        const value = headers[`${prefix.toLowerCase()}-${name}`];
        if (value !== undefined) return value;
      }
      return undefined;
    },
    isReserved: (name) =>
      name === EDGE_HEADER || prefixes.some((prefix) => name.startsWith(`${prefix.toLowerCase()}-`)),
    nameOf: (name) => `${respondingPrefix}-${name.toUpperCase()}`,
  };
}
