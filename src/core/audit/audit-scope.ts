import { isUuid } from '../shared/is-uuid.ts';
import { defined } from '../shared/defined.ts';
import type { AuditLog } from './audit-log.ts';
import { placeText, type AuditEntry, type Change, type Form, type Outcome } from './audit-record.ts';
import type { Effect, NamedToken } from './effect.ts';

/** What the product reports about a request while it runs. Reporting writes nothing. */
export interface Sightings {
  /** A token is about to be shown or used. Call this before opening the token. */
  saw(token: NamedToken, form: Form): void;
  /** The caller named these ids. Those that are not shown to it are recorded as refused. */
  named(ids: Iterable<string>): void;
  /** Tokens with these ids exist. */
  found(tokens: readonly NamedToken[]): void;
  /** So many tokens matched a search that its record names only those that are shown. */
  matched(count: number): void;
  /** The change that the next effect makes. */
  changes(change: Change): void;
  /** The resource of the request, if the path does not name it: `token:<id>`. */
  about(resource: string): void;
  /** The application that acts, if it was unknown when the request started. */
  actsFor(caller: { readonly applicationId: string }): void;
}

/** How a request ended. */
export interface End {
  /** Status of the response; absent for work without a response. */
  readonly status?: number;
  readonly outcome: Outcome;
}

/** The audit of one request, from the moment that its caller is known. */
export interface AuditScope extends Sightings {
  /** Whether a record was written before an effect. */
  readonly hasBegun: boolean;
  /**
   * Records a coming effect, with everything reported so far. Resolves once the record is durable,
   * or immediately if one covers it. On `dependency_unavailable` the effect must not happen.
   */
  ahead(effect: Effect): Promise<void>;
  /**
   * Records the end, unless the records show it; must resolve before the response is sent. If it
   * rejects (`dependency_unavailable`), nothing of the response may be shown.
   */
  close(end: End): Promise<void>;
}

/** The members that all records of a request share. */
export type AuditSubject = Pick<
  AuditEntry,
  'op' | 'app' | 'cred' | 'ip' | 'trace' | 'resource' | 'invocation'
>;

/** Forms in which a response shows a token; a failed response shows nothing. */
const SHOWN: ReadonlySet<Form> = new Set(['reveal', 'mask', 'redact', 'identity', 'examined']);

/** The outcome of a request, by the status of our response. */
export function outcomeOf(status: number): Exclude<Outcome, 'begun'> {
  if (status < 400) return 'ok';
  if (status >= 500) return 'failed';
  return [401, 403, 404].includes(status) ? 'refused' : 'invalid';
}

/**
 * Most bytes of the JSON of containers in a record, which others than its caller choose: with them
 * the record of one token still costs one write unit.
 */
const CONTAINERS_MAX_BYTES = 300;

/** The tokens that were reported, by form. */
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

  /** The containers that fit into a record: other callers choose their names and their number. */
  #shownContainers(): Pick<AuditEntry, 'containers' | 'containersLeftOut'> {
    const containers: string[] = [];
    let bytes = 0;
    for (const container of this.#containers) {
      // With its quotes and a comma: no character of a container is escaped.
      bytes += Buffer.byteLength(container) + 3;
      if (bytes > CONTAINERS_MAX_BYTES) break;
      containers.push(container);
    }
    const leftOut = this.#containers.size - containers.length;
    return {
      ...(containers.length > 0 && { containers }),
      ...(leftOut > 0 && { containersLeftOut: leftOut }),
    };
  }

  /** The members of a record. */
  members(): Pick<AuditEntry, 'tokens' | 'containers'> {
    if (this.isEmpty) return {};
    const tokens = Object.fromEntries([...this.#ids].map(([form, ids]) => [form, [...ids]]));
    return { tokens, ...this.#shownContainers() };
  }
}

/**
 * Starts the audit of a request. Only code that runs requests may call it
 * (.dependency-cruiser.cjs).
 */
export function openScope(log: AuditLog, trail: string, subject: AuditSubject): AuditScope {
  const named = new Set<string>();
  const there = new Map<string, NamedToken>();
  /** The forms in which each id was reported. */
  const recorded = new Map<string, Set<Form>>();
  let pending = new Sighted();
  let change: Change | undefined;
  let about: Partial<AuditSubject> & Pick<AuditEntry, 'host' | 'matches'> = {};
  let begun: string | undefined;
  let leaves = false;
  let failure: Error | undefined;
  let turn: Promise<unknown> = Promise.resolve();

  async function append(entry: Omit<AuditEntry, 'op'>): Promise<string> {
    // Tokens that are reported while this record is being written belong to the next one.
    const members = defined({ ...subject, ...about, change, ...pending.members(), ...entry });
    pending = new Sighted();
    change = undefined;
    try {
      return placeText(await log.append(trail, members));
    } catch (error) {
      failure = error instanceof Error ? error : new Error('audit: not recorded', { cause: error });
      throw failure;
    }
  }

  /** Runs acts one after the other: a record that is being written may cover the next effect. */
  function inTurn<T>(act: () => Promise<T>): Promise<T> {
    const done = turn.then(act);
    turn = done.catch(() => undefined);
    return done;
  }

  function saw(token: NamedToken, form: Form): void {
    const forms = recorded.get(token.id) ?? new Set();
    if (forms.has(form)) return;
    recorded.set(token.id, forms.add(form));
    pending.add(token, form);
  }

  /** Reports tokens of a failed response, and tokens that the caller named, as refused. */
  function refuse(): void {
    const seen = pending;
    pending = new Sighted();
    for (const [form, ids] of Object.entries(seen.members().tokens ?? {}))
      for (const id of ids) {
        const token = there.get(id) ?? { id };
        pending.add(token, SHOWN.has(form as Form) ? 'refused' : (form as Form));
      }
    for (const id of named) {
      const isSaid = pending.has(id) || recorded.has(id);
      // An id without a token is recorded only if it is a UUID: any other text may be sensitive
      // data.
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

    matched(count) {
      about = { ...about, matches: count };
    },

    about(resource) {
      about = { ...about, resource };
    },

    actsFor({ applicationId }) {
      about = { ...about, app: applicationId };
    },

    ahead({ tokens = [], form = 'use', leaves: isOutside = false, change: next, ...effect }) {
      // Report the tokens immediately, so that effects that start together share one record.
      for (const token of tokens) saw(token, form);
      leaves ||= isOutside;
      return inTurn(async () => {
        if (failure !== undefined) throw failure;
        const reported = { ...about, ...defined(effect) };
        const isNew = JSON.stringify(reported) !== JSON.stringify(about);
        about = reported;
        change = next ?? change;
        if (begun !== undefined && !isNew && pending.isEmpty && change === undefined) return;
        const place = await append({ outcome: 'begun' });
        begun ??= place;
      });
    },

    close: ({ status, outcome }) =>
      inTurn(async () => {
        if (failure !== undefined) {
          // Another attempt to write would only delay the same error.
          if (outcome === 'ok') throw failure;
          if (begun !== undefined) log.endMissing(failure);
          return;
        }
        if (outcome !== 'ok') refuse();
        const end = defined({ status, outcome, of: begun });
        if (begun === undefined || (outcome === 'ok' && !pending.isEmpty)) await append(end);
        // The effect is recorded: reporting an error here would make the caller repeat it.
        else if (outcome !== 'ok' || leaves) await append(end).catch(log.endMissing);
      }),
  };
}
