import { runService, type RunningService } from './run-service.ts';

declare global {
  var localCloud: RunningService | undefined;
}

/**
 * Settings of the shared cloud: a cvc lives long enough to be read and short enough to be waited
 * for.
 */
const SETTINGS = [
  'cvcLifetimeSeconds=20',
  'throttleRate=100000',
  'throttleBurst=100000',
  // Reactors are made by the dozen here; instances that nobody asked for would only take memory.
  'hotConcurrency=0',
];

/**
 * Starts the service as `npm start` does, once for all end-to-end tests, with a fast clock for
 * schedules.
 */
export default async function startLocalCloud(): Promise<void> {
  const service = await runService(['--tick', '1', ...SETTINGS.flatMap((setting) => ['--set', setting])]);
  process.env['CLOAKROOM_CREDENTIALS'] = service.credentialsFile;
  globalThis.localCloud = service;
}
