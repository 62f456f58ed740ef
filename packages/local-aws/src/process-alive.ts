import { readFileSync } from 'node:fs';
import { errorCode } from './error-code.ts';

/**
 * The state of a process and its start time, in clock ticks since boot: a later process with the
 * same id has another start time. Linux only; empty elsewhere, and for an ended process.
 */
function statOf(pid: number): { readonly state: string; readonly startTime: string } {
  try {
    const stat = readFileSync(`/proc/${String(pid)}/stat`, 'utf8');
    // The command's name is in parentheses and may contain spaces; the state is field 3, the start
    // time field 22.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return { state: fields[0] ?? '', startTime: fields[19] ?? '' };
  } catch {
    return { state: '', startTime: '' };
  }
}

function exists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // The process exists, but belongs to another user.
    return errorCode(error) === 'EPERM';
  }
}

/**
 * The identity of this process among all that have had its id: `<pid>-<start time>`, fit for a
 * file's name.
 */
export function processIdentity(): string {
  return `${String(process.pid)}-${statOf(process.pid).startTime}`;
}

/**
 * The id of the process whose identity a text begins with; `undefined` once it has ended, also as a
 * zombie.
 */
export function livingProcess(text: string): number | undefined {
  const [, digits = '', since = ''] = /^(\d+)-(\d*)/.exec(text) ?? [];
  const pid = Number(digits);
  if (pid < 1 || !exists(pid)) return undefined;
  const { state, startTime } = statOf(pid);
  return state !== 'Z' && startTime === since ? pid : undefined;
}
