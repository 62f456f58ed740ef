import type { AttemptEvent } from '../../../packages/sdk/src/index.ts';
import { createClient, type Client } from '../sdk.ts';
import type { TokenFilter } from './token-filter.ts';
import { isSameTenant, keyHint, keyKindOf, type KeyKind } from './key-kind.ts';

/** Keys are forgotten after this time without a key press or click. */
export const IDLE_MS = 15 * 60_000;
/** The console makes a person wait at most this long for one attempt of a call. */
const ATTEMPT_MS = 35_000;

export interface Service {
  readonly api_url: string;
  readonly header_prefix: string;
  /** Whether the page comes from `npm start`, whose server also shows the state of the machine. */
  readonly local: boolean;
  /** Where the documentation is, if the deployment has it somewhere. */
  readonly docs_url?: string;
}

/** A key in use. Nothing but the client has its text. */
export interface Access {
  readonly client: Client;
  readonly hint: string;
  /** Changes with each key, so that views load again. */
  readonly version: number;
  /** Why the service no longer accepts the key. */
  readonly ended: string | undefined;
}

/** The keys that the page knows. Each change is a new value. */
export interface SessionState {
  readonly access: Readonly<Partial<Record<KeyKind, Access>>>;
  /** Explains why the keys are gone. */
  readonly notice: string | undefined;
  /** A retry that is under way, for people who wait. */
  readonly waiting: string | undefined;
}

export interface Session {
  readonly service: Service;
  /** The filter of the list of tokens, which goes with the keys. */
  tokenFilter: TokenFilter | undefined;
  state(): SessionState;
  /** Calls the listener after each change, until the returned function is called. */
  subscribe(listener: () => void): () => void;
  /**
   * Accepts a key without asking the service. Returns what is wrong with its text, or why it does
   * not fit to the place or to the other key.
   */
  signIn(key: string, wanted?: KeyKind): string | undefined;
  /** Shows a sentence above the input of a key. */
  note(notice: string): void;
  /** Forgets one key, so that another can be used in its place. */
  drop(kind: KeyKind): void;
  /** Forgets all keys. */
  signOut(notice?: string): void;
  /** The header that the local server asks for: only that of a management key. */
  localHeaders(): Readonly<Record<string, string>> | undefined;
  /** A person did something now. */
  touch(): void;
  /** Forgets the keys of a person who has left. */
  checkIdle(): void;
}

const SIGNED_OUT: SessionState = { access: {}, notice: undefined, waiting: undefined };

const ENDED = new Map([
  ['key_expired', 'It has expired.'],
  ['unauthenticated', 'It was deleted or replaced, or its application has ended.'],
]);
/** The code of a reactor may answer 401 too, by an error of its own. */
const RUN = 'POST /reactors/{id}/react';

/** Why the service no longer accepts the key of a call; `undefined` for any other response. */
const endedBy = ({ route, status, code }: AttemptEvent): string | undefined =>
  status === 401 && route !== RUN ? ENDED.get(code ?? '') : undefined;

/** Whether a response shows that the service knows the key, whatever it permits. */
const isAccepted = ({ status }: AttemptEvent): boolean =>
  status !== undefined && status < 500 && status !== 401;

const waitingFor = (retryInMs: number | undefined): string | undefined =>
  retryInMs === undefined
    ? undefined
    : `The service is busy. Trying again in ${String(Math.max(1, Math.round(retryInMs / 1000)))} s.`;

/** The state of a tab, with those who follow it. */
function createStore() {
  let current = SIGNED_OUT;
  const listeners = new Set<() => void>();
  return {
    state: () => current,
    change: (next: Partial<SessionState>): void => {
      current = { ...current, ...next };
      for (const listener of listeners) listener();
    },
    subscribe: (listener: () => void): (() => void) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

/** Stores the keys in use, for the local server and to compare their tenants. */
function createKeyring() {
  const texts = new Map<KeyKind, string>();
  return {
    texts,
    /** Returns the kind of a key, or what is wrong with it here. */
    admit: (key: string, wanted: KeyKind | undefined): KeyKind | { readonly problem: string } => {
      const kind = keyKindOf(key);
      if (typeof kind === 'object') return kind;
      if (wanted !== undefined && kind !== wanted)
        return { problem: `This is a ${kind} key. Here a ${wanted} key is needed.` };
      if ([...texts.values()].every((text) => isSameTenant(text, key))) return kind;
      return { problem: 'This key is of another tenant than the one in use. Sign out first.' };
    },
  };
}

/** A key of one call after another: whether it worked, and whether it took the place of another. */
interface KeyUse {
  readonly kind: KeyKind;
  readonly version: number;
  readonly isReplacing: boolean;
  wasAccepted: boolean;
}

/** Notes what each call shows about its key and about the service. */
function watcherOf(
  { state, change }: ReturnType<typeof createStore>,
  forget: (kind: KeyKind, notice: string) => void,
) {
  return (use: KeyUse, event: AttemptEvent): void => {
    const { kind, version } = use;
    const { access, waiting } = state();
    const current = access[kind];
    if (current?.version !== version) return;
    if (isAccepted(event)) use.wasAccepted = true;
    const ended = endedBy(event);
    if (ended !== undefined && !use.wasAccepted && !use.isReplacing) {
      // The service never accepted it, so there is no work to go on with.
      forget(
        kind,
        `The service does not accept this ${kind} key. Check that it is whole, and of this service.`,
      );
      return;
    }
    if (ended !== undefined && current.ended === undefined)
      change({ access: { ...access, [kind]: { ...current, ended } } });
    const next = waitingFor(event.retryInMs);
    if (next !== waiting) change({ waiting: next });
  };
}

/**
 * The keys of this tab. They are in variables of these closures and in the clients, in no storage
 * and in no address. `now` returns ms.
 */
export function createSession(service: Service, now: () => number): Session {
  const store = createStore();
  const { texts, admit } = createKeyring();
  let lastTouch = now();
  let versions = 0;

  /** Forgets one key, and what goes with it. */
  function forget(kind: KeyKind, notice: string): void {
    const { [kind]: _, ...access } = store.state().access;
    texts.delete(kind);
    // A search may be data, which the next key may not see.
    if (kind === 'private') session.tokenFilter = undefined;
    store.change({ access, notice, waiting: undefined });
  }
  const watch = watcherOf(store, forget);

  const session: Session = {
    service,
    tokenFilter: undefined,
    state: () => store.state(),
    subscribe: (listener) => store.subscribe(listener),
    signIn: (key, wanted) => {
      const kind = admit(key, wanted);
      if (typeof kind === 'object') return kind.problem;
      lastTouch = now();
      const { access } = store.state();
      const version = (versions += 1);
      const use: KeyUse = { kind, version, isReplacing: access[kind] !== undefined, wasAccepted: false };
      const client = createClient({
        baseUrl: service.api_url,
        apiKey: key,
        headerPrefix: service.header_prefix,
        timeoutMs: ATTEMPT_MS,
        onAttempt: (event) => watch(use, event),
      });
      texts.set(kind, key);
      const added: Access = { client, hint: keyHint(key), version, ended: undefined };
      store.change({ access: { ...access, [kind]: added }, notice: undefined, waiting: undefined });
      return undefined;
    },
    signOut: (notice) => {
      texts.clear();
      session.tokenFilter = undefined;
      store.change({ ...SIGNED_OUT, notice });
    },
    drop: (kind) => forget(kind, `The page forgot the ${kind} key.`),
    localHeaders: () => {
      const key = texts.get('management');
      return key === undefined ? undefined : { [`${service.header_prefix}-API-KEY`]: key };
    },
    note: (notice) => store.change({ notice: notice === '' ? undefined : notice }),
    touch: () => {
      // A machine that slept runs no timer: its first key press does not count as presence.
      session.checkIdle();
      lastTouch = now();
    },
    checkIdle: () => {
      if (now() - lastTouch >= IDLE_MS && texts.size > 0)
        session.signOut('You were away for 15 minutes, so this page forgot your keys.');
    },
  };
  return session;
}
