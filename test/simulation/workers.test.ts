import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runInWorkers, type Pool } from './workers.ts';

const directory = mkdtempSync(join(tmpdir(), 'simulation-workers-'));
afterAll(() => {
  rmSync(directory, { recursive: true });
});

/** A module that reports each seed without a problem, after code that may end or stop it. */
function reporting(code: string): string {
  const file = join(directory, 'worker.mjs');
  const source = `process.on('message', (wanted) => {
    const { seed, size } = wanted;
    ${code}
    process.send({ seed, size, problems: seed === '7' ? ['lost: a write'] : [] });
  });
  process.send('ready');`;
  writeFileSync(file, source);
  return file;
}

function seeds(count: number): Pool['next'] {
  let last = 0;
  return () => (last < count ? { seed: String((last += 1)), size: 1 } : undefined);
}

const run = (code: string, more: Partial<Pool> = {}) =>
  runInWorkers({
    workers: 2,
    next: seeds(5),
    isEnough: ({ problems }) => problems.length > 0,
    module: reporting(code),
    ...more,
  });

it('workers report each run once', async () => {
  const reports = await run('');
  expect(reports.map(({ seed }) => seed).sort()).toEqual(['1', '2', '3', '4', '5']);
});

it.each([
  ['exits', 'process.exit(3)', '3'],
  ['exits as if all were well', 'process.exit(0)', '0'],
  ['is killed', "process.kill(process.pid, 'SIGKILL')", 'SIGKILL'],
])('a worker that %s in a run is a failure with the name of the seed', async (_name, end, how) => {
  await expect(run(`if (seed === '3') { ${end}; return; }`)).rejects.toThrow(
    `a worker ended in seed 3 (size 1) with ${how}`,
  );
});

it('a worker that hangs in a run is a failure with the name of the seed', async () => {
  await expect(run("if (seed === '3') for (;;);", { hangsAfterMs: 500 })).rejects.toThrow(
    'a worker ended in seed 3 (size 1) with SIGKILL',
  );
});

it('a worker that never starts is a failure', async () => {
  const module = join(directory, 'ends-at-once.mjs');
  writeFileSync(module, 'process.exit(0);');
  await expect(run('', { module })).rejects.toThrow('a worker ended in no seed with 0');
});

it('a report of another seed is a failure', async () => {
  await expect(
    run("wanted.seed; process.send({ seed: '0', size: 1, problems: [] }); return;"),
  ).rejects.toThrow('a worker reported seed 0 (size 1) instead of seed');
});

it('nothing is run after a report that is enough', async () => {
  const reports = await run('', { workers: 1, next: seeds(20) });
  expect(reports).toHaveLength(7);
});
