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
    name: 'tokens',
    does: 'Reads, lists, creates and deletes tokens',
    load: async () => (await import('../../../bin/tokens/tokens-command.ts')).tokensCommand,
  },
  {
    name: 'logs',
    does: 'Lists the records of the audit trail of a tenant, newest first',
    load: async () => (await import('../../../bin/logs/logs-command.ts')).logsCommand,
  },
  {
    name: 'import',
    does: 'Makes tokens of the export of another system',
    load: async () => (await import('../../../bin/import/import-command.ts')).importCommand,
  },
  {
    name: 'explain',
    does: 'Explains what an application, or a draft of rules, may do in a container',
    load: async () => (await import('../../../bin/explain/explain-command.ts')).explainCommand,
  },
  {
    name: 'export',
    does: 'Moves tokens out, as the key sees them, in parts that a command encrypts',
    load: async () => (await import('../../../bin/export/export-command.ts')).exportCommand,
  },
  {
    name: 'config',
    does: 'Plans and applies the configuration of a tenant, from a file',
    load: async () => (await import('../../../bin/config/config-command.ts')).configCommand,
  },
  {
    name: 'operator',
    does: 'Manages the tenants of a service, with the rights of an operator',
    load: async () => (await import('../../../bin/operator/operate.ts')).operatorCommand,
  },
  {
    name: 'reactor',
    does: 'Runs or bundles the code of a reactor',
    load: async () => (await import('../../../bin/reactor/reactor-command.ts')).reactorCommand,
  },
  {
    name: 'receiver',
    does: 'Receives and verifies webhooks of a service on this machine',
    load: async () => (await import('../../../bin/receiver/receiver-command.ts')).receiverCommand,
  },
  {
    name: 'check-account',
    does: 'Says what an AWS account lacks for an app, before its first deployment',
    load: async () =>
      (await import('../../../bin/check-account/check-account-command.ts')).checkAccountCommand,
  },
  {
    name: 'check-upgrade',
    does: 'Says what CloudFormation would refuse, and what would be lost, if an app were deployed',
    load: async () =>
      (await import('../../../bin/check-upgrade/check-upgrade-command.ts')).checkUpgradeCommand,
  },
];
