import type { Answer } from './answers.ts';
import { knownDifferences, knownWordings } from './known-differences.ts';

/** The parts in which two answers can differ, the most important first. */
const PARTS = ['answer', 'capacity', 'wording'] as const;
export type Part = (typeof PARTS)[number];

export interface Difference {
  readonly step: string;
  /** Of several parts the most important. */
  readonly part: Part;
  /** Undefined of a difference that is not known. */
  readonly reason: string | undefined;
  readonly ours: Answer | undefined;
  readonly theirs: Answer | undefined;
}

export interface Comparison {
  readonly differences: readonly Difference[];
  /** Known differences that did not occur. */
  readonly gone: readonly string[];
}

/** The reason of each known difference. */
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
}: Partial<Answer>): Readonly<Record<Part, string>> {
  return {
    answer: JSON.stringify([status, type, body]),
    capacity: JSON.stringify([capacity]),
    wording: JSON.stringify([messages]),
  };
}

function differingPart(ours: Partial<Answer> = {}, theirs: Partial<Answer> = {}): Part | undefined {
  const [left, right] = [partsOf(ours), partsOf(theirs)];
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

/** Compares the answers to steps, and says which differences are known. */
export function compareAnswers(
  steps: readonly string[],
  ours: ReadonlyMap<string, Answer>,
  theirs: ReadonlyMap<string, Answer>,
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
