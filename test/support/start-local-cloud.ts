import { runService, TEST_SETTINGS, type RunningService } from './run-service.ts';

declare global {
  var localCloud: RunningService | undefined;
}

/**
 * Starts the service like `npm start`, once for all end-to-end tests. A scheduled minute takes five
 * seconds: every tick costs a third of a second of processor time.
 */
export default async function startLocalCloud(): Promise<void> {
  const service = await runService(['--tick', '5', ...TEST_SETTINGS]);
  process.env['CLOAKROOM_CREDENTIALS'] = service.credentialsFile;
  globalThis.localCloud = service;
}
