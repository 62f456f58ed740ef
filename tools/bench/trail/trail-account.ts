import { fork, type ChildProcess } from 'node:child_process';
import { createSecretKey, generateKeyPairSync, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import { aDatabase, type Database } from '../../../test/support/a-database.ts';
import { putAll } from '../growth/fill.ts';
import { startTls } from '../tls-endpoint.ts';
import { itemsOf, type Written } from './plant-records.ts';
import type { Done, Task } from './trail-process.ts';

/** The resources that some work took. */
export interface Work {
  readonly calls: number;
  readonly readUnits: number;
  readonly writeUnits: number;
  readonly cpuMs: number;
}

export const NO_WORK: Work = { calls: 0, readUnits: 0, writeUnits: 0, cpuMs: 0 };

const combined = (a: Work, b: Work, sign: 1 | -1): Work => ({
  calls: a.calls + sign * b.calls,
  readUnits: a.readUnits + sign * b.readUnits,
  writeUnits: a.writeUnits + sign * b.writeUnits,
  cpuMs: a.cpuMs + sign * b.cpuMs,
});

export const sumOf = (a: Work, b: Work): Work => combined(a, b, 1);
export const differenceOf = (a: Work, b: Work): Work => combined(a, b, -1);

const isRead = (action: string) => /Query|BatchGetItem/.test(action);

/** Calls since they were last taken. */
function takeCalls(database: Database): Omit<Work, 'cpuMs'> {
  const found = { calls: 0, readUnits: 0, writeUnits: 0 };
  for (const { action, consumedCapacity = 0 } of database.takeCalls()) {
    found.calls += 1;
    found[isRead(action) ? 'readUnits' : 'writeUnits'] += consumedCapacity;
  }
  return found;
}

/** The tables of a trail, and a process that works on them. */
export class TrailAccount {
  readonly #database: Database;

  readonly #tls: Awaited<ReturnType<typeof startTls>>;

  readonly #auditKey = randomBytes(32);

  readonly #sealKey = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    .privateKey.export({ type: 'pkcs8', format: 'pem' })
    .toString();

  #process: ChildProcess | undefined;

  private constructor(database: Database, tls: Awaited<ReturnType<typeof startTls>>) {
    this.#database = database;
    this.#tls = tls;
  }

  static async open(): Promise<TrailAccount> {
    const database = await aDatabase();
    return new TrailAccount(database, await startTls(database.url));
  }

  get database(): Database {
    return this.#database;
  }

  /** Stores records and their marks. */
  async plant(written: Iterable<Written>): Promise<void> {
    const { client, name } = this.#database.table('Audit');
    const key = createSecretKey(this.#auditKey);
    function* items() {
      for (const each of written) yield* itemsOf(each, key);
    }
    await putAll(client, name, items());
    this.#database.takeCalls();
  }

  async #started(): Promise<ChildProcess> {
    if (this.#process !== undefined) return this.#process;
    const child = fork(
      join(import.meta.dirname, 'trail-process.ts'),
      [this.#sealKey, this.#auditKey.toString('base64')],
      {
        env: {
          PATH: process.env['PATH'] ?? '',
          NODE_EXTRA_CA_CERTS: this.#tls.certFile,
          AWS_ENDPOINT_URL: this.#tls.url,
          AWS_REGION: 'eu-west-1',
          AWS_ACCESS_KEY_ID: 'test',
          AWS_SECRET_ACCESS_KEY: 'test',
        },
        stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
      },
    );
    this.#process = child;
    await once(child, 'message');
    return child;
  }

  /** Carries a task out. Throws if it fails, or finds a failure. */
  async run(task: Task): Promise<Work & Done> {
    const child = await this.#started();
    this.#database.takeCalls();
    child.send(task);
    const [answer] = (await once(child, 'message')) as [Done | { readonly error: string }];
    if ('error' in answer) throw new Error(answer.error);
    if (answer.failures > 0) throw new Error(`${task.kind}: ${String(answer.failures)} failures`);
    return { ...answer, ...takeCalls(this.#database) };
  }

  /** Begins a task in a new process and kills it after so many calls, or when it is done. */
  async cutOff(task: Task, calls: number): Promise<Omit<Work, 'cpuMs'>> {
    this.stop();
    const child = await this.#started();
    this.#database.takeCalls();
    let made = NO_WORK;
    let messages = 0;
    child.once('message', () => (messages += 1));
    child.send(task);
    while (messages === 0 && made.calls < calls) {
      await new Promise((resolve) => setTimeout(resolve, 2));
      made = sumOf(made, { ...takeCalls(this.#database), cpuMs: 0 });
    }
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
    this.#process = undefined;
    return sumOf(made, { ...takeCalls(this.#database), cpuMs: 0 });
  }

  /** Ends the process; the next task has a new one, like a new instance. */
  stop(): void {
    this.#process?.kill();
    this.#process = undefined;
  }

  async close(): Promise<void> {
    this.stop();
    this.#tls.close();
    await this.#database.close();
  }
}
