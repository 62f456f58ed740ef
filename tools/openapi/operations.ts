import { globSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { OperationDescription } from '../../src/wire/operation-description.ts';

const ROOT = join(import.meta.dirname, '../..');

/** The name of an operation whose folder has its words with dashes. */
export const operationOf = (folder: string): string =>
  folder.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase());

const files = globSync('functions/*/*/describe.ts', { cwd: ROOT });

/** The description of each operation, by its name in the route tables. */
export const OPERATIONS: Readonly<Record<string, OperationDescription>> = Object.fromEntries(
  await Promise.all(
    files.map(async (file) => {
      const module = (await import(join(ROOT, file))) as { readonly description: OperationDescription };
      return [operationOf(basename(dirname(file))), module.description] as const;
    }),
  ),
);

/** The folder of the function that each operation belongs to. */
export const FUNCTION_OF: ReadonlyMap<string, string> = new Map(
  files.map((file) => [operationOf(basename(dirname(file))), basename(dirname(dirname(file)))] as const),
);
