/** Stops the cloud that the end-to-end tests shared. */
export default async function stopLocalCloud(): Promise<void> {
  await globalThis.localCloud?.stop();
}
