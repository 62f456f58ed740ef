import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Stack } from '../assembly/read-assembly.ts';
import { damaged } from '../storage-failure.ts';
import { writeFileWhole } from '../write-file-whole.ts';

/** The stacks that the last start with this data folder deployed. */
const FILE = 'deployed-stacks.json';

function recorded(directory: string): readonly Stack[] {
  const file = join(directory, FILE);
  if (!existsSync(file)) return [];
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as readonly Stack[];
  } catch (error) {
    throw damaged(file, 'it does not hold stacks', error);
  }
}

/**
 * Deploys stacks over those of the last start with the same data, by the rules of CloudFormation.
 * Throws an Error that says what to do if CloudFormation would refuse it, or data would be lost.
 * Call the returned function once the stacks run.
 */
export async function deployOver(directory: string, stacks: readonly Stack[]): Promise<() => Promise<void>> {
  const before = recorded(directory);
  const names = new Set(stacks.map(({ name }) => name));
  // As on AWS, stacks that the app no longer has stay.
  const after = JSON.stringify([...before.filter(({ name }) => !names.has(name)), ...stacks]);
  if (after === JSON.stringify(before)) return () => Promise.resolve();
  if (before.length > 0 && !before.some(({ name }) => names.has(name)))
    throw new Error(
      `${directory} holds the data of another app, with the stacks ${before.map(({ name }) => name).join(', ')}: use another folder`,
    );
  if (before.length > 0) {
    // The rules load the resource specification of AWS, which most starts do not need.
    const [{ playDeployment }, { describeFinding }] = await Promise.all([
      import('./play-deployment.ts'),
      import('./finding.ts'),
    ]);
    const obstacles = playDeployment(before, stacks).filter(
      ({ kind }) => kind === 'refused' || kind === 'data_lost',
    );
    if (obstacles.length > 0)
      throw new Error(
        `${directory} holds the data of another deployment, which this one cannot replace:\n${obstacles.map(describeFinding).join('\n')}`,
      );
  }
  return () => writeFileWhole(join(directory, FILE), after);
}
