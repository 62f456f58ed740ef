import { NO_FAULTS } from './calls.ts';
import type { Plan } from './plan.ts';
import type { Result } from './run.ts';
import type { HappenedEvent } from './world.ts';

/** Describes the faults of a plan that a healthy world has not. */
function faultsOf({ faults, life, lagMs, queues, receivers }: Plan): readonly string[] {
  const named = { ...faults, instances: life, queues, receivers, reads: { lagMs } };
  return Object.entries(named).flatMap(([of, kinds]) =>
    Object.entries(kinds)
      .filter(([, value]) => value > 0)
      .map(([kind, value]) => `${of} ${kind} ${Number(value.toPrecision(2)).toString()}`),
  );
}

const FAULT = new RegExp(`\\((?:${Object.keys(NO_FAULTS).join('|')})\\)`);
const PEOPLE = /^(?:c\d+|prober|judge|code|\S+\.example)$/;

/** Requests and answers, faults, deaths, and what is broken; not the calls that went well. */
const isShown = ({ who, what }: HappenedEvent): boolean =>
  PEOPLE.test(who) || FAULT.test(what) || /died|ended by its timeout|failed/.test(what);

/** Formats a time, with its ms. */
function timeText(ms: number): string {
  const at = new Date(ms).toISOString();
  return at.slice(11, 23);
}

/** The beginning and the end of a long story. */
const FIRST_LINES = 10;
const LAST_LINES = 50;
const shortened = (lines: readonly string[]): readonly string[] =>
  lines.length <= FIRST_LINES + LAST_LINES
    ? lines
    : [...lines.slice(0, FIRST_LINES), '  ...', ...lines.slice(-LAST_LINES)];

/** Everything before the last problem that the clients and the faults did, and the problems. */
export function storyOf(result: Result): string {
  const { plan, problems, events } = result;
  const found = events.findLastIndex(({ what }) => what.startsWith('BROKEN'));
  // A run that does not end, or whose judge failed, is shown to its last event.
  const shown = (found === -1 ? events : events.slice(0, found + 1)).filter(isShown);
  const isJudged = ({ who, what }: HappenedEvent) => who === 'judge' && !what.startsWith('BROKEN');
  const lines = shortened(
    shown
      .filter((event) => !isJudged(event))
      .map(({ at, who, what }) => `  ${timeText(at)}  ${who.padEnd(14)}  ${what}`),
  );
  const faults = faultsOf(plan);
  return [
    `seed ${plan.seed}: ${problems.map(({ judge, text }) => `${judge}: ${text}`).join('\n  ')}`,
    `faults: ${faults.length === 0 ? 'none' : faults.join(', ')}`,
    ...lines,
  ].join('\n');
}
