import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { Stage, type Stack } from 'aws-cdk-lib';

export const ROOT = join(import.meta.dirname, '..');

/** Runs a command of the repository that builds files, and returns what it prints. */
export function runBuild(command: string, args: readonly string[]): string {
  return execFileSync(process.execPath, [join(ROOT, command), ...args], {
    cwd: ROOT,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}

export interface BuiltSite<T> {
  readonly folder: string;
  readonly built: T | undefined;
}

/**
 * Builds the files of a site into the output of the synthesis, next to its template. Where the
 * context `aws:cdk:bundling-stacks` excludes the stack, as tests of templates do, the folder is
 * empty. The bundling of the CDK would reuse the files of another stage of the app, with other
 * settings: it recognizes a build by its options, and functions among them are all equal.
 */
export function buildSite<T>(stack: Stack, build: (folder: string) => T): BuiltSite<T> {
  const stage = Stage.of(stack);
  if (stage === undefined) throw new Error(`the stack ${stack.stackName} is in no app`);
  const folder = join(stage.outdir, `${stack.artifactId}-site`);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  return { folder, built: stack.bundlingRequired ? build(folder) : undefined };
}
