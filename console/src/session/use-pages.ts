import { useEffect, useState } from 'preact/hooks';
import { isAborted, problemOf, type Problem } from '../problem.ts';
import type { Client, Page } from '../sdk.ts';
import type { KeyKind } from './key-kind.ts';
import { useClient, useSessionState } from './use-session.ts';

export interface Pages<T> {
  readonly items: readonly T[];
  /** `3`, `10,000+`, or `undefined` if the service does not count. */
  readonly total: string | undefined;
  readonly isLoading: boolean;
  /** Whether the items are those of the filter before. */
  readonly isStale: boolean;
  readonly problem: Problem | undefined;
  /** Loads the next page; `undefined` at the end. */
  readonly more: (() => void) | undefined;
  /** Begins again at the first page. */
  readonly reload: () => void;
}

interface State<T> {
  /** Names the list to which the items belong. */
  readonly list: string;
  readonly items: readonly T[];
  readonly total: string | undefined;
  readonly after: string | null;
  readonly isLoading: boolean;
  readonly problem: Problem | undefined;
}

type FetchPage<T> = (client: Client, after: string | undefined, signal: AbortSignal) => PromiseLike<Page<T>>;

function totalOf({ pagination }: Page<unknown>): string | undefined {
  if (pagination.total_items === undefined) return undefined;
  return `${pagination.total_items.toLocaleString('en')}${pagination.total_is_lower_bound === true ? '+' : ''}`;
}

/** A list that grows by pages. It begins again when `inputs` or the key change. */
export function usePages<T>(kind: KeyKind, fetchPage: FetchPage<T>, inputs: readonly unknown[]): Pages<T> {
  const client = useClient(kind);
  const version = useSessionState().access[kind]?.version;
  const [round, setRound] = useState(0);
  // A page continues the list of this key, these inputs and this round alone.
  const list = JSON.stringify([version, round, inputs]);
  const [next, setNext] = useState({ list, after: undefined as string | undefined, turn: 0 });
  const { after: asked, turn } = next.list === list ? next : { after: undefined, turn: 0 };
  const start: State<T> = {
    list,
    items: [],
    total: undefined,
    after: null,
    isLoading: true,
    problem: undefined,
  };
  const [state, setState] = useState(start);

  useEffect(() => {
    const abort = new AbortController();
    setState((before) => ({ ...before, isLoading: true, problem: undefined }));
    fetchPage(client, asked, abort.signal).then(
      (page) => {
        if (abort.signal.aborted) return;
        setState((before) => ({
          list,
          items: asked === undefined ? page.data : [...before.items, ...page.data],
          total: asked === undefined ? totalOf(page) : before.total,
          after: page.pagination.after,
          isLoading: false,
          problem: undefined,
        }));
      },
      (error: unknown) => {
        if (!abort.signal.aborted && !isAborted(error))
          setState((before) => ({
            ...(before.list === list ? before : start),
            isLoading: false,
            problem: problemOf(error),
          }));
      },
    );
    return () => abort.abort();
  }, [client, list, asked, turn]);

  const { after, list: shown } = state;
  return {
    ...state,
    isStale: shown !== list,
    more: after === null || shown !== list ? undefined : () => setNext({ list, after, turn: turn + 1 }),
    reload: () => setRound((before) => before + 1),
  };
}
