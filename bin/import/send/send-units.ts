import { isJsonObject, isEqualJson, type JsonObject } from '../../../src/core/shared/json.ts';
import { SOURCE_ID } from '../columns/candidate.ts';
import { CallFailed, type ImportService, type Places, type ShownToken } from '../service.ts';
import { CommandFailure } from '../../command-line/failures.ts';
import { isDescribedAs } from './described.ts';
import { findTokens } from './find-tokens.ts';
import { replaceTokens } from './replace.ts';
import { bodiesOf, comparedBy, idIn, type Outcome, type Unit } from './unit.ts';

export interface SendOptions {
  readonly service: ImportService;
  /** `false` is sent with every token; `undefined` leaves it to the tenant. */
  readonly deduplicates: false | undefined;
  /** Whether another id than that which was asked for is an existing token of the same data. */
  readonly acceptsPairs: boolean;
  readonly replaces: boolean;
  /** Whether a taken id is that of its row. The key of another vault cannot look. */
  readonly assumesOwn: boolean;
  /** Whether tokens have the old id in their metadata. */
  readonly marksSource: boolean;
}

export type Settle = (unit: Unit, outcome: Outcome) => void;

/** A token that is not stored yet. */
interface Pending {
  readonly unit: Unit;
  readonly body: JsonObject;
}

interface Progress {
  /** Tokens that are not stored yet. */
  left: number;
  isTaken: boolean;
  details: number;
  tokenId: string | undefined;
  isSettled: boolean;
}

const TAKEN = 'the id is taken';
const isOfToken = ({ unit, body }: Pending): boolean => body === unit.candidate.body;
const idOf = ({ body }: Pending): string => idIn(body);

/** The tokens that an error names, with the first problem of each. */
function placedIn(places: Places, pending: readonly Pending[]) {
  return Object.entries(places).flatMap(([path, [problem = '']]) => {
    const [, index, member = ''] = /^\[(\d+)\]\.?(.*)$/s.exec(path) ?? [];
    const named = index === undefined ? undefined : pending[Number(index)];
    return named === undefined ? [] : [{ named, member, problem }];
  });
}

/** Whether a token is the one that an import of the same row would make. */
function isSame({ unit, body }: Pending, shown: ShownToken, marksSource: boolean): boolean {
  if (!isDescribedAs(body, shown)) return false;
  if (marksSource) return shown.metadata[SOURCE_ID] === unit.candidate.oldId;
  const { metadata = {} } = body;
  return isJsonObject(metadata) && isEqualJson(metadata, shown.metadata);
}

/** Sends units until each has an outcome. */
class Sending {
  readonly #options: SendOptions;

  readonly #settle: Settle;

  readonly #progress = new Map<Unit, Progress>();

  constructor(options: SendOptions, settle: Settle) {
    this.#options = options;
    this.#settle = settle;
  }

  async send(units: readonly Unit[]): Promise<void> {
    for (const unit of units) {
      const left = bodiesOf(unit).length;
      this.#progress.set(unit, { left, isTaken: false, details: 0, tokenId: undefined, isSettled: false });
    }
    let left = units.flatMap((unit) => bodiesOf(unit).map((body) => ({ unit, body })));
    try {
      while (left.length > 0) {
        const more = await this.#attempt(left);
        left = more.filter(({ unit }) => !this.#of(unit).isSettled);
      }
    } finally {
      // The run may end here, and the tokens exist.
      for (const unit of units) this.#endIfCreated(unit);
    }
    for (const unit of units) await this.#finish(unit);
  }

  #endIfCreated(unit: Unit): void {
    const { left, isTaken } = this.#of(unit);
    if (left === 0 && !isTaken) this.#end(unit, this.#outcomeOf(unit));
  }

  #of(unit: Unit): Progress {
    const progress = this.#progress.get(unit);
    if (progress === undefined) throw new Error('import: a unit was lost');
    return progress;
  }

  #end(unit: Unit, outcome: Outcome): void {
    const progress = this.#of(unit);
    if (progress.isSettled) return;
    progress.isSettled = true;
    this.#settle(unit, outcome);
  }

  #refuse(unit: Unit, column: string, problem: string): void {
    this.#end(unit, {
      kind: 'refused',
      found: { ...(column !== '' && { column: unit.candidate.columnOf(column) }), problem },
    });
  }

  /** Sends tokens, and returns those that are to be sent again. */
  async #attempt(pending: readonly Pending[]): Promise<readonly Pending[]> {
    const { service, deduplicates } = this.#options;
    const common = deduplicates === undefined ? {} : { deduplicate_token: deduplicates };
    let ids: readonly string[];
    try {
      ids = await service.create(pending.map(({ body }) => ({ ...body, ...common })));
    } catch (error) {
      if (!(error instanceof CallFailed)) throw error;
      return await this.#afterRefusal(pending, error);
    }
    this.#created(pending, ids);
    return [];
  }

  #created(pending: readonly Pending[], ids: readonly string[]): void {
    let foreign: Pending | undefined;
    pending.forEach((each, at) => {
      const id = ids[at] ?? '';
      const progress = this.#of(each.unit);
      const isAsked = id === idOf(each);
      if (!isAsked && !this.#options.acceptsPairs) {
        foreign ??= each;
        return;
      }
      progress.left -= 1;
      if (!isOfToken(each)) progress.details += 1;
      else if (!isAsked) progress.tokenId = id;
    });
    if (foreign === undefined) return;
    const wrong = foreign.unit;
    throw new CommandFailure(
      `row ${String(wrong.candidate.row)}: the service sent another id than it was asked for: ` +
        'the tenant deduplicates tokens; choose --deduplicate never or map',
    );
  }

  async #afterRefusal(pending: readonly Pending[], error: CallFailed): Promise<readonly Pending[]> {
    const { status, places, isRepeated } = error;
    if (![400, 409, 413].includes(status)) throw error;
    const placed = placedIn(places, pending);
    // A problem of the whole request is none of its rows.
    if (placed.length === 0 && Object.keys(places).some((path) => path !== 'id' && path !== 'body'))
      throw new CommandFailure([error.message, ...Object.keys(places)].join('; '));
    if (placed.length === 0) return await this.#withoutPlaces(pending, error);
    if (status === 409) {
      const taken = new Set(placed.map(({ named }) => named));
      // A request makes all or none: if all are taken, the attempt whose answer was lost made them.
      return await this.#afterTaken(pending, taken, isRepeated && taken.size === pending.length);
    }
    for (const { named, member, problem } of placed)
      this.#refuse(named.unit, isOfToken(named) ? member : member.replace(/^data/, 'details'), problem);
    return pending;
  }

  /** Sends halves where no place is named, down to one row. */
  async #withoutPlaces(pending: readonly Pending[], error: CallFailed): Promise<readonly Pending[]> {
    const units = [...new Set(pending.map(({ unit }) => unit))];
    const [unit] = units;
    if (units.length === 1 && unit !== undefined) {
      if (error.status === 409) return await this.#afterTaken(pending, new Set(pending));
      const [[path, [problem = '']] = ['', []]] = Object.entries(error.places);
      this.#refuse(unit, problem === '' ? '' : path, problem === '' ? error.message : problem);
      return [];
    }
    const first = new Set(units.slice(0, Math.ceil(units.length / 2)));
    const left: Pending[] = [];
    for (const isFirst of [true, false]) {
      const half = pending.filter((each) => first.has(each.unit) === isFirst);
      left.push(...(await this.#attempt(half)));
    }
    return left;
  }

  async #afterTaken(
    pending: readonly Pending[],
    taken: ReadonlySet<Pending>,
    isMade = false,
  ): Promise<readonly Pending[]> {
    const { service, marksSource, assumesOwn } = this.#options;
    const shown = await findTokens(service, [...taken].map(idOf));
    const gone = new Set<Pending>();
    for (const each of taken) {
      const { unit } = each;
      const token = shown?.get(idOf(each));
      // Where an earlier run sent the row, the id is its own.
      const isOwn = assumesOwn || unit.prior.length > 0;
      if (token === undefined ? isOwn : isSame(each, token, marksSource)) {
        gone.add(each);
        this.#found(each, isMade);
      } else if (taken.size > 1 && token === undefined && this.#isOneOfTwo(each, taken, shown)) continue;
      else this.#refuse(unit, 'id', this.#takenBy(token, shown !== undefined));
    }
    return pending.filter((each) => !gone.has(each));
  }

  /** Notes a token that exists: of an earlier run, or of an attempt before that made all. */
  #found(each: Pending, isMade: boolean): void {
    const progress = this.#of(each.unit);
    progress.left -= 1;
    if (isOfToken(each)) progress.isTaken = !isMade;
    else if (isMade) progress.details += 1;
  }

  /** Whether no place was named, and the other token of the row is the one that exists. */
  #isOneOfTwo(
    each: Pending,
    taken: ReadonlySet<Pending>,
    shown: ReadonlyMap<string, ShownToken> | undefined,
  ): boolean {
    const others = [...taken].filter((other) => other.unit === each.unit && other !== each);
    return others.some((other) => shown?.has(idOf(other)) === true);
  }

  #takenBy(token: ShownToken | undefined, mayRead: boolean): string {
    if (token !== undefined)
      return `${TAKEN} by a token of another import, or with another container, mask or index than the row`;
    return mayRead
      ? `${TAKEN} by a token that was deleted, or that the key does not see`
      : `${TAKEN}, and the key may not read tokens to compare it`;
  }

  #outcomeOf(unit: Unit): Outcome {
    const { isTaken, details, tokenId } = this.#of(unit);
    if (tokenId !== undefined) return { kind: 'paired', tokenId, details };
    if (!isTaken) return { kind: 'created', details };
    return { kind: 'present', compared: comparedBy(unit), isReplaced: false, details };
  }

  async #finish(unit: Unit): Promise<void> {
    const { isSettled } = this.#of(unit);
    if (!isSettled) this.#end(unit, await afterReplacing(this.#options, unit, this.#outcomeOf(unit)));
  }
}

/** Replaces the tokens of a row that may have something else, if the run replaces any. */
export async function afterReplacing(
  { service, replaces }: Pick<SendOptions, 'service' | 'replaces'>,
  unit: Unit,
  outcome: Outcome,
): Promise<Outcome> {
  if (!replaces || outcome.kind !== 'present' || outcome.compared === 'there') return outcome;
  const replaced = await replaceTokens(service, unit);
  return 'found' in replaced
    ? { kind: 'refused', found: replaced.found }
    : { ...outcome, isReplaced: true, details: outcome.details + replaced.details };
}

/**
 * Sends rows as few requests. Calls `settle` once for each row, or rejects with the error that ends
 * the run: the rows that were settled before are done.
 */
export const sendUnits = (options: SendOptions, units: readonly Unit[], settle: Settle): Promise<void> =>
  new Sending(options, settle).send(units);
