// No import: the operator's command line reads this file without the function's code.

/** Flags of operator commands as the command line takes them. `value`: its word in a usage line. */
export const FLAGS = {
  name: { type: 'string', value: 'NAME', member: 'name' },
  tenant: { type: 'string', value: 'ID', member: 'tenant_id' },
  confirm: { type: 'string', value: 'ID', member: 'confirm' },
  start: { type: 'boolean', value: '', member: 'start' },
  invocation: { type: 'string', value: 'ID', member: 'invocation_id' },
  limit: { type: 'string', value: 'N', member: 'limit' },
} as const;

export type FlagName = keyof typeof FLAGS;

interface CommandFlags {
  readonly needs: readonly FlagName[];
  /** Flags that it can do without. */
  readonly takes: readonly FlagName[];
}

/** Every operator command with its flags. */
export const COMMANDS = {
  'create-tenant': { needs: ['name'], takes: [] },
  'list-tenants': { needs: [], takes: [] },
  'check-tenant': { needs: ['tenant'], takes: [] },
  'rotate-keys': { needs: ['tenant'], takes: [] },
  'replace-root': { needs: ['tenant'], takes: ['start'] },
  reseal: { needs: ['tenant'], takes: [] },
  'destroy-tenant': { needs: ['tenant', 'confirm'], takes: [] },
  health: { needs: [], takes: [] },
  'rotate-webhook-secret': { needs: ['tenant'], takes: [] },
  'list-parked-deliveries': { needs: [], takes: ['limit'] },
  'resend-delivery': { needs: ['tenant', 'invocation'], takes: [] },
} as const satisfies Readonly<Record<string, CommandFlags>>;

export type CommandName = keyof typeof COMMANDS;

export const COMMAND_NAMES = Object.keys(COMMANDS) as readonly CommandName[];

/** The flags of a command, by type. */
export type FlagOf<Name extends CommandName> = (typeof COMMANDS)[Name]['needs' | 'takes'][number];

/** The flags of a command: those that it needs, then the others. */
export function flagsOf(name: CommandName): readonly FlagName[] {
  const { needs, takes }: CommandFlags = COMMANDS[name];
  return [...needs, ...takes];
}

/** A command with its flags, as docs/deploy.md lists it: `replace-root --tenant ID [--start]`. */
export function usageOf(name: CommandName): string {
  const { needs, takes }: CommandFlags = COMMANDS[name];
  const written = (flag: FlagName) => `--${flag} ${FLAGS[flag].value}`.trim();
  return [name, ...needs.map(written), ...takes.map((flag) => `[${written(flag)}]`)].join(' ');
}
