import { useEffect, useMemo, useState } from 'preact/hooks';
import { isAborted, problemOf, type Problem } from '../problem.ts';
import type { LogRecord } from '../sdk.ts';
import { useClient, useSessionState } from '../session/use-session.ts';
import { logQueryOf, type TrailFilter } from './trail-filter.ts';

/** Each page is a read and a record of its own: a person asks for more of them. */
const RECORDS_AT_ONCE = 1_000;
const PAGE = 100;

export interface Trail {
  readonly records: readonly LogRecord[];
  readonly isLoading: boolean;
  /** Whether there are older records in the range, which are not counted. */
  readonly isCut: boolean;
  readonly problem: Problem | undefined;
  /** The range, in ms; `from` is `undefined` if it is open. */
  readonly to: number;
  readonly from: number | undefined;
  readonly loadMore: () => void;
  readonly reload: () => void;
}

interface State {
  /** The filter, the key and the round to which the rest belongs. */
  readonly list: string;
  readonly records: readonly LogRecord[];
  readonly after: string | null | undefined;
  readonly isLoading: boolean;
  readonly problem: Problem | undefined;
}

/** Reads the trail from its newest record back, a thousand records at a time, page by page. */
export function useTrail(filter: TrailFilter): Trail {
  const client = useClient('management');
  const version = useSessionState().access.management?.version;
  const [round, setRound] = useState(0);
  const list = JSON.stringify([filter, version, round]);
  const now = useMemo(() => Date.now(), [list]);
  const nothing: State = { list, records: [], after: undefined, isLoading: true, problem: undefined };
  const [stored, setState] = useState(nothing);
  const state = stored.list === list ? stored : nothing;
  const [wanted, setWanted] = useState({ list, records: RECORDS_AT_ONCE });
  const asked = wanted.list === list ? wanted.records : RECORDS_AT_ONCE;

  useEffect(() => {
    const abort = new AbortController();
    const load = async () => {
      let { after, records } = state;
      while (after !== null && records.length < asked) {
        const query = { ...logQueryOf(filter, now), size: PAGE, after };
        const page = await client.logs.list(query, { signal: abort.signal });
        if (abort.signal.aborted) return;
        records = [...records, ...page.data];
        after = page.pagination.after;
        const isLoading = after !== null && records.length < asked;
        setState({ list, records, after, isLoading, problem: undefined });
      }
    };
    setState({ ...state, isLoading: true, problem: undefined });
    load().catch((error: unknown) => {
      if (!abort.signal.aborted && !isAborted(error))
        setState((before) => ({ ...before, isLoading: false, problem: problemOf(error) }));
    });
    return () => abort.abort();
  }, [client, list, asked]);

  const { from, to } = logQueryOf(filter, now);
  return {
    ...state,
    isCut: state.after !== null && !state.isLoading,
    to: to === undefined ? now : new Date(to).getTime() - 1,
    from: from === undefined ? undefined : new Date(from).getTime(),
    loadMore: () => setWanted({ list, records: asked + RECORDS_AT_ONCE }),
    reload: () => setRound((before) => before + 1),
  };
}
