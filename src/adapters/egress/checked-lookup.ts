import { lookup as systemLookup, type LookupAddress } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { isForbiddenAddress } from '../../core/egress/forbidden-address.ts';

/** A name leads to an address that the service must not connect to. */
export class ForbiddenAddressError extends Error {
  constructor() {
    super('the name leads to a forbidden address');
    this.name = 'ForbiddenAddressError';
  }
}

/** Looks all addresses of a name up; a port, so that tests can have names of their own. */
export type ResolveAll = (
  hostname: string,
  done: (error: Error | null, addresses?: readonly LookupAddress[]) => void,
) => void;

const resolveBySystem: ResolveAll = (hostname, done) => {
  systemLookup(hostname, { all: true, order: 'verbatim' }, done);
};

/**
 * A `lookup` for sockets that refuses a name if any of its addresses is forbidden. The socket
 * connects to what this answers, so there is no second resolution in which the name could lead
 * elsewhere.
 */
export function checkedLookup(resolveAll: ResolveAll = resolveBySystem): LookupFunction {
  return (hostname, options, callback) => {
    // Node leaves the addresses out of a failed look-up.
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
