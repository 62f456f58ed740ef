import type { StateTime } from './control-plane/state-time.ts';
import type { InvocationOutcome } from './function-definition.ts';

interface EventDependencies {
  readonly time: StateTime;
  /** Accepts an invocation whose end no caller waits for. */
  readonly inBackground: (running: Promise<unknown>) => void;
}

/** Lambda waits so long before it repeats a failed event, in ms (Developer Guide). */
const REPEATED_AFTER_MS: readonly number[] = [60_000, 120_000];

/** Runs an event, and repeats it twice if it fails. A restart of the account forgets it. */
export function runEvent(
  { time, inBackground }: EventDependencies,
  run: () => Promise<InvocationOutcome>,
  [pauseMs, ...later]: readonly number[] = REPEATED_AFTER_MS,
): void {
  const ran = run().then(({ failed }) => {
    if (!failed || pauseMs === undefined) return;
    time.after(time.now() + pauseMs, () => {
      runEvent({ time, inBackground }, run, later);
    });
  });
  inBackground(ran);
}
