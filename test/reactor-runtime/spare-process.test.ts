import { existsSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ReactorProcess } from '../support/runtime-api.ts';
import { memoryBounds } from '../../reactor-runtime/loop/memory-bounds.ts';
import { IMAGES } from '../../src/core/reactors/layer.ts';
import { AMPLE_MS, reactorsOn } from './a-reactor.ts';
import { childrenOf, until, untilIdle } from './processes-of-reactor.ts';

// A reactor's process and its spare one, as the kernel shows them.

/**
 * Returns its process's number; if it `waits`, once the temp folder has a file `go`. With `fills`
 * it allocates that memory, and 1 MB more for each file `0`, `1`, ... until there is `stop`.
 */
const CODE = `const fs = require('fs');
module.exports = async ({ args }) => {
  const all = [Buffer.alloc(args.fills || 0, 1)];
  const waitFor = async (name) => {
    while (!fs.existsSync(require('os').tmpdir() + '/' + name)) await new Promise((r) => setTimeout(r, 5));
  };
  for (let at = 0; args.fills; at += 1) {
    all.push(Buffer.alloc(1e6, 1));
    await waitFor(String(at));
    if (fs.existsSync(require('os').tmpdir() + '/stop')) break;
  }
  if (args.waits) await waitFor('go');
  return process.pid;
};`;

/** The kernel's letter: `T` is stopped. */
const stateOf = (pid: number) => /\) (\w)/.exec(readFileSync(`/proc/${String(pid)}/stat`, 'latin1'))?.[1];

/** MB of a process, in total and without what it shares. */
function memoryOf(pid: number | undefined): { readonly resident: number; readonly private: number } {
  const [, resident = 0, shared = 0] = readFileSync(`/proc/${String(pid)}/statm`, 'latin1')
    .split(' ')
    .map((pages) => (Number(pages) * 4096) / 1e6);
  return { resident, private: resident - shared };
}

const pipesOf = (pid: number) => [0, 1].map((at) => readlinkSync(`/proc/${String(pid)}/fd/${String(at)}`));

/**
 * Until the loop has measured the memory several times: it does so whenever it wakes up, however
 * long a busy machine delays it.
 */
async function looked(reactor: ReactorProcess): Promise<void> {
  const status = `/proc/${String(reactor.pid())}/status`;
  const wakes = () => Number(/^voluntary_ctxt_switches:\s(\d+)/m.exec(readFileSync(status, 'latin1'))?.[1]);
  const before = wakes();
  await until(() => wakes() >= before + 10);
}

/** The number of the process that responded; from then on there is a spare one. */
async function answered(reactor: ReactorProcess): Promise<number> {
  const { response } = await reactor.invoke({});
  return response.value as number;
}

/** No function has less memory, in MB. */
const MEMORY_MB = 128;

const two = (pids: readonly number[]) =>
  pids.length === 2 ? (pids as readonly [number, number]) : undefined;

const described = process.platform === 'linux' ? describe : describe.skip;

describe.each(IMAGES)('%s', (image) => {
  const { withReactor } = reactorsOn(image);

  described('the process that is started before it is needed', () => {
    it('is stopped while the active one responds, and takes over when that has ended', () =>
      withReactor(
        CODE,
        async (reactor) => {
          await answered(reactor);
          const [running, spare] = await until(() => two(childrenOf(reactor)));
          const invocation = reactor.invoke({ waits: true });
          await until(() => stateOf(running) !== 'T' && stateOf(spare) === 'T');
          writeFileSync(join(reactor.temp, 'go'), '');
          expect((await invocation).response).toEqual({ outcome: 'returned', value: running });
          expect(childrenOf(reactor)).not.toContain(running);
          expect(await answered(reactor)).toBe(spare);
          expect(reactor.started()).toBe(1);
        },
        { timeoutMs: AMPLE_MS },
      ));

    it('shares no pipe with the active one', () =>
      withReactor(CODE, async (reactor) => {
        await answered(reactor);
        const [one, other] = await until(() => two(childrenOf(reactor)));
        const pipes = await until(() => {
          const all = [...pipesOf(one), ...pipesOf(other)];
          return all.every((name) => /^(pipe|socket):/.test(name)) && all;
        });
        expect(new Set(pipes).size).toBe(4);
      }));

    it('is replaced when it has died', () =>
      withReactor(CODE, async (reactor) => {
        await answered(reactor);
        const [first, spare] = await until(() => two(childrenOf(reactor)));
        process.kill(spare, 'SIGKILL');
        await until(() => !childrenOf(reactor).includes(spare));
        expect(await answered(reactor)).toBe(first);
        expect([first, spare]).not.toContain(await answered(reactor));
        expect(reactor.started()).toBe(1);
      }));

    it('is ended when the invocation needs the memory', () =>
      withReactor(
        CODE,
        async (reactor) => {
          await answered(reactor);
          const [running, spare] = await until(() => two(childrenOf(reactor)));
          // It has started, so that its memory exceeds the growth between two measurements.
          await until(() => memoryOf(spare).private > 5);
          // Once it has grown, the bound is reached with it well before it is reached without.
          await untilIdle(spare);
          const used = memoryOf(reactor.pid()).resident + memoryOf(running).private + memoryOf(spare).private;
          // A few steps below the bound: on a busy machine, many steps collect garbage in memory.
          const fills = Math.round(memoryBounds(MEMORY_MB).residentBytes - (used + 6) * 1e6);
          const invocation = reactor.invoke({ fills });
          for (let at = 0; childrenOf(reactor).includes(spare); at += 1) {
            writeFileSync(join(reactor.temp, String(at)), '');
            await looked(reactor);
            if (!childrenOf(reactor).includes(running)) break;
          }
          writeFileSync(join(reactor.temp, 'stop'), '');
          for (let at = 0; at < 500; at += 1) {
            const file = join(reactor.temp, String(at));
            if (!existsSync(file)) writeFileSync(file, '');
          }
          expect((await invocation).response).toEqual({ outcome: 'returned', value: running });
          expect([running, spare]).not.toContain(await answered(reactor));
          expect(reactor.started()).toBe(1);
        },
        { memoryMb: MEMORY_MB, timeoutMs: 60_000 },
      ));
  });

  describe('the limit of the heap', () => {
    it('applies although modules are loaded under the flags of Node itself', () =>
      withReactor(
        `module.exports = () => {
        const all = [];
        for (let at = 0; ; at += 1) {
          all.push(new Array(1e5).fill(at + 0.5));
          if (at % 10 === 0) console.log('heap', Math.round(process.memoryUsage().heapUsed / 1e6));
        }
      };`,
        async (reactor) => {
          // 272 MB in addition to the young generation; loop and process may use 448 MB together.
          const { response } = await reactor.invoke({});
          expect(response).toEqual({ outcome: 'out_of_memory' });
          // The output takes another way than the response.
          await until(() => /heap \d{3}/.test(reactor.printed()));
          const sizes = [...reactor.printed().matchAll(/heap (\d+)/g)].map(([, mb]) => Number(mb));
          expect(Math.max(...sizes)).toBeGreaterThan(100);
          expect(Math.max(...sizes)).toBeLessThan(330);
        },
        { memoryMb: 512, timeoutMs: AMPLE_MS },
      ));
  });
});
