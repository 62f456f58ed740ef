/**
 * Stops the cloud that the end-to-end tests shared. Rejects if an answer of it was not as the
 * OpenAPI document describes it.
 */
export default async function stopLocalCloud(): Promise<void> {
  const cloud = globalThis.localCloud;
  await cloud?.stop();
  const [checked = 'the contract was not checked'] =
    /contract: \d+ answers checked.*/.exec(cloud?.output() ?? '') ?? [];
  process.stdout.write(`${checked}\n`);
}
