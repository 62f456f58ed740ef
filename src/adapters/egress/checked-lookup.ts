import { lookup as systemLookup, type LookupAddress } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { isForbiddenAddress } from '../../core/egress/is-forbidden-address.ts';

/** Reports a name that resolves to a forbidden address. */
export class ForbiddenAddressError extends Error {
  constructor() {
    super('the name leads to a forbidden address');
    this.name = 'ForbiddenAddressError';
  }
}

/** Resolves all addresses of a name. It is a port so that tests can define names. */
export type ResolveAll = (
  hostname: string,
  done: (error: Error | null, addresses?: readonly LookupAddress[]) => void,
) => void;

const resolveBySystem: ResolveAll = (hostname, done) => {
  systemLookup(hostname, { all: true, order: 'verbatim' }, done);
};

/**
 * A `lookup` for sockets that rejects a name if any of its addresses is forbidden. The socket
 * connects to the returned address, so no second resolution can lead elsewhere.
 */
export function checkedLookup(resolveAll: ResolveAll = resolveBySystem): LookupFunction {
  return (hostname, options, callback) => {
    // Node passes no addresses after a failed lookup.
    resolveAll(hostname, (error, addresses = []) => {
      const [first] = addresses;
      if (error !== null || first === undefined) {
        callback(error ?? new Error('the name has no address'), '', 0);
      } else if (addresses.some(({ address }) => isForbiddenAddress(address))) {
        callback(new ForbiddenAddressError(), '', 0);
      } else if (options.all === true) {
        callback(null, [...addresses]);
      } else {
        callback(null, first.address, first.family);
      }
    });
  };
}
