import { open, rename, rm } from 'node:fs/promises';

/**
 * Writes to a new file and renames it, so that a crash or a full disk leaves either the old file or
 * the new one. The disk has it when this resolves. Readable by its owner only.
 */
export async function writeFileWhole(file: string, content: string | Uint8Array): Promise<void> {
  const unfinished = `${file}.new`;
  try {
    const handle = await open(unfinished, 'w', 0o600);
    try {
      await handle.writeFile(content);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(unfinished, file);
  } catch (error) {
    await rm(unfinished, { force: true }).catch(() => undefined);
    throw error;
  }
}
