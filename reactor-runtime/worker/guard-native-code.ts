import { binding, prototypeOf } from './bindings.ts';
import { refuser } from './refusal.ts';

/**
 * OpenSSL loads engines from files: native code that reactor code could have written to the temp folder. Before `crypto` is loaded, which copies
 * these functions.
 */
export function guardNativeCode(): void {
  const secureContext = prototypeOf('crypto', 'SecureContext');
  for (const name of ['setEngineKey', 'setClientCertEngine']) {
    secureContext[name] = refuser('engines of OpenSSL');
  }
  const native = binding('crypto');
  native['setEngine'] = refuser('engines of OpenSSL');
  // Of the whole process.
  native['setFipsCrypto'] = refuser('the FIPS mode');
}
