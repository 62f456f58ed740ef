import { errorCode } from './error-code.ts';

/** Whether a process of this machine has the id. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // Somebody else's process.
    return errorCode(error) === 'EPERM';
  }
}
