import { READABLE } from '../readable-paths.ts';

interface Folders {
  readonly taskRoot: string;
  readonly temp: string;
  readonly layer: string;
}

/**
 * The flags by which Node.js 24 itself refuses other files, processes, threads, native modules and
 * the debugger, beneath the guards. It does not refuse the network, signals, or the files of
 * `node:sqlite`: only the guards do (docs/reactor-isolation.md#the-second-wall).
 */
export const permissionFlags = ({ taskRoot, temp, layer }: Folders): readonly string[] => [
  '--permission',
  ...[...READABLE, taskRoot, layer, temp].map((path) => `--allow-fs-read=${path}`),
  ...['/dev/null', temp].map((path) => `--allow-fs-write=${path}`),
];
