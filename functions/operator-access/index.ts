import { machineInstance } from '../../src/adapters/instance.ts';
import { runCommand } from './run-command.ts';
import { dependencies } from './dependencies.ts';

const deps = dependencies(process.env, machineInstance());

export const handler = (payload: unknown): Promise<unknown> => runCommand(deps, payload);
