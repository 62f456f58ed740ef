import { useEffect, useState } from 'preact/hooks';
import { Section, View, Waiting } from '../parts/page.tsx';
import { ProblemBox } from '../parts/problem-box.tsx';
import { Badge, Code, Time } from '../parts/text.tsx';
import { isAborted } from '../problem.ts';
import { askLocal } from '../session/local-server.ts';
import { useSession } from '../session/use-session.ts';

const POLL_MS = 5_000;

/** The local account reports its state so (docs/local.md#health). */
interface Health {
  readonly since: string;
  readonly now: string;
  readonly functions: readonly {
    readonly name: string;
    readonly invocations: number;
    readonly errors: number;
    readonly throttles: number;
    readonly instances: number;
    readonly last_error_at: string | null;
  }[];
  readonly queues: readonly {
    readonly name: string;
    readonly visible: number;
    readonly in_flight: number;
    readonly delayed: number;
    readonly oldest_age_seconds: number | null;
    readonly dead_letter: boolean;
  }[];
  readonly alarms: readonly {
    readonly name: string;
    readonly description: string;
    readonly state: 'OK' | 'ALARM' | 'INSUFFICIENT_DATA';
    readonly reason: string;
  }[];
}

function useHealth() {
  const session = useSession();
  const [state, setState] = useState<{ readonly health?: Health; readonly problem?: string }>({});
  const [round, setRound] = useState(0);
  useEffect(() => {
    const abort = new AbortController();
    const ask = () =>
      askLocal<Health>(session, 'health', abort.signal).then(
        (health) => setState({ health }),
        (error: unknown) => {
          if (!isAborted(error))
            setState((before) => ({
              ...before,
              problem: error instanceof Error ? error.message : 'no answer',
            }));
        },
      );
    void ask();
    const timer = setInterval(() => void ask(), POLL_MS);
    return () => {
      abort.abort();
      clearInterval(timer);
    };
  }, [session, round]);
  return [state, () => setRound((before) => before + 1)] as const;
}

const TONES = { OK: 'good', ALARM: 'bad', INSUFFICIENT_DATA: 'none' } as const;
const STATES = { OK: 'OK', ALARM: 'alarm', INSUFFICIENT_DATA: 'no data' } as const;
const ORDER = { ALARM: 0, OK: 1, INSUFFICIENT_DATA: 2 } as const;

const Alarms = ({ alarms }: { readonly alarms: Health['alarms'] }) => (
  <table class="list">
    <thead>
      <tr>
        <th scope="col">Alarm</th>
        <th scope="col">State</th>
        <th scope="col">Why</th>
      </tr>
    </thead>
    <tbody>
      {alarms
        .toSorted((one, other) => ORDER[one.state] - ORDER[other.state])
        .map(({ name, description, state, reason }) => (
          <tr key={name}>
            <th scope="row" title={description}>
              <Code>{name}</Code>
            </th>
            <td data-label="State">
              <Badge tone={TONES[state]}>{STATES[state]}</Badge>
            </td>
            <td data-label="Why">{reason}</td>
          </tr>
        ))}
    </tbody>
  </table>
);

const Queues = ({ queues }: { readonly queues: Health['queues'] }) => (
  <table class="list">
    <thead>
      <tr>
        <th scope="col">Queue</th>
        <th scope="col">Waiting</th>
        <th scope="col">In flight</th>
        <th scope="col">Delayed</th>
        <th scope="col">Oldest</th>
      </tr>
    </thead>
    <tbody>
      {queues.map((queue) => (
        <tr key={queue.name}>
          <th scope="row">
            <Code>{queue.name}</Code>{' '}
            {queue.dead_letter && <Badge tone={queue.visible > 0 ? 'bad' : 'none'}>dead letter</Badge>}
          </th>
          <td data-label="Waiting">{queue.visible}</td>
          <td data-label="In flight">{queue.in_flight}</td>
          <td data-label="Delayed">{queue.delayed}</td>
          <td data-label="Oldest">
            {queue.oldest_age_seconds === null ? '' : `${String(queue.oldest_age_seconds)} s`}
          </td>
        </tr>
      ))}
    </tbody>
  </table>
);

const Functions = ({ functions }: { readonly functions: Health['functions'] }) => (
  <table class="list">
    <thead>
      <tr>
        <th scope="col">Function</th>
        <th scope="col">Calls</th>
        <th scope="col">Errors</th>
        <th scope="col">Throttled</th>
        <th scope="col">Instances</th>
        <th scope="col">Last error</th>
      </tr>
    </thead>
    <tbody>
      {functions.map((each) => (
        <tr key={each.name}>
          <th scope="row">
            <Code>{each.name}</Code>
          </th>
          <td data-label="Calls">{each.invocations}</td>
          <td data-label="Errors" class={each.errors > 0 ? 'is-bad' : undefined}>
            {each.errors}
          </td>
          <td data-label="Throttled">{each.throttles}</td>
          <td data-label="Instances">{each.instances}</td>
          <td data-label="Last error">{each.last_error_at !== null && <Time iso={each.last_error_at} />}</td>
        </tr>
      ))}
    </tbody>
  </table>
);

/** The state of the local account: what an operator sees of AWS in CloudWatch. */
export function HealthView() {
  const [{ health, problem }, reload] = useHealth();
  const failure =
    problem === undefined
      ? undefined
      : {
          title: 'The local account did not answer',
          code: undefined,
          detail: problem,
          fields: [],
          traceId: undefined,
        };
  return (
    <View title="Health">
      <ProblemBox problem={failure} onRetry={reload} />
      {health === undefined && failure === undefined && <Waiting />}
      {health !== undefined && (
        <>
          <p class="muted">
            Of this machine since <Time iso={health.since} />; it is asked every 5 seconds.
          </p>
          <Section title="Alarms">
            <Alarms alarms={health.alarms} />
          </Section>
          <Section title="Queues">
            <Queues queues={health.queues} />
          </Section>
          <Section title="Functions">
            <Functions functions={health.functions} />
          </Section>
        </>
      )}
    </View>
  );
}
