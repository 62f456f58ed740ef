import { noteUse } from '../budgets.ts';

/**
 * Stops the shared local account of the end-to-end tests. Rejects if one of its responses differs
 * from the OpenAPI document.
 */
export default async function stopLocalCloud(): Promise<void> {
  const cloud = globalThis.localCloud;
  await cloud?.stop();
  const [checked = 'the contract was not checked', requests = '0'] =
    /contract: (\d+) responses checked.*/.exec(cloud?.output() ?? '') ?? [];
  noteUse('requests to the shared service', Number(requests));
  process.stdout.write(`${checked}\n`);
}
