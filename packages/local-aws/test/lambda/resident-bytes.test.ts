import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { residentBytes } from '../../src/lambda/custom-runtime/resident-bytes.ts';

it('the memory of a process includes its children, and none that have ended', async () => {
  const holder = `const filled = Buffer.alloc(150e6, 1); process.stdout.write('filled'); setInterval(() => filled, 1e9)`;
  const starter = `const { spawn } = require('node:child_process'); spawn(process.execPath, ['-e', process.argv[1]], { stdio: ['ignore', 'inherit', 'ignore'] }); setInterval(() => {}, 1e9)`;
  const child = spawn(process.execPath, ['-e', starter, holder], {
    stdio: ['ignore', 'pipe', 'ignore'],
    detached: true,
  });
  await once(child.stdout, 'data');
  const pid = child.pid ?? 0;
  expect(residentBytes(pid)).toBeGreaterThan(180e6);
  expect(residentBytes(pid)).toBeLessThan(400e6);
  const ended = once(child, 'exit');
  process.kill(-pid, 'SIGKILL');
  await ended;
  expect(residentBytes(pid)).toBe(0);
});
