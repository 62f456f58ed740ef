import type { CreateCommand } from '../command-line/surroundings.ts';
import { startProgram } from './options.ts';

export const startCommand: CreateCommand = () =>
  startProgram(async (options) => {
    const { runStart } = await import('./run-start.ts');
    await runStart(options);
  });
