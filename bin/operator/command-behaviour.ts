import type { CommandName } from '../../src/operator/command-names.ts';

export type Response = Readonly<Record<string, unknown>>;

/** The command line does this for a command besides sending its flags. */
export interface CommandBehaviour {
  /** `--help` and the table of docs/deploy.md show this line. */
  readonly does: string;
  /** Members of the response that are shown only once. */
  readonly secrets?: readonly string[];
  /** Members that go to the target of the command and nowhere else: a secret, and its ids. */
  readonly stored?: { readonly secret: string; readonly beside: readonly string[] };
  /** Set for work of many steps: returns whether a response is the last. */
  readonly isDone?: (response: Response) => boolean;
  /** Merges the responses of two steps; without it the last is shown. */
  readonly joined?: (before: Response, response: Response) => Response;
  /** One line about a completed step. */
  readonly progress?: (response: Response) => string;
  /** Whether the response reports a problem: exit code 1. */
  readonly isBad?: (response: Response) => boolean;
  /** Advises the operator where the response does not explain the problem. */
  readonly advice?: string;
}

/** Ids of records that were left as they are. */
const idsIn = (ids: unknown, why = 'cannot be decrypted'): string =>
  Array.isArray(ids) && ids.length > 0 ? `; ${why}: ${ids.join(', ')}` : '';

/** A command whose responses say where the next step begins. */
const hasEnded = ({ next }: Response): boolean => next === null;

const listIn = (response: Response, name: string): readonly unknown[] => {
  const list = response[name];
  return Array.isArray(list) ? (list as readonly unknown[]) : [];
};

const nextIn = (next: unknown): string => {
  const { from, at } = (next ?? {}) as { readonly from?: unknown; readonly at?: unknown };
  const reached = typeof at === 'number' ? new Date(at).toISOString() : from;
  return typeof reached === 'string' ? ` up to ${reached}` : ', to the end';
};

/** Adds the counts of several steps; all other members are the last ones. */
const sumsOf = (before: Response, response: Response): Response =>
  Object.fromEntries(
    Object.entries(response).map(([name, value]) => [
      name,
      typeof value === 'number' ? value + Number(before[name] ?? 0) : value,
    ]),
  );

/** Most failures that a check shows; `failures` counts all of them. */
const SHOWN_FAILURES = 100;

/** Adds up the counts of two steps, and joins their lists of failures. */
const checksOf = (before: Response, response: Response): Response => {
  const broken = [...listIn(before, 'broken'), ...listIn(response, 'broken')].slice(0, SHOWN_FAILURES);
  return {
    ...sumsOf(before, response),
    intact: before['intact'] === true && response['intact'] === true,
    ...(broken.length > 0 && { broken }),
  };
};

export const COMMAND_BEHAVIOUR: Readonly<Record<CommandName, CommandBehaviour>> = {
  'create-tenant': {
    does: 'Creates a tenant and prints its id, first management key and webhook secret',
    secrets: ['management_key', 'webhook_secret'],
  },
  'create-management-key': {
    does: 'Makes a management key for a tenant that lost its own, which the tenant and an alarm see',
    stored: { secret: 'key', beside: ['key_id', 'application_id'] },
  },
  'list-tenants': { does: 'Lists all tenants with their next key rotation, and what wraps their roots' },
  'list-keys': {
    does: 'Lists the keys of all applications of a tenant, with their age and the day of their last use',
    isDone: hasEnded,
    joined: (before, response) => ({
      ...response,
      keys: [...listIn(before, 'keys'), ...listIn(response, 'keys')],
    }),
  },
  'check-tenant': { does: 'Decrypts records under each key of a tenant; exit code 1 if one fails' },
  'rotate-keys': { does: 'Rotates the data key of a tenant; old records stay readable under the old key' },
  'replace-root': {
    does: 'Replaces the root key of a tenant: begins with --start, or takes the next step',
  },
  reencrypt: {
    does: 'Reencrypts older records of a tenant under its current key, while the service runs',
    isDone: ({ done }) => done === true,
    progress: ({ seen, reencrypted, left, unreadable }) =>
      `${String(seen)} read, ${String(reencrypted)} reencrypted, ${String(left)} left so far${idsIn(unreadable)}`,
    isBad: ({ left }) => left !== 0,
  },
  'index-cards': {
    does: 'Lets searches find older cards of a tenant by their last four digits, as they find new ones',
    isDone: hasEnded,
    joined: (before, response) => ({
      ...sumsOf(before, response),
      left: [...listIn(before, 'left'), ...listIn(response, 'left')],
    }),
    progress: ({ seen, indexed, left }) =>
      `${String(seen)} cards read, ${String(indexed)} indexed${idsIn(left, 'left as they are, since they do not open or are busy')}`,
    isBad: ({ left }) => Array.isArray(left) && left.length > 0,
  },
  'rotate-deployment-key': {
    does: 'Makes another deployment key, which wraps new roots; rewrap-roots moves the existing ones',
  },
  'rewrap-roots': {
    does: 'Wraps the roots of one tenant or of all under the current deployment key, or under KMS',
    isDone: ({ done }) => done === true,
    joined: sumsOf,
    progress: ({ rewrapped, unreadable }) =>
      `${String(rewrapped)} tenants${typeof unreadable === 'string' ? `; cannot be unwrapped: ${unreadable}` : ''}`,
    isBad: ({ unreadable }) => unreadable !== null,
  },
  'destroy-tenant': {
    does: 'Destroys the keys of a tenant and deletes all its data; cannot be undone',
    isDone: ({ done }) => done === true,
    progress: ({ removed, what }) => `${String(removed)} ${String(what)} removed`,
  },
  health: {
    does: 'Shows overdue work, queues, parked deliveries, cold reactors; exit code 1 if there is a problem',
    isBad: ({ healthy }) => healthy !== true,
  },
  'rotate-webhook-secret': {
    does: 'Prints a new webhook secret; the old one signs too for 24 hours',
    secrets: ['webhook_secret'],
  },
  'list-deliveries': {
    does: 'Lists deliveries that failed, parked ones first, with the reason (100 without --limit)',
  },
  'resend-delivery': { does: 'Retries a parked delivery, with up to ten attempts' },
  'allow-hot': {
    does: 'Lets each reactor of a tenant ask for up to so many running instances, or with --none for no more than usual',
  },
  'list-reactors': {
    does: 'Lists the reactors of all tenants with the generation of their layer, and why one stayed on it; --package those that declare a package',
    isDone: hasEnded,
    joined: (before, response) => ({
      ...response,
      reactors: [...listIn(before, 'reactors'), ...listIn(response, 'reactors')],
    }),
  },
  'republish-reactors': {
    does: 'Moves reactors to the layer of the deployment for their image, in waves; again for the progress; exit code 1 if it stopped',
    isBad: (response) => listIn(response, 'rolls').some((roll) => (roll as Response)['state'] === 'stopped'),
    advice:
      'the roll stopped: stopped_by says why, and list-reactors --outdated which reactors stayed. No call fails: they run as before',
  },
  'who-saw': {
    does: 'Lists the records of a token, newest first: who saw, used or changed it, from where and in what form; exit code 1 if there is none',
    isDone: hasEnded,
    joined: (before, response) => ({
      ...response,
      records: [...listIn(before, 'records'), ...listIn(response, 'records')],
    }),
    // Even its creation is a record, so there is no such token, or its records have expired.
    isBad: (response) => listIn(response, 'records').length === 0,
    advice:
      'there is no such record: check the id, --tenant, --form and the times. Records end after auditRetentionDays',
  },
  'verify-audit': {
    does: 'Verifies the audit trail (the last 24 hours without --from); exit code 1 if it was changed',
    isDone: hasEnded,
    joined: checksOf,
    progress: ({ records, next }) => `${String(records)} records checked${nextIn(next)}`,
    isBad: ({ intact }) => intact !== true,
  },
  'export-audit': {
    does: 'Writes the records and seals of a tenant to a file that verify-audit --file verifies without AWS',
    isDone: hasEnded,
    progress: ({ next }) => `exported${nextIn(next)}`,
  },
  'rebuild-index': {
    does: 'Asks for new indexes of whole days of the audit trail: the sealer makes them from the records',
  },
  'audit-key': { does: 'Prints the public key that verifies seals: store it outside of AWS' },
};
