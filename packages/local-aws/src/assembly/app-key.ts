import { createHash, type Hash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { errorCode } from '../error-code.ts';

/** A CDK app, as `app` in cdk.json names it. */
export interface CdkApp {
  /** The folder of cdk.json, whose context the app gets. */
  readonly root: string;
  /** The program that Node runs. Its path is relative to `root`. */
  readonly program: string;
  /** More context, which wins over that of cdk.json. */
  readonly context?: Readonly<Record<string, string>>;
  /** Everything that affects the synthesized app, besides its context and Node. */
  readonly inputs: {
    /** Files and folders from `root`: everything that synthesis reads. */
    readonly paths: readonly string[];
    /** The environment variables that synthesis reads. */
    readonly environment: readonly string[];
  };
}

/** Increment it when the layout of a cached app on disk changes. */
const LAYOUT = 1;

/**
 * Lists the files of a folder and below, by their path from `root`. For a file it lists the file.
 */
function filesBelow(root: string, path: string): readonly string[] {
  try {
    return readdirSync(join(root, path), { withFileTypes: true })
      .flatMap((entry) => filesBelow(root, join(path, entry.name)))
      .toSorted();
  } catch (error) {
    if (errorCode(error) === 'ENOTDIR' || errorCode(error) === 'ENOENT') return [path];
    throw error;
  }
}

/** A missing path, or one that is no file, has a distinct key. */
function contentOf(file: string): Buffer | undefined {
  try {
    return statSync(file).isFile() ? readFileSync(file) : undefined;
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/** Each part with its length, so that no two sequences of parts have the same text. */
function add(hash: Hash, part: string | Buffer | undefined): void {
  const content = part === undefined ? undefined : Buffer.from(part);
  hash.update(content === undefined ? '- ' : `${String(content.length)} `).update(content ?? '');
}

/**
 * The key that identifies a CDK app's synthesis, in hexadecimal. It is equal for equal inputs,
 * variables and context, on the same Node and machine.
 */
export function appKey(
  { root, program, inputs }: CdkApp,
  context: Readonly<Record<string, unknown>>,
  environment: NodeJS.ProcessEnv,
): string {
  const hash = createHash('sha256');
  const { version, platform, arch } = process;
  const sorted = Object.entries(context).toSorted(([a], [b]) => (a < b ? -1 : 1));
  add(hash, JSON.stringify([LAYOUT, version, platform, arch, root, program, sorted]));
  for (const name of inputs.environment) {
    add(hash, name);
    add(hash, environment[name]);
  }
  for (const file of inputs.paths.flatMap((path) => filesBelow(root, path))) {
    add(hash, file);
    add(hash, contentOf(join(root, file)));
  }
  return hash.digest('hex');
}
