/** Classes of rows. Each row of a file is in one, so that they add up to `rows`. */
export const CLASSES = [
  'imported',
  'there',
  'not_compared',
  'different',
  'expired',
  'refused',
  'customers',
] as const;

export type RowClass = (typeof CLASSES)[number];

export type Counts = Record<RowClass | 'rows' | 'replaced' | 'details' | 'deduplicated', number>;

export const noCounts = (): Counts => ({
  rows: 0,
  imported: 0,
  there: 0,
  not_compared: 0,
  different: 0,
  expired: 0,
  refused: 0,
  customers: 0,
  replaced: 0,
  details: 0,
  deduplicated: 0,
});

const WORDS: Readonly<Record<RowClass, string>> = {
  imported: 'imported',
  there: 'there already',
  not_compared: 'there, not compared',
  different: 'there and different',
  expired: 'imported with a past expiry',
  refused: 'refused',
  customers: 'without a card',
};

const counted = (count: number): string => count.toLocaleString('en-US');

/** The numbers of a run in one line. */
export function countsLine(counts: Counts, isDry: boolean): string {
  const classes = CLASSES.flatMap((name) =>
    counts[name] === 0 ? [] : [`${counted(counts[name])} ${WORDS[name]}`],
  );
  const more = [
    ...(counts.replaced === 0 ? [] : [`${counted(counts.replaced)} replaced`]),
    ...(counts.details === 0 ? [] : [`${counted(counts.details)} tokens with details created`]),
    ...(counts.deduplicated === 0 ? [] : [`${counted(counts.deduplicated)} of them under another id`]),
  ];
  const rows = `${counted(counts.rows)} ${counts.rows === 1 ? 'row' : 'rows'}`;
  const line = [`${rows}: ${classes.length === 0 ? 'nothing' : classes.join(', ')}`, ...more].join('; ');
  return isDry ? `dry run, nothing was written: ${line}` : line;
}
