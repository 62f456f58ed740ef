import type { Response } from './responses.ts';
import { knownDifferences, knownWordings } from './known-differences.ts';

/** The parts in which two responses can differ, the most important first. */
const PARTS = ['answer', 'capacity', 'wording'] as const;
export type Part = (typeof PARTS)[number];

export interface Difference {
  readonly step: string;
  /** If several parts differ, this is the most important one. */
  readonly part: Part;
  /** Undefined for an unknown difference. */
  readonly reason: string | undefined;
  readonly ours: Response | undefined;
  readonly theirs: Response | undefined;
}

export interface Comparison {
  readonly differences: readonly Difference[];
  /** Known differences that did not occur. */
  readonly gone: readonly string[];
}

const reasons: ReadonlyMap<string, string> = new Map([
  ...knownDifferences.flatMap(({ reason, part, steps }) =>
    steps.map((step) => [`${part}: ${step}`, reason] as const),
  ),
  ...knownWordings.map((pair) => [`wording: ${pair.join(' | ')}`, 'Wording'] as const),
]);

function partsOf({
  status,
  type,
  body,
  capacity,
  messages,
}: Partial<Response>): Readonly<Record<Part, string>> {
  return {
    answer: JSON.stringify([status, type, body]),
    capacity: JSON.stringify([capacity]),
    wording: JSON.stringify([messages]),
  };
}

function differingPart(ours: Partial<Response> = {}, theirs: Partial<Response> = {}): Part | undefined {
  const left = partsOf(ours);
  const right = partsOf(theirs);
  return PARTS.find((part) => left[part] !== right[part]);
}

/** The known wordings by which messages differ, or the messages where none is known. */
function wordings(ours: readonly string[] = [], theirs: readonly string[] = []): readonly string[] {
  return ours.flatMap((message, index) => {
    const other = theirs[index] ?? '';
    if (message === other) return [];
    const known = knownWordings.find(
      ([a, b]) => message.includes(a) && (b === '' ? other === b : other.includes(b)),
    );
    return [`wording: ${(known ?? [message, other]).join(' | ')}`];
  });
}

/** Compares the responses to steps, and marks the known differences. */
export function compareResponses(
  steps: readonly string[],
  ours: ReadonlyMap<string, Response>,
  theirs: ReadonlyMap<string, Response>,
): Comparison {
  const occurred = new Set<string>();
  const differences = steps.flatMap((step) => {
    const pair = { ours: ours.get(step), theirs: theirs.get(step) };
    const part = differingPart(pair.ours, pair.theirs);
    if (part === undefined) return [];
    const found =
      part === 'wording' ? wordings(pair.ours?.messages, pair.theirs?.messages) : [`${part}: ${step}`];
    for (const each of found) occurred.add(each);
    const unknown = found.some((each) => !reasons.has(each));
    return [{ step, part, reason: unknown ? undefined : reasons.get(found[0] ?? ''), ...pair }];
  });
  return { differences, gone: [...reasons.keys()].filter((known) => !occurred.has(known)) };
}
