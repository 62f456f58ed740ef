import { mkdirSync, rmSync } from 'node:fs';
import type { Stack } from 'aws-cdk-lib';
import { isWithoutCode, outputFolder } from './assets.ts';

export interface SiteFolder<T> {
  readonly folder: string;
  /** `undefined` in an app without code. */
  readonly written: T | undefined;
}

/**
 * A folder for the files of a site in the output of the synthesis, next to its template: they
 * depend on the settings. An app without code has an empty one.
 */
export function siteFolder<T>(stack: Stack, write: (folder: string) => T): SiteFolder<T> {
  const folder = outputFolder(stack, `${stack.artifactId}-site`);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  return { folder, written: isWithoutCode(stack) ? undefined : write(folder) };
}
