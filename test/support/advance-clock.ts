import { control, type LocalAdministrator } from '../../packages/local-aws/src/control.ts';

/**
 * Moves the clock of a local account forward by whole seconds. This affects everything in that
 * account, so a test needs a separate service for it.
 */
export async function advanceClock(account: LocalAdministrator, seconds: number): Promise<void> {
  await control(account, 'clock', { method: 'PUT', body: JSON.stringify({ advance_seconds: seconds }) });
}
