import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ReactorProcess } from '../support/runtime-api.ts';

/** Returns the children of the loop in the order of their start. */
export function childrenOf(reactor: ReactorProcess): readonly number[] {
  const loop = String(reactor.pid());
  return readFileSync(`/proc/${loop}/task/${loop}/children`, 'latin1').split(' ').filter(Boolean).map(Number);
}

/** The kernel's letter for each thread: `S` waits for an event, `R` runs or waits to run. */
const statesOf = (pid: number): readonly (string | undefined)[] =>
  readdirSync(`/proc/${String(pid)}/task`).map(
    (thread) => /\) (\w)/.exec(readFileSync(`/proc/${String(pid)}/task/${thread}/stat`, 'latin1'))?.[1],
  );

export async function until<T>(find: () => T | false | undefined): Promise<T> {
  for (;;) {
    const found = find();
    if (found !== undefined && found !== false) return found;
    await sleep(5);
  }
}

/** A process that loads waits for files only in between. */
const LOOKS = 40;

/** Until a process has nothing to do, on a busy machine too: there it still waits to run. */
export async function untilIdle(pid: number): Promise<void> {
  let idle = 0;
  await until(() => {
    idle = statesOf(pid).every((state) => state === 'S') ? idle + 1 : 0;
    return idle === LOOKS;
  });
}
