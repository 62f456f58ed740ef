import type { CommandName } from '../../functions/operator/command-names.ts';

export type Answer = Readonly<Record<string, unknown>>;

/** What the command line does around a command, beyond sending its flags. */
export interface CommandBehaviour {
  /** One line: `--help` prints it, and docs/deploy.md has it in its table. */
  readonly does: string;
  /** Members of the answer that are shown once and nowhere else. */
  readonly secrets?: readonly string[];
  /** For work of many steps: whether an answer is that of the last. */
  readonly isDone?: (answer: Answer) => boolean;
  /** One line about a step that is done. */
  readonly progress?: (answer: Answer) => string;
  /** Whether the answer reports a problem: exit code 1. */
  readonly isBad?: (answer: Answer) => boolean;
}

/** Ids of records that do not open. */
const idsIn = (unreadable: unknown): string =>
  Array.isArray(unreadable) && unreadable.length > 0 ? `; these do not open: ${unreadable.join(', ')}` : '';

export const BEHAVIOUR: Readonly<Record<CommandName, CommandBehaviour>> = {
  'create-tenant': {
    does: 'Creates a tenant and prints its id, first management key and webhook secret',
    secrets: ['management_key', 'webhook_secret'],
  },
  'list-tenants': { does: 'Lists all tenants with the time of their next key rotation' },
  'check-tenant': { does: 'Opens what is sealed under the keys of a tenant; exit code 1 if that fails' },
  'rotate-keys': { does: 'Gives a tenant another data key; old records stay readable under theirs' },
  'replace-root': {
    does: 'Gives a tenant another root key: begins with --start, or takes the next step',
  },
  reseal: {
    does: 'Seals older records of a tenant under its current key while the service goes on',
    isDone: ({ done }) => done === true,
    progress: ({ seen, resealed, left, unreadable }) =>
      `${String(seen)} seen, ${String(resealed)} resealed, ${String(left)} left so far${idsIn(unreadable)}`,
    isBad: ({ left }) => left !== 0,
  },
  'destroy-tenant': {
    does: 'Destroys the keys of a tenant, then removes all of its data; cannot be undone',
    isDone: ({ done }) => done === true,
    progress: ({ removed, what }) => `${String(removed)} ${String(what)} removed`,
  },
  health: {
    does: 'Shows overdue work, queues, parked deliveries, cold reactors; exit code 1 if something is wrong',
    isBad: ({ healthy }) => healthy !== true,
  },
  'rotate-webhook-secret': {
    does: 'Prints another webhook secret; the old one signs beside it for 24 hours',
    secrets: ['webhook_secret'],
  },
  'list-parked-deliveries': {
    does: 'Lists results that could not be delivered, the oldest first (100 without --limit)',
  },
  'resend-delivery': { does: 'Tries a parked delivery again, ten times as before' },
};
