import { isUuid } from '../shared/is-uuid.ts';
import { defined } from '../shared/defined.ts';
import type { AuditLog } from './audit-log.ts';
import { placeText, type AuditEntry, type Change, type Form, type Outcome } from './audit-record.ts';
import type { Effect, NamedToken } from './effect.ts';
import { addToken, hasToken, isEmpty, membersOf, noTokens, type ReportedTokens } from './reported-tokens.ts';

/** The product reports what a request sees while it runs. Reporting writes nothing. */
export interface Sightings {
  /** A token is about to be shown or used. This must be called before the token is opened. */
  saw(token: NamedToken, form: Form): void;
  /** The caller named these ids. Those that are not shown to it are recorded as refused. */
  named(ids: Iterable<string>): void;
  /** Tokens with these ids exist. */
  found(tokens: readonly NamedToken[]): void;
  /** So many tokens matched a search that its record names only those that are shown. */
  matched(count: number): void;
  /** The next effect makes this change. */
  changes(change: Change): void;
  /** The request is about this resource (`token:<id>`), which its path does not name. */
  about(resource: string): void;
  /** This application acts, which was unknown when the request started. */
  actsFor(caller: { readonly applicationId: string }): void;
}

export interface End {
  /** Status that the response has. Absent for work without a response. */
  readonly status?: number;
  readonly outcome: Outcome;
}

/** The audit of one request, from the moment that its caller is known. */
export interface AuditScope extends Sightings {
  /** Whether the request has named tokens to its record. */
  readonly hasNamed: boolean;
  /** Whether a record was written before an effect. */
  readonly hasBegun: boolean;
  /** The number of tokens that a response with the status `ok` shows in plaintext. */
  readonly revealed: number;
  /**
   * Records a coming effect, with everything reported so far. Resolves once the record is durable,
   * or immediately if an earlier one covers it. On `dependency_unavailable` the effect must not
   * happen.
   */
  ahead(effect: Effect): Promise<void>;
  /**
   * Records the end, unless the records already show it. It must resolve before the response is
   * sent. If it rejects (`dependency_unavailable`), nothing of the response may be shown.
   */
  close(end: End): Promise<void>;
}

/** Members that all records of a request have in common. */
export type AuditSubject = Pick<
  AuditEntry,
  'op' | 'app' | 'cred' | 'ip' | 'trace' | 'resource' | 'proxy' | 'proxyVersion' | 'invocation'
>;

/** Forms in which a response shows a token. A failed response shows nothing. */
const SHOWN: ReadonlySet<Form> = new Set(['reveal', 'mask', 'redact', 'identity', 'examined']);

/** How a request ended, according to the status of our response. */
export function outcomeOf(status: number): Exclude<Outcome, 'begun'> {
  if (status < 400) return 'ok';
  if (status >= 500) return 'failed';
  return [401, 403, 404].includes(status) ? 'refused' : 'invalid';
}

/** How far the records of a request are. `first` is the place of its first record. */
type Lifecycle =
  | { readonly state: 'open' }
  | { readonly state: 'begun'; readonly first: string }
  | { readonly state: 'failed'; readonly error: Error; readonly first: string | undefined };

/** Members of the records that are known only while the request runs. */
type Details = Partial<AuditSubject> & Pick<AuditEntry, 'host' | 'matches'>;

/** The state of a scope: what it knows about its request and has recorded so far. */
interface Recording {
  readonly log: AuditLog;
  readonly trail: string;
  readonly subject: AuditSubject;
  lifecycle: Lifecycle;
  details: Details;
  /** Whether an effect has left the service. */
  hasLeft: boolean;
  /** The tokens and the change that no record has yet. */
  pending: ReportedTokens;
  change: Change | undefined;
  /** The forms in which each id was reported, in this record or an earlier one. */
  readonly formsById: Map<string, Set<Form>>;
  readonly namedIds: Set<string>;
  readonly foundTokens: Map<string, NamedToken>;
}

const firstRecordOf = ({ lifecycle }: Recording): string | undefined =>
  lifecycle.state === 'open' ? undefined : lifecycle.first;

function report(recording: Recording, token: NamedToken, form: Form): void {
  const forms = recording.formsById.get(token.id) ?? new Set();
  if (forms.has(form)) return;
  recording.formsById.set(token.id, forms.add(form));
  addToken(recording.pending, token, form);
}

/**
 * Reports tokens as refused if the response failed, or if the caller named them and did not see
 * them.
 */
function refuse(recording: Recording): void {
  const { pending, namedIds, foundTokens, formsById } = recording;
  const refused = noTokens();
  const add = (id: string, form: Form) => addToken(refused, foundTokens.get(id) ?? { id }, form);
  for (const [form, ids] of pending.ids) for (const id of ids) add(id, SHOWN.has(form) ? 'refused' : form);
  for (const id of namedIds) {
    if (hasToken(refused, id) || formsById.has(id)) continue;
    // An id without a token is recorded only if it is a UUID, because any other text may be
    // sensitive data.
    if (foundTokens.has(id) || isUuid(id)) add(id, 'refused');
  }
  recording.pending = refused;
}

async function append(recording: Recording, entry: Omit<AuditEntry, 'op'>): Promise<string> {
  const { log, trail, subject, details, change, pending } = recording;
  const members = defined({ ...subject, ...details, change, ...membersOf(pending), ...entry });
  // Tokens that are reported while this record is being written belong to the next one.
  recording.pending = noTokens();
  recording.change = undefined;
  try {
    return placeText(await log.append(trail, members));
  } catch (cause) {
    const error = cause instanceof Error ? cause : new Error('audit: not recorded', { cause });
    recording.lifecycle = { state: 'failed', error, first: firstRecordOf(recording) };
    throw error;
  }
}

/** Records an effect unless the records have everything that it would add. */
async function begin(recording: Recording, effect: Details, change: Change | undefined): Promise<void> {
  const { lifecycle } = recording;
  if (lifecycle.state === 'failed') throw lifecycle.error;
  const details = { ...recording.details, ...defined(effect) };
  const isNew = JSON.stringify(details) !== JSON.stringify(recording.details);
  recording.details = details;
  recording.change = change ?? recording.change;
  const isCovered = !isNew && isEmpty(recording.pending) && recording.change === undefined;
  if (lifecycle.state === 'begun' && isCovered) return;
  const place = await append(recording, { outcome: 'begun' });
  if (lifecycle.state === 'open') recording.lifecycle = { state: 'begun', first: place };
}

/** Records the end of a request, unless its records already show it. */
async function end(recording: Recording, { status, outcome }: End): Promise<void> {
  const { lifecycle, log, hasLeft } = recording;
  if (lifecycle.state === 'failed') {
    // Another attempt to write would only delay the same error.
    if (outcome === 'ok') throw lifecycle.error;
    if (lifecycle.first !== undefined) log.endMissing(lifecycle.error);
    return;
  }
  if (outcome !== 'ok') refuse(recording);
  const entry = defined({ status, outcome, of: firstRecordOf(recording) });
  const showsMore = outcome === 'ok' && !isEmpty(recording.pending);
  if (lifecycle.state === 'open' || showsMore) await append(recording, entry);
  // The effect is recorded. An error here would make the caller repeat it.
  else if (outcome !== 'ok' || hasLeft) await append(recording, entry).catch(log.endMissing);
}

/** Runs functions one after the other. */
function createSequence() {
  let last: Promise<unknown> = Promise.resolve();
  return <T>(run: () => Promise<T>): Promise<T> => {
    const result = last.then(run);
    last = result.catch(() => undefined);
    return result;
  };
}

/**
 * Starts the audit of a request. Only code that runs requests may call it
 * (.dependency-cruiser.cjs).
 */
export function openScope(log: AuditLog, trail: string, subject: AuditSubject): AuditScope {
  const recording: Recording = {
    log,
    trail,
    subject,
    lifecycle: { state: 'open' },
    details: {},
    hasLeft: false,
    pending: noTokens(),
    change: undefined,
    formsById: new Map(),
    namedIds: new Set(),
    foundTokens: new Map(),
  };
  // Records are written in sequence, because the one that is being written may cover the next
  // effect.
  const inSequence = createSequence();
  const addDetails = (details: Details) => {
    recording.details = { ...recording.details, ...details };
  };

  return {
    get hasNamed() {
      return recording.namedIds.size > 0;
    },
    get hasBegun() {
      return firstRecordOf(recording) !== undefined;
    },
    get revealed() {
      return [...recording.formsById.values()].filter((forms) => forms.has('reveal')).length;
    },
    saw(token, form) {
      report(recording, token, form);
    },
    named(ids) {
      for (const id of ids) recording.namedIds.add(id);
    },
    found(tokens) {
      for (const token of tokens) recording.foundTokens.set(token.id, token);
    },
    changes(change) {
      recording.change = change;
    },
    matched(count) {
      addDetails({ matches: count });
    },
    about(resource) {
      addDetails({ resource });
    },
    actsFor({ applicationId }) {
      addDetails({ app: applicationId });
    },
    ahead({ tokens = [], form = 'use', leaves = false, change, ...effect }) {
      // The tokens are reported immediately, so that effects that start together share one record.
      for (const token of tokens) report(recording, token, form);
      recording.hasLeft ||= leaves;
      return inSequence(() => begin(recording, effect, change));
    },
    close: (how) => inSequence(() => end(recording, how)),
  };
}
