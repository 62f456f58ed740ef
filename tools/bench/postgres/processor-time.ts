import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

const ticksPerSecond = Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }));

interface ProcessTime {
  readonly pid: number;
  readonly parent: number;
  readonly milliseconds: number;
}

/**
 * proc(5): after the name in parentheses, field 4 is the parent, 14 and 15 the time in the program
 * and in the kernel.
 */
function processTime(pid: number): ProcessTime | undefined {
  try {
    const stat = readFileSync(`/proc/${String(pid)}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const ticks = Number(fields[11]) + Number(fields[12]);
    return { pid, parent: Number(fields[1]), milliseconds: (ticks * 1_000) / ticksPerSecond };
  } catch {
    // It has ended in the meantime.
    return undefined;
  }
}

/** Processor time so far of some processes and of their children, in ms. Linux only. */
export function processorTime(pids: readonly number[]): number {
  const all = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => processTime(Number(name)) ?? []);
  return all
    .filter(({ pid, parent }) => pids.includes(pid) || pids.includes(parent))
    .reduce((sum, { milliseconds }) => sum + milliseconds, 0);
}
