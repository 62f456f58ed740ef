import { control, type LocalAdministrator } from '../../packages/local-aws/src/control.ts';

/** Sets the faults of a local account; without any, removes all. */
export async function setFaults(account: LocalAdministrator, faults: readonly string[]): Promise<void> {
  await control(account, 'faults', { method: 'PUT', body: JSON.stringify(faults) });
}
