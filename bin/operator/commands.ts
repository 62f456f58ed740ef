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
  /** Two answers of such work as one; without it the last is shown. */
  readonly joined?: (before: Answer, answer: Answer) => Answer;
  /** One line about a step that is done. */
  readonly progress?: (answer: Answer) => string;
  /** Whether the answer reports a problem: exit code 1. */
  readonly isBad?: (answer: Answer) => boolean;
}

/** Ids of records that do not open. */
const idsIn = (unreadable: unknown): string =>
  Array.isArray(unreadable) && unreadable.length > 0 ? `; these do not open: ${unreadable.join(', ')}` : '';

/** A command whose answers say where the next step begins. */
const hasEnded = ({ next }: Answer): boolean => next === null;

const listIn = (answer: Answer, name: string): readonly unknown[] => {
  const list = answer[name];
  return Array.isArray(list) ? (list as readonly unknown[]) : [];
};

const nextIn = (next: unknown): string => {
  const { from, at } = (next ?? {}) as { readonly from?: unknown; readonly at?: unknown };
  const reached = typeof at === 'number' ? new Date(at).toISOString() : from;
  return typeof reached === 'string' ? ` up to ${reached}` : ', to the end';
};

/** Counts of several steps together; all else as the last says. */
const sumsOf = (before: Answer, answer: Answer): Answer =>
  Object.fromEntries(
    Object.entries(answer).map(([name, value]) => [
      name,
      typeof value === 'number' ? value + Number(before[name] ?? 0) : value,
    ]),
  );

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
  'who-saw': {
    does: 'Lists who was shown a token, used or changed it, from where and in what form, newest first',
    isDone: hasEnded,
    joined: (before, answer) => ({
      ...answer,
      records: [...listIn(before, 'records'), ...listIn(answer, 'records')],
    }),
  },
  'verify-audit': {
    does: 'Checks the audit trail against its seals (the last 24 hours without --from); exit code 1 if anything was changed',
    isDone: hasEnded,
    joined: sumsOf,
    progress: ({ records, next }) => `${String(records)} records checked${nextIn(next)}`,
    isBad: ({ intact }) => intact !== true,
  },
  'export-audit': {
    does: 'Writes the records of a tenant, with their seals, into a file that verify-audit --file checks without AWS',
    isDone: hasEnded,
    progress: ({ next }) => `exported${nextIn(next)}`,
  },
  'audit-key': { does: 'Prints the public key that seals are checked against: keep it outside of AWS' },
};
