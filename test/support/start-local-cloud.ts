import { runService, TEST_SETTINGS, type RunningService } from './run-service.ts';

declare global {
  var localCloud: RunningService | undefined;
}

/**
 * Starts the service like `npm start`, once for all end-to-end tests. A suite whose clock has to
 * move starts its own.
 */
export default async function startLocalCloud(): Promise<void> {
  const service = await runService(TEST_SETTINGS);
  process.env['CLOAKROOM_CREDENTIALS'] = service.credentialsFile;
  globalThis.localCloud = service;
}
