import { runService, TEST_SETTINGS, type RunningService } from './run-service.ts';

declare global {
  var localCloud: RunningService | undefined;
}

/**
 * Starts the service like `npm start`, once for all end-to-end tests, with a fast clock for
 * schedules.
 */
export default async function startLocalCloud(): Promise<void> {
  const service = await runService(['--tick', '1', ...TEST_SETTINGS]);
  process.env['CLOAKROOM_CREDENTIALS'] = service.credentialsFile;
  globalThis.localCloud = service;
}
