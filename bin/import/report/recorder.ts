import type { Change, Entry, Journal, Listed } from '../journal/journal.ts';
import type { RowProblem } from '../read/read-row.ts';
import type { Outcome, Unit } from '../send/unit.ts';
import { noCounts, type Counts, type RowClass } from './counts.ts';
import { csvField, type PrivateFile } from './private-file.ts';

export interface Settled {
  readonly unit: Unit;
  readonly outcome: Outcome;
}

interface Files {
  readonly ids?: PrivateFile;
  readonly pairs?: PrivateFile;
}

function classOf({ isExpired }: Unit, outcome: Outcome): RowClass {
  if (outcome.kind === 'created') return isExpired ? 'expired' : 'imported';
  if (outcome.kind === 'paired') return 'there';
  return outcome.kind === 'refused' ? 'refused' : outcome.compared;
}

/** Later runs read it before they send the row. */
function entryOf(unit: Unit, outcome: Outcome, run: string): Entry {
  const { candidate, digest, prior, priorTokenId } = unit;
  const { row } = candidate;
  const common = { row, run, ...(priorTokenId !== undefined && { tokenId: priorTokenId }) };
  if (outcome.kind === 'refused') return { ...common, state: 'refused', digests: prior };
  if (outcome.kind === 'paired')
    return { ...common, state: 'done', digests: [digest], tokenId: outcome.tokenId };
  if (outcome.kind === 'created' || outcome.isReplaced || outcome.compared === 'there')
    return { ...common, state: 'done', digests: [digest] };
  return outcome.compared === 'different'
    ? { ...common, state: 'done', digests: prior }
    : { ...common, state: 'seen', digests: [] };
}

const DIFFERS = 'differs from the token; --replace changes it';
const PAST = 'the card has expired';

function problemOf({ candidate: { columnOf } }: Unit, outcome: Outcome, rowClass: RowClass): RowProblem {
  if (outcome.kind === 'refused') return outcome.found;
  if (rowClass === 'expired') return { column: columnOf('data.expiration_year'), problem: PAST };
  const isReplaced = outcome.kind === 'present' && outcome.isReplaced;
  return { problem: isReplaced ? 'differed from the token, which was changed' : DIFFERS };
}

const isListed = (rowClass: RowClass): rowClass is Listed =>
  rowClass === 'refused' || rowClass === 'different' || rowClass === 'expired';

/** The one owner of the numbers of a run. A row counts once the journal has it. */
export class Recorder {
  readonly counts: Counts = noCounts();

  readonly #journal: Journal;

  readonly run: string;

  readonly #files: Files;

  constructor(journal: Journal, run: string, files: Files) {
    this.#journal = journal;
    this.run = run;
    this.#files = files;
  }

  /** A row that has no token and is no problem. */
  customer(): void {
    this.#count('customers');
  }

  async refuse(row: number, found: RowProblem): Promise<void> {
    await this.#journal.write([{ kind: 'row', list: 'refused', row: { row, ...found } }]);
    this.#count('refused');
  }

  async record(settled: readonly Settled[]): Promise<void> {
    const changes = settled.flatMap(({ unit, outcome }): readonly Change[] => {
      const { row, oldId } = unit.candidate;
      const rowClass = classOf(unit, outcome);
      const entry: Change = { kind: 'entry', oldId, entry: entryOf(unit, outcome, this.run) };
      if (!isListed(rowClass)) return [entry];
      return [entry, { kind: 'row', list: rowClass, row: { row, ...problemOf(unit, outcome, rowClass) } }];
    });
    await this.#journal.write(changes);
    for (const { unit, outcome } of settled) this.#add(unit, outcome);
  }

  #count(rowClass: RowClass): void {
    this.counts.rows += 1;
    this.counts[rowClass] += 1;
  }

  #add(unit: Unit, outcome: Outcome): void {
    this.#count(classOf(unit, outcome));
    if (outcome.kind === 'refused') return;
    this.counts.details += outcome.details;
    if (outcome.kind === 'present' && outcome.isReplaced) this.counts.replaced += 1;
    const { candidate, id, priorTokenId } = unit;
    const tokenId = outcome.kind === 'paired' ? outcome.tokenId : (priorTokenId ?? id);
    const line = `${csvField(candidate.oldId)},${csvField(tokenId)}\r\n`;
    this.#files.ids?.write(line);
    if (tokenId === id) return;
    this.counts.deduplicated += 1;
    this.#files.pairs?.write(line);
  }
}
