import type { Secret } from '../shared/secret.ts';
import { invalid, ServiceError } from '../shared/service-error.ts';
import { COUNTED_BYTES, countedBytes } from './configuration-size.ts';
import { STORED_PROXY_LIMITS, type ProxyConfiguration } from './stored-proxy.ts';

/** Throws if a configuration has too many entries, or is too large. */
export function checkConfiguration(configuration: Secret<ProxyConfiguration>): void {
  const values = configuration.reveal();
  const { configuration: most, configurationBytes } = STORED_PROXY_LIMITS;
  if (Object.keys(values).length > most)
    throw invalid('configuration', `must be at most ${String(most)} entries`);
  const bytes = Object.entries(values).reduce((sum, entry) => sum + countedBytes(entry), 0);
  if (bytes > configurationBytes)
    throw new ServiceError(
      'payload_too_large',
      `The configuration is at most ${String(configurationBytes)} bytes of JSON, where each value counts as whole ${String(COUNTED_BYTES)} bytes.`,
    );
}
