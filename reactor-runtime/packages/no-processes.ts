// Replaces `child_process` in packages of the layer, since reactor code has no other processes.

/** Fails like a program that does not exist: stripe then sends no `uname` with its requests. */
export function exec(_command: string, callback: (error: Error) => void): void {
  callback(new Error('a reactor has no other processes'));
}
