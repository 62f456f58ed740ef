import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startLimited } from '../limited-process.ts';
import { aDynamoDb } from './a-dynamodb.ts';

const MEGABYTE = 1024;

/** A file size limit simulates a full disk; only on Linux can another process lift it. */
const onLinux = process.platform === 'linux' ? it : it.skip;

onLinux(
  'a full disk loses no acknowledged write, and writes continue when there is room',
  async () => {
    const directory = mkdtempSync(join(tmpdir(), 'full-'));
    try {
      const script = join(import.meta.dirname, 'full-disk-writer.ts');
      const writer = startLimited(script, [directory], MEGABYTE);
      await writer.until('full');
      writer.makeRoom();
      await writer.until('done');
      const lines = await writer.kill();
      const stored = lines.filter((line) => line.startsWith('stored ')).map((line) => line.slice(7));
      expect(stored.length).toBeGreaterThan(60);
      expect(lines.filter((line) => !line.startsWith('stored '))).toEqual([
        `reported the disk of ${directory} is full: writes are refused until there is room`,
        'while full 0 are missing',
        'full',
        'with room 0 are missing',
        'done',
      ]);

      const { send, service } = await aDynamoDb(directory);
      const found = await Promise.all(
        stored.map((name) => send('GetItem', { TableName: 'Plain', Key: { id: { S: name } } })),
      );
      expect(stored.filter((_name, index) => found[index]?.Item === undefined)).toEqual([]);
      await service.close();
    } finally {
      rmSync(directory, { recursive: true });
    }
  },
  30_000,
);
