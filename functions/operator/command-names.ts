// No import: the operator's command line reads this file without the function's code.

/**
 * Flags of operator commands as the command line accepts them. `value`: its word in a usage line,
 * empty for a flag without a value. `does`: its text in the help.
 */
export const FLAGS = {
  name: { value: 'NAME', member: 'name', does: 'name of the tenant, up to 200 characters' },
  tenant: { value: 'ID', member: 'tenant_id', does: 'id of the tenant, as list-tenants shows it' },
  confirm: { value: 'ID', member: 'confirm', does: 'the id of the tenant again' },
  start: { value: '', member: 'start', does: 'begin' },
  invocation: { value: 'ID', member: 'invocation_id', does: 'id, as list-parked-deliveries shows it' },
  limit: { value: 'N', member: 'limit', does: 'how many at most' },
} as const;

/** Most deliveries that are listed at once. */
export const LIMIT_MAX = 1_000;

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
