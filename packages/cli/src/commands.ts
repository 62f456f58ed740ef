import type { CreateCommand } from '../../../bin/command-line/surroundings.ts';

/** A command of the program. Its file is loaded where it is the command that runs. */
export interface CommandEntry {
  readonly name: string;
  readonly does: string;
  readonly load: () => Promise<CreateCommand>;
}

export const COMMANDS: readonly CommandEntry[] = [
  {
    name: 'start',
    does: 'Runs the service on this machine',
    load: async () => (await import('../../../bin/start/start-command.ts')).startCommand,
  },
  {
    name: 'operator',
    does: 'Manages the tenants of a service, with the rights of an operator',
    load: async () => (await import('../../../bin/operator/operate.ts')).operatorCommand,
  },
];
