import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, existsSync, globSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { IS_SMOKE } from '../effort.ts';

/** A separate PostgreSQL that only a Unix socket in a temporary folder reaches. */
export interface Cluster {
  /** A connection uses the folder of the socket as its host. */
  readonly socketFolder: string;
  readonly user: string;
  readonly version: string;
  readonly pid: number;
  stop(): Promise<void>;
}

/** The machine has no PostgreSQL, and none can be installed. */
export class MissingPostgres extends Error {}

const USER = 'vault';
const SETPRIV = '/usr/bin/setpriv';
const isRoot = process.getuid?.() === 0;

/** Debian's folder of the programs, the newest version's; `undefined` if there are none. */
const programs = (): string | undefined => globSync('/usr/lib/postgresql/*/bin/').toSorted().at(-1);

/** Installs Debian's package where possible. */
function install(): void {
  if (IS_SMOKE || !isRoot || !existsSync('/usr/bin/apt-get'))
    throw new MissingPostgres('PostgreSQL is not installed: sudo apt-get install postgresql');
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  for (const args of [['update'], ['install', '-y', '--no-install-recommends', 'postgresql']])
    try {
      execFileSync('apt-get', args, { env, stdio: ['ignore', 'ignore', 'inherit'] });
    } catch (error) {
      throw new MissingPostgres(`PostgreSQL is not installed: ${String(error)}`);
    }
}

/** initdb refuses root: then all run as the package's user. */
const asUser: readonly string[] = isRoot
  ? [SETPRIV, '--reuid=postgres', '--regid=postgres', '--init-groups', '--']
  : [];

function command(program: string, args: readonly string[]): readonly [string, readonly string[]] {
  const [first = '', ...rest] = [...asUser, program, ...args];
  return [first, rest];
}

const idOf = (kind: '-u' | '-g') => Number(execFileSync('id', [kind, 'postgres'], { encoding: 'utf8' }));

async function untilReady(pgIsready: string, folder: string): Promise<void> {
  for (let tries = 0; tries < 300; tries += 1) {
    try {
      execFileSync(pgIsready, ['-h', folder, '-U', USER, '-d', 'postgres'], { stdio: 'ignore' });
      return;
    } catch {
      await sleep(100);
    }
  }
  throw new Error('PostgreSQL does not get ready');
}

/**
 * Starts a cluster with the default settings and durability of its version. Rejects, with a reason
 * for the terminal, if it cannot.
 */
export async function startCluster(): Promise<Cluster> {
  if (programs() === undefined) install();
  const bin = programs();
  if (bin === undefined) throw new Error('the package postgresql brought no programs');
  const folder = mkdtempSync(join(tmpdir(), 'cloakroom-postgres-'));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  if (isRoot) chownSync(folder, idOf('-u'), idOf('-g'));
  const data = join(folder, 'data');
  try {
    const [program, args] = command(join(bin, 'initdb'), [
      '-D',
      data,
      '-U',
      USER,
      '--auth=trust',
      '-E',
      'UTF8',
    ]);
    execFileSync(program, args, { cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] });
    const settings = ['-D', data, '-k', folder, '-c', 'listen_addresses='];
    const [postgres, options] = command(join(bin, 'postgres'), settings);
    const server = spawn(postgres, options, { cwd: folder, stdio: 'ignore' });
    const ended = once(server, 'exit');
    await untilReady(join(bin, 'pg_isready'), folder);
    return {
      socketFolder: folder,
      user: USER,
      version: execFileSync(join(bin, 'postgres'), ['--version'], { encoding: 'utf8' }).trim(),
      pid: server.pid ?? 0,
      async stop() {
        // "Fast": open connections are ended.
        server.kill('SIGINT');
        await ended;
        remove();
      },
    };
  } catch (error) {
    remove();
    throw error;
  }
}
