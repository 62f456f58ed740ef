import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { basename } from 'node:path';

/** The state LISTEN, as `/proc/net/tcp` writes it (proc(5); include/net/tcp_states.h). */
const LISTEN = '0A';

/** The inodes of the sockets that listen on a port. */
function listeningInodes(port: number): ReadonlySet<string> {
  const hex = port.toString(16).toUpperCase().padStart(4, '0');
  const rows = ['/proc/net/tcp', '/proc/net/tcp6'].flatMap((file) =>
    readFileSync(file, 'utf8').split('\n').slice(1),
  );
  return new Set(
    rows.flatMap((row) => {
      const [, local = '', , state, , , , , , inode = ''] = row.trim().split(/\s+/);
      return state === LISTEN && local.endsWith(`:${hex}`) ? [inode] : [];
    }),
  );
}

/** Returns the result of a read; nothing if a process or a file has gone, or is of another user. */
function ifThere<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

const socketsOf = (pid: string): readonly (string | undefined)[] =>
  (ifThere(() => readdirSync(`/proc/${pid}/fd`)) ?? []).map((file) =>
    ifThere(() => readlinkSync(`/proc/${pid}/fd/${file}`)),
  );

/** A program and its script, such as `node start.cjs`. Other arguments may have secrets. */
function programOf(pid: string): string {
  const [program = '', script = ''] = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
  return [program, ...(/\.\w{1,4}$/.test(script) ? [script] : [])].map((path) => basename(path)).join(' ');
}

/**
 * The process that listens on a port, such as `process 4711 (node start.cjs)`. `undefined` where
 * the machine does not show it: without Linux's `/proc`, or for a process of another user.
 */
export function portHolder(port: number): string | undefined {
  return ifThere(() => {
    const sockets = new Set([...listeningInodes(port)].map((inode) => `socket:[${inode}]`));
    const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
    const pid = pids.find((each) => socketsOf(each).some((socket) => sockets.has(socket ?? '')));
    return pid === undefined ? undefined : `process ${pid} (${programOf(pid)})`;
  });
}
