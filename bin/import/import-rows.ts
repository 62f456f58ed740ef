import { CommandFailure } from '../command-line/failures.ts';
import type { Progress } from '../command-line/progress.ts';
import type { Checked, Passed } from './columns/check-candidate.ts';
import type { Candidate, Formed } from './columns/candidate.ts';
import type { Digest } from './journal/digest-key.ts';
import type { Entry, Journal } from './journal/journal.ts';
import { FileEnds, type Content, type ReadRow } from './read/read-row.ts';
import type { Recorder, Settled } from './report/recorder.ts';
import { afterReplacing, sendUnits, type SendOptions } from './send/send-units.ts';
import { bodiesOf, comparedBy, idIn, type Outcome, type Unit } from './send/unit.ts';
import { CallFailed } from './service.ts';

/**
 * A request has as many tokens as one transaction of the store can write, of 100 items. More are
 * written in several steps, which cost two thirds more (docs/decisions/0109). Their JSON has at
 * most so many bytes: gateways take 6 MB.
 */
const ITEMS_MAX = 100;
const BATCH_MAX_BYTES = 3_000_000;

export interface ImportRun extends SendOptions {
  readonly rows: AsyncIterable<ReadRow>;
  readonly form: (row: number, content: Content) => Formed;
  /** Checks what the service would refuse. */
  readonly check: (candidate: Candidate) => Checked;
  readonly journal: Journal;
  readonly recorder: Recorder;
  readonly run: string;
  readonly digest: Digest;
  readonly parallel: number;
  readonly isDry: boolean;
  readonly isInterrupted: () => boolean;
  readonly progress: Progress;
  readonly share: () => number | undefined;
}

/** A row of a batch that is being filled. */
interface Filled extends Passed {
  readonly candidate: Candidate;
}

/** Explains to a person why a run ends before the file does. */
function stopOf(error: unknown): string {
  if (error instanceof FileEnds || error instanceof CommandFailure) return error.message;
  if (!(error instanceof CallFailed)) throw error;
  const { status, message } = error;
  const sentence = message.replace(/\.$/, '');
  return status === 401 ? `the service rejects the key: ${sentence}` : sentence;
}

/** The one owner of the requests that are under way. */
class Importing {
  readonly #run: ImportRun;

  readonly #sending = new Set<Promise<void>>();

  #filled: Filled[] = [];

  #items = 0;

  #bytes = 0;

  #read = 0;

  #stop: { readonly error: unknown } | undefined;

  constructor(run: ImportRun) {
    this.#run = run;
  }

  /** Resolves with what ended the run early; `undefined` if the file ended. */
  async all(): Promise<string | undefined> {
    const { rows, isInterrupted } = this.#run;
    let isWhole = true;
    try {
      for await (const read of rows) {
        isWhole = this.#stop === undefined && !isInterrupted();
        if (!isWhole) break;
        await this.#add(read);
      }
    } catch (error) {
      this.#stop ??= { error };
    }
    // The rows before the end of a file that was cut are good.
    if (!this.#hasToStop()) await this.#flushLast(isWhole);
    await Promise.all(this.#sending);
    if (this.#stop !== undefined) return stopOf(this.#stop.error);
    return isWhole ? undefined : 'it was interrupted';
  }

  #hasToStop(): boolean {
    return this.#stop !== undefined && !(this.#stop.error instanceof FileEnds);
  }

  async #flushLast(isWhole: boolean): Promise<void> {
    if (!isWhole) return;
    try {
      await this.#flush();
    } catch (error) {
      this.#stop = { error };
    }
  }

  async #add(read: ReadRow): Promise<void> {
    const { form, check, recorder, progress, share } = this.#run;
    this.#read += 1;
    progress.at(this.#read, share());
    const { row } = read;
    if (read.kind === 'problem') {
      await recorder.refuse(row, read.found);
      return;
    }
    const formed = form(row, read.content);
    if (formed.kind === 'customer') recorder.customer();
    else if (formed.kind === 'problem') await recorder.refuse(row, formed.found);
    else {
      const checked = check(formed.candidate);
      if ('found' in checked) await recorder.refuse(row, checked.found);
      else await this.#fill({ candidate: formed.candidate, ...checked });
    }
  }

  async #fill(filled: Filled): Promise<void> {
    const { items, candidate } = filled;
    const { body, details } = candidate;
    const bytes = Buffer.byteLength(JSON.stringify(details === undefined ? body : [body, details]));
    const isFull = this.#items + items > ITEMS_MAX || this.#bytes + bytes > BATCH_MAX_BYTES;
    if (isFull) await this.#flush();
    this.#filled.push(filled);
    this.#items += items;
    this.#bytes += bytes;
  }

  async #flush(): Promise<void> {
    const filled = this.#filled;
    this.#filled = [];
    this.#items = 0;
    this.#bytes = 0;
    if (filled.length > 0) await this.#start(await this.#units(filled));
  }

  /** Refuses rows whose old id is also in an earlier row of the file. */
  async #units(filled: readonly Filled[]): Promise<readonly { unit: Unit; entry: Entry | undefined }[]> {
    const { journal, recorder, run, digest } = this.#run;
    const entries = await journal.entries(filled.map(({ candidate }) => candidate.oldId));
    const rows = new Map<string, number>();
    const found: { unit: Unit; entry: Entry | undefined }[] = [];
    for (const [at, { candidate, isExpired }] of filled.entries()) {
      const { row, oldId, columnOf } = candidate;
      const entry = entries[at];
      const before = rows.get(oldId) ?? (entry?.run === run ? entry.row : undefined);
      if (before !== undefined) {
        await recorder.refuse(row, { column: columnOf('id'), problem: `is also in row ${String(before)}` });
        continue;
      }
      rows.set(oldId, row);
      found.push({ unit: unitOf(candidate, isExpired, digest, entry), entry });
    }
    return found;
  }

  /** Records what the journal knows, and sends the rest once there is room. */
  async #start(found: readonly { unit: Unit; entry: Entry | undefined }[]): Promise<void> {
    const { isDry, journal, run, recorder, parallel } = this.#run;
    const isKnown = (entry: Entry | undefined) => entry?.state === 'done' || entry?.state === 'seen';
    const known = found.filter(({ entry }) => isKnown(entry)).map(({ unit }) => unit);
    const fresh = found.filter(({ entry }) => !isKnown(entry)).map(({ unit }) => unit);
    if (isDry) {
      await recorder.record(
        fresh.map((unit) => ({ unit, outcome: { kind: 'created', details: detailsIn(unit) } })),
      );
      return;
    }
    while (this.#sending.size >= parallel) await Promise.race(this.#sending);
    if (this.#hasToStop()) return;
    // It is written before anything is sent, so that a later run knows what may exist.
    await journal.write(
      fresh.map((unit) => ({
        kind: 'entry',
        oldId: unit.candidate.oldId,
        entry: {
          row: unit.candidate.row,
          run,
          state: 'sent',
          digests: [...new Set([...unit.prior, unit.digest])],
        },
      })),
    );
    await this.#recordKnown(known);
    if (fresh.length > 0) this.#track(this.#sendAll(fresh));
  }

  async #recordKnown(known: readonly Unit[]): Promise<void> {
    const settled: Settled[] = [];
    try {
      for (const unit of known) {
        const present: Outcome = {
          kind: 'present',
          compared: comparedBy(unit),
          isReplaced: false,
          details: 0,
        };
        settled.push({ unit, outcome: await afterReplacing(this.#run, unit, present) });
      }
    } finally {
      if (settled.length > 0) await this.#run.recorder.record(settled);
    }
  }

  async #sendAll(units: readonly Unit[]): Promise<void> {
    const settled: Settled[] = [];
    try {
      await sendUnits(this.#run, units, (unit, outcome) => {
        settled.push({ unit, outcome });
      });
    } finally {
      if (settled.length > 0) await this.#run.recorder.record(settled);
    }
  }

  #track(sending: Promise<void>): void {
    const tracked = sending
      .catch((error: unknown) => {
        this.#stop ??= { error };
      })
      .finally(() => {
        this.#sending.delete(tracked);
      });
    this.#sending.add(tracked);
  }
}

const detailsIn = (unit: Unit): number => bodiesOf(unit).length - 1;

function unitOf(candidate: Candidate, isExpired: boolean, digest: Digest, entry: Entry | undefined): Unit {
  const { body, details = null } = candidate;
  const { id: _, ...content } = body;
  return {
    candidate,
    id: idIn(body),
    isExpired,
    digest: digest({ body: content, details }),
    prior: entry?.digests ?? [],
    priorTokenId: entry?.tokenId,
  };
}

/**
 * Imports the rows of a file. Resolves with the reason if it ended before the file: its rows until
 * then are recorded, and a later run goes on.
 */
export const importRows = (run: ImportRun): Promise<string | undefined> => new Importing(run).all();
