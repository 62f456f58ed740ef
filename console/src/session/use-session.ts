import { createContext } from 'preact';
import { useContext, useEffect, useLayoutEffect, useMemo, useState } from 'preact/hooks';
import { isAborted, problemOf, type Problem } from '../problem.ts';
import { holdUnsaved } from '../unsaved.ts';
import type { Client } from '../sdk.ts';
import type { KeyKind } from './key-kind.ts';
import type { Session, SessionState } from './session.ts';

export const SessionContext = createContext<Session | undefined>(undefined);

export function useSession(): Session {
  const session = useContext(SessionContext);
  if (session === undefined) throw new Error('no session surrounds this view');
  return session;
}

/** The state of the session. The view is drawn again after each change. */
export function useSessionState(): SessionState {
  const session = useSession();
  const [state, setState] = useState(session.state());
  useEffect(() => {
    setState(session.state());
    return session.subscribe(() => setState(session.state()));
  }, [session]);
  return state;
}

/** The client of a kind of key. Only views that are shown with such a key may ask. */
export function useClient(kind: KeyKind): Client {
  const access = useSessionState().access[kind];
  const [client] = useState(access?.client);
  const found = access?.client ?? client;
  if (found === undefined) throw new Error(`no ${kind} key is in use`);
  return found;
}

export type Loaded<T> =
  | { readonly kind: 'loading'; readonly value: T | undefined }
  | { readonly kind: 'done'; readonly value: T }
  | { readonly kind: 'failed'; readonly problem: Problem; readonly value: T | undefined };

/**
 * Loads what a view shows, again when `inputs` or the key change, and on `reload()`. The earlier
 * value stays while the next one loads. A view that goes away ends its calls.
 */
export function useLoad<T>(
  kind: KeyKind,
  load: (client: Client, signal: AbortSignal) => Promise<T>,
  inputs: readonly unknown[],
): readonly [Loaded<T>, reload: () => void] {
  const client = useClient(kind);
  const [round, setRound] = useState(0);
  const [loaded, setLoaded] = useState<Loaded<T>>({ kind: 'loading', value: undefined });
  useEffect(() => {
    const abort = new AbortController();
    setLoaded(({ value }) => ({ kind: 'loading', value }));
    load(client, abort.signal).then(
      (value) => {
        if (!abort.signal.aborted) setLoaded({ kind: 'done', value });
      },
      (error: unknown) => {
        if (!abort.signal.aborted && !isAborted(error))
          setLoaded(({ value }) => ({ kind: 'failed', problem: problemOf(error), value }));
      },
    );
    return () => abort.abort();
  }, [client, round, ...inputs]);
  return [loaded, () => setRound((before) => before + 1)];
}

export interface Action {
  readonly isRunning: boolean;
  readonly problem: Problem | undefined;
  /** Runs one change at a time: a second click of a double click does nothing. */
  readonly run: (change: () => Promise<void>) => void;
  readonly forget: () => void;
}

/** A change that a person asks for, with its failure. */
export function useAction(): Action {
  const [state, setState] = useState<{ readonly isRunning: boolean; readonly problem: Problem | undefined }>({
    isRunning: false,
    problem: undefined,
  });
  return {
    ...state,
    run: (change) => {
      if (state.isRunning) return;
      setState({ isRunning: true, problem: undefined });
      change().then(
        () => setState({ isRunning: false, problem: undefined }),
        (error: unknown) => setState({ isRunning: false, problem: problemOf(error) }),
      );
    },
    forget: () => setState({ isRunning: false, problem: undefined }),
  };
}

/** Asks before an edit is lost by another link or by closing the tab. */
export function useUnsaved(isChanged: boolean): void {
  // It marks the edit before the next frame, because a click may follow the last key press.
  useLayoutEffect(() => (isChanged ? holdUnsaved() : undefined), [isChanged]);
}

/**
 * A key that stays while the same is sent again, and changes with it: a retry after a lost response
 * creates nothing twice.
 */
export function useIdempotencyKey(body: unknown): string {
  const text = JSON.stringify(body);
  return useMemo(() => crypto.randomUUID(), [text]);
}

/** Moves on while a view is shown, so that times like `2 minutes ago` stay true. */
export function useNow(everyMs = 30_000): number {
  const [now, setNow] = useState(Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), everyMs);
    return () => clearInterval(timer);
  }, [everyMs]);
  return now;
}
