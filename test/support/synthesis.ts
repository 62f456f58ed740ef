import { execFileSync } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SYNTHESIS_INPUTS } from '../../bin/start/synthesis-inputs.ts';
import { appKey } from '../../packages/local-aws/src/assembly/app-key.ts';
import type { Stack } from '../../packages/local-aws/src/assembly/read-assembly.ts';
import type { TableDefinition } from '../../packages/local-aws/src/dynamodb/table.ts';
import { errorCode } from '../../packages/local-aws/src/error-code.ts';
import { livingProcess, processIdentity } from '../../packages/local-aws/src/process-alive.ts';

/** Lists the requests to the CDK, each with its arguments. */
export interface Requests {
  /** The templates of a deployment, whose functions have no code. */
  readonly templates: readonly [
    settings: Readonly<Record<string, unknown>>,
    region: string | null,
    /** The context that an organisation sets, beside the settings. */
    context?: Readonly<Record<string, unknown>>,
  ];
  /** Tables as the data stack defines them, named by their logical ids before the hash. */
  readonly tables: readonly [names: readonly string[]];
  /** The versions of a function that depends on a content: one for each content, or for none. */
  readonly versions: readonly (string | null)[];
  /** The pipeline of examples/pipeline is synthesized with each of these inputs. */
  readonly pipelines: readonly Readonly<
    Record<'repository' | 'connection' | 'testing' | 'production', string>
  >[];
}

interface Results {
  readonly templates: Stack[] | { readonly refused: string };
  readonly tables: readonly TableDefinition[];
  readonly versions: readonly string[];
  readonly pipelines: readonly (
    | { readonly refused: string }
    | { readonly template: object; readonly stacks: readonly (readonly Stack[])[] }
  )[];
}

export type Kind = keyof Requests;
export type Result<K extends Kind> = Results[K];

const ROOT = join(import.meta.dirname, '../..');
const FOLDER = join(ROOT, '.local/test-templates');
const LOCK = join(FOLDER, 'lock');
const PROGRAM = join(ROOT, 'test/support/synthesis-program.ts');
/** All inputs of templates, and of the code that reads them. */
const INPUTS = {
  paths: [
    ...SYNTHESIS_INPUTS.paths,
    ...['examples/pipeline', 'tools/templates'],
    ...['synthesis-program', 'table-definitions'].map((name) => `test/support/${name}.ts`),
  ],
  environment: SYNTHESIS_INPUTS.environment,
};

let sourceKey: string | undefined;

function keyOfSource(): string {
  sourceKey ??= appKey({ root: ROOT, program: '', inputs: INPUTS }, {}, process.env);
  return sourceKey;
}

const fileOf = (kind: Kind, args: readonly unknown[]): string =>
  join(
    FOLDER,
    `${createHash('sha256')
      .update(JSON.stringify([kind, args]))
      .digest('hex')}.json`,
  );

function read(file: string): { readonly key?: string; readonly value?: unknown } {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as object;
  } catch {
    // There is no cache yet, or a power cut has left half of it.
    return {};
  }
}

export const isStored = <K extends Kind>(kind: K, args: Requests[K]): boolean =>
  read(fileOf(kind, args)).key === keyOfSource();

export function store<K extends Kind>(kind: K, args: Requests[K], value: Result<K>): void {
  const file = fileOf(kind, args);
  const unfinished = `${file}.${randomUUID()}`;
  writeFileSync(unfinished, JSON.stringify({ key: keyOfSource(), value }));
  renameSync(unfinished, file);
}

/** Whether no other living process works on a request. */
function lock(): boolean {
  try {
    writeFileSync(LOCK, processIdentity(), { flag: 'wx' });
    return true;
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error;
  }
  try {
    if (livingProcess(readFileSync(LOCK, 'utf8')) === undefined) rmSync(LOCK, { force: true });
  } catch {
    // The other process has ended its work.
  }
  return false;
}

/**
 * The CDK makes this of the source, once for all test files and runs as long as the source does not
 * change. Node loads the CDK in a separate process: in jest each file would load it again, for
 * seconds. Changing the returned value does not affect other callers.
 */
export function synthesis<K extends Kind>(kind: K, ...args: Requests[K]): Result<K> {
  mkdirSync(FOLDER, { recursive: true });
  for (;;) {
    const found = read(fileOf(kind, args));
    if (found.key === keyOfSource()) return found.value as Result<K>;
    if (lock())
      try {
        execFileSync(process.execPath, [PROGRAM, JSON.stringify([kind, args])], {
          cwd: ROOT,
          env: {
            ...process.env,
            NODE_COMPILE_CACHE: join(ROOT, '.local/compile-cache'),
            // The policy check validates the templates of all settings once.
            CDK_VALIDATION: 'false',
          },
          stdio: ['ignore', 'ignore', 'pipe'],
        });
      } finally {
        rmSync(LOCK, { force: true });
        // The source may have changed since, and the child has read it as it is now.
        sourceKey = undefined;
      }
    // The first request of another process fills in the templates of this one too.
    else Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 50);
  }
}
