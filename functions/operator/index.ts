import { runCommand } from './run-command.ts';
import { dependencies } from './dependencies.ts';

const deps = dependencies(process.env);

export const handler = (payload: unknown): Promise<unknown> => runCommand(deps, payload);
