import { spawn } from 'node:child_process';
import { Socket } from 'node:net';

/**
 * Reads `start GROUP` and `end GROUP`, and at the end of its input kills the groups that still run.
 * A shell, since it takes 1 MB where a Node takes 40. It ignores the signals of the terminal.
 */
const PROGRAM = `
trap '' HUP INT TERM
groups=' '
while read -r verb group; do
  case $verb in
    start) groups="$groups$group " ;;
    end) groups="\${groups%% $group *} \${groups#* $group }" ;;
  esac
done
for group in $groups; do kill -s KILL -- "-$group" 2>/dev/null; done
`;

/** Ends process groups when this process ends, however it ends. */
export interface Guardian {
  /** A group runs from now on, under the id of its leader. */
  started(group: number): void;
  /** The group has ended, and its id may soon belong to another. */
  ended(group: number): void;
}

/**
 * A guardian for this process, started with the first group: a process of its own, which notices
 * by the end of its input that this one is gone, even by `kill -9`. A group may contain processes
 * that are stopped and so notice nothing themselves.
 */
export function createGuardian(): Guardian {
  const groups = new Set<number>();
  let say: ((line: string) => void) | undefined;
  const start = () => {
    const shell = spawn('/bin/sh', ['-c', PROGRAM], {
      // Ctrl-C goes to all processes of the terminal's group.
      detached: true,
      stdio: ['pipe', 'ignore', 'ignore'],
    });
    const { stdin } = shell;
    // Without a shell, groups end only with an orderly end of this process.
    shell.on('error', () => undefined);
    // The next group starts another one.
    shell.on('exit', () => (say = undefined));
    stdin.on('error', () => undefined);
    shell.unref();
    if (stdin instanceof Socket) stdin.unref();
    return (line: string) => void stdin.write(`${line}\n`);
  };
  return {
    started: (group) => {
      groups.add(group);
      if (say !== undefined) {
        say(`start ${String(group)}`);
        return;
      }
      say = start();
      for (const each of groups) say(`start ${String(each)}`);
    },
    ended: (group) => {
      groups.delete(group);
      say?.(`end ${String(group)}`);
    },
  };
}
