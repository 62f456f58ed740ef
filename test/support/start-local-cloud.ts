import { installationOf } from '../../tools/test/programs.ts';
import { testCertificate } from './destination.ts';
import { packForAll } from './packed-packages.ts';
import { runService, TEST_SETTINGS, type RunningService } from './run-service.ts';

declare global {
  var localCloud: RunningService | undefined;
}

/**
 * Starts the service like `npm start`, once for all end-to-end tests. A suite whose clock has to
 * move starts its own.
 */
export default async function startLocalCloud(): Promise<void> {
  const certificate = installationOf('openssl') === undefined ? testCertificate() : undefined;
  const trust = certificate === undefined ? [] : ['--trust', certificate.certFile];
  const [service] = await Promise.all([
    runService([...TEST_SETTINGS, ...trust]),
    // A run of some suites packs what they need.
    process.env['CLOAKROOM_TESTS'] === undefined ? undefined : packForAll(),
  ]);
  process.env['CLOAKROOM_CREDENTIALS'] = service.credentialsFile;
  // targets/local.ts serves its destinations with it.
  process.env['CLOAKROOM_CERTIFICATE'] = certificate === undefined ? '' : JSON.stringify(certificate);
  globalThis.localCloud = service;
}
