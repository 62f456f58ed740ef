import { readFileSync } from 'node:fs';

/** The resident set of a process in bytes; 0 where the system does not tell (only Linux has `/proc`) or it has ended. */
export function residentBytes(pid: number): number {
  try {
    const status = readFileSync(`/proc/${String(pid)}/status`, 'latin1');
    return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) * 1024;
  } catch {
    return 0;
  }
}
