import { isUuid } from '../shared/uuid.ts';
import type { Caller } from '../applications/application.ts';
import { defined } from '../shared/defined.ts';
import type { AuditLog } from './audit-log.ts';
import { placeText, type AuditEntry, type Change, type Form, type Outcome } from './audit-record.ts';

/** A token as far as a record names it. */
export interface NamedToken {
  readonly id: string;
  readonly containers?: readonly string[] | undefined;
}

/** What the product says of a request while it runs. Nothing is written by it. */
export interface Sightings {
  /** A token is about to be shown or used. Whoever opens one says so first. */
  saw(token: NamedToken, form: Form): void;
  /** The caller named these ids; what it is not shown of them was refused. */
  named(ids: Iterable<string>): void;
  /** Tokens of these ids are there. */
  found(tokens: readonly NamedToken[]): void;
  /** What the next effect changes. */
  changes(change: Change): void;
  /** What the request is about, where its path does not say it: `token:<id>`. */
  about(resource: string): void;
  /** Who acts, where that is known late. */
  actsFor(caller: Pick<Caller, 'applicationId'>): void;
}

/** What an effect is, so that it can be recorded before it happens. */
export interface Effect {
  readonly tokens?: readonly NamedToken[];
  readonly form?: Form;
  readonly change?: Change;
  readonly resource?: string;
  readonly invocation?: string;
  /** Host and port of a destination. */
  readonly host?: string;
  /** It leaves the service, so that how it ended is worth a record of its own. */
  readonly leaves?: boolean;
}

/** How a request ended. */
export interface End {
  /** Of the answer; absent where none is made. */
  readonly status?: number;
  readonly outcome: Outcome;
}

/** One request, from the moment that its caller is known. */
export interface AuditScope extends Sightings {
  /** Whether a record was written ahead. */
  readonly hasBegun: boolean;
  /**
   * Records what is about to happen, with all that was seen so far. Resolves once that is durable,
   * at once if a record says it already. Rejects with `dependency_unavailable`: then it must not
   * happen.
   */
  ahead(effect: Effect): Promise<void>;
  /**
   * Records how the request ended, unless its records say it already. Must resolve before the
   * answer leaves. Rejects with `dependency_unavailable`: then nothing of the answer may be shown.
   */
  close(end: End): Promise<void>;
}

/** What all records of a request have in common. */
export type AuditSubject = Pick<
  AuditEntry,
  'op' | 'app' | 'cred' | 'ip' | 'trace' | 'resource' | 'invocation'
>;

/** Shown nothing of the plaintext. */
const VEILED: ReadonlySet<Form> = new Set(['mask', 'redact']);
/** Forms in which an answer shows a token; one that fails shows nothing. */
const SHOWN: ReadonlySet<Form> = new Set(['reveal', 'mask', 'redact', 'identity']);

/** How an answer of our own ended, by its status. */
export function outcomeOf(status: number): Exclude<Outcome, 'begun'> {
  if (status < 400) return 'ok';
  if (status >= 500) return 'failed';
  return [401, 403, 404].includes(status) ? 'refused' : 'invalid';
}

/** The credential of a caller as records name it. */
export function credentialOf({ actsBy, credentialId }: Caller): string {
  if (actsBy === 'session') return `session:${credentialId}`;
  // Its id is a hash already, with the word before it.
  return actsBy === 'invocation' ? credentialId : 'application';
}

/**
 * Containers of a record, in bytes. A hundred ids of 400 characters stand beside them, and all of
 * it has to fit an item of DynamoDB (400 KB).
 */
const CONTAINERS_MAX_BYTES = 50_000;

/** Tokens by the form in which they were seen. */
class Sighted {
  readonly #ids = new Map<Form, Set<string>>();
  readonly #containers = new Set<string>();

  get isEmpty(): boolean {
    return this.#ids.size === 0;
  }

  has(id: string): boolean {
    return [...this.#ids.values()].some((ids) => ids.has(id));
  }

  add({ id, containers = [] }: NamedToken, form: Form): void {
    const ids = this.#ids.get(form) ?? new Set();
    this.#ids.set(form, ids.add(id));
    for (const container of containers) this.#containers.add(container);
  }

  /** As many containers as a record has room for: others chose their names and their number. */
  #shownContainers(): Pick<AuditEntry, 'containers' | 'containersLeftOut'> {
    const containers: string[] = [];
    let bytes = 0;
    for (const container of this.#containers) {
      bytes += Buffer.byteLength(container);
      if (bytes > CONTAINERS_MAX_BYTES) break;
      containers.push(container);
    }
    const leftOut = this.#containers.size - containers.length;
    return {
      ...(containers.length > 0 && { containers }),
      ...(leftOut > 0 && { containersLeftOut: leftOut }),
    };
  }

  /** As members of a record; those of a form that `isLeftOut` are not among them. */
  members(isLeftOut: (form: Form) => boolean): Pick<AuditEntry, 'tokens' | 'containers'> {
    const kept = [...this.#ids].filter(([form]) => !isLeftOut(form));
    if (kept.length === 0) return {};
    const tokens = Object.fromEntries(kept.map(([form, ids]) => [form, [...ids]]));
    return { tokens, ...this.#shownContainers() };
  }
}

/**
 * Begins the record of a request: only what runs requests may do so (.dependency-cruiser.cjs), so
 * that nothing runs without one. `isRead`: it changes nothing, so that the setting `revealed` may
 * leave it out.
 */
export function openScope(
  log: AuditLog,
  trail: string,
  subject: AuditSubject,
  { isRead = false }: { readonly isRead?: boolean } = {},
): AuditScope {
  const named = new Set<string>();
  const there = new Map<string, NamedToken>();
  const recorded = new Set<string>();
  let pending = new Sighted();
  let hasShown = false;
  let change: Change | undefined;
  let about: Partial<AuditSubject> & Pick<AuditEntry, 'host'> = {};
  let begun: string | undefined;
  let leaves = false;
  let failure: Error | undefined;
  let turn: Promise<unknown> = Promise.resolve();

  const isLeftOut = (form: Form) => log.mode === 'revealed' && VEILED.has(form);

  async function append(entry: Omit<AuditEntry, 'op'>): Promise<string> {
    // What is seen while this is under way is for the next record.
    const members = defined({ ...subject, ...about, change, ...pending.members(isLeftOut), ...entry });
    pending = new Sighted();
    change = undefined;
    try {
      return placeText(await log.append(trail, members));
    } catch (error) {
      failure = error instanceof Error ? error : new Error('audit: not recorded', { cause: error });
      throw failure;
    }
  }

  /** A record that is under way may say what the next effect would. */
  function inTurn<T>(act: () => Promise<T>): Promise<T> {
    const done = turn.then(act);
    turn = done.catch(() => undefined);
    return done;
  }

  function saw(token: NamedToken, form: Form): void {
    hasShown = true;
    const name = `${form} ${token.id}`;
    if (recorded.has(name)) return;
    recorded.add(name);
    pending.add(token, form);
  }

  /** What an answer that failed would have shown was refused, as was what its caller named. */
  function refuse(): void {
    const seen = pending;
    pending = new Sighted();
    for (const [form, ids] of Object.entries(seen.members(() => false).tokens ?? {}))
      for (const id of ids) {
        const token = there.get(id) ?? { id };
        pending.add(token, SHOWN.has(form as Form) ? 'refused' : (form as Form));
      }
    for (const id of named) {
      const isSaid = pending.has(id) || [...recorded].some((name) => name.endsWith(` ${id}`));
      // An id that names nothing may be anything that its caller took for one.
      if (!isSaid && (there.has(id) || isUuid(id))) pending.add(there.get(id) ?? { id }, 'refused');
    }
  }

  return {
    saw,

    get hasBegun() {
      return begun !== undefined;
    },

    named(ids) {
      for (const id of ids) named.add(id);
    },

    found(tokens) {
      for (const token of tokens) there.set(token.id, token);
    },

    changes(next) {
      change = next;
    },

    about(resource) {
      about = { ...about, resource };
    },

    actsFor({ applicationId }) {
      about = { ...about, app: applicationId };
    },

    ahead({ tokens = [], form = 'use', leaves: isOutside = false, change: next, ...effect }) {
      // At once: effects that begin together are in one record.
      for (const token of tokens) saw(token, form);
      leaves ||= isOutside;
      return inTurn(async () => {
        if (failure !== undefined) throw failure;
        const told = { ...about, ...defined(effect) };
        const isNew = JSON.stringify(told) !== JSON.stringify(about);
        about = told;
        change = next ?? change;
        if (begun !== undefined && !isNew && pending.isEmpty && change === undefined) return;
        const place = await append({ outcome: 'begun' });
        begun ??= place;
      });
    },

    close: ({ status, outcome }) =>
      inTurn(async () => {
        if (failure !== undefined) {
          // To try the trail again would only make the caller wait for the same refusal.
          if (outcome === 'ok') throw failure;
          if (begun !== undefined) log.endMissing(failure);
          return;
        }
        if (outcome !== 'ok') refuse();
        const members = pending.members(isLeftOut);
        const end = defined({ status, outcome, of: begun });
        if (begun === undefined) {
          const isVeiled = outcome === 'ok' && hasShown && members.tokens === undefined;
          if (!(isRead && log.mode === 'revealed' && isVeiled)) await append(end);
          return;
        }
        if (outcome === 'ok' && members.tokens !== undefined) await append(end);
        // What was done is recorded: a caller who were told that it was not would do it again.
        else if (outcome !== 'ok' || leaves) await append(end).catch(log.endMissing);
      }),
  };
}
