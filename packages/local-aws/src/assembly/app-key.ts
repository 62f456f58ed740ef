import { createHash } from 'node:crypto';
import { addFiles, addPart } from './files-key.ts';

/** A CDK app, as `app` in cdk.json names it. */
export interface CdkApp {
  /** The folder of cdk.json, whose context the app gets. */
  readonly root: string;
  /** The program that Node runs. Its path is relative to `root`. */
  readonly program: string;
  /** The arguments of Node that build what the program reads, as `build` in cdk.json. */
  readonly build?: readonly string[];
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
  addPart(hash, JSON.stringify([LAYOUT, version, platform, arch, root, program, sorted]));
  for (const name of inputs.environment) {
    addPart(hash, name);
    addPart(hash, environment[name]);
  }
  addFiles(hash, root, inputs.paths);
  return hash.digest('hex');
}
