import { MAX_INTERVAL_MS } from './seal.ts';
import {
  addLink,
  mayBeFirst,
  newGrouping,
  reportInvalid,
  reportNoSeal,
  uncovered,
  type Grouping,
  type Interval,
} from './group-intervals.ts';
import { readChain, type ChainDeps, type ChainEvent } from './read-chain.ts';
import { brokenLink, statementIn, type BrokenLink, type Link } from './seal-link.ts';
import type { SealReader } from './trail-store.ts';

async function isAnySealBefore(seals: SealReader, time: number): Promise<boolean> {
  for await (const page of seals.seals(0, time)) if (page.length > 0) return true;
  return false;
}

/** Reports that the head is not the last seal that was read. */
function* checkHead(last: Link | undefined, head: Buffer | undefined, at: number): Generator<BrokenLink> {
  if (last === undefined) {
    if (head !== undefined) yield brokenLink(at, { from: at }, 'all seals are gone: there is a head');
    return;
  }
  const statement = statementIn(last);
  // A sealer that dies between the two writes leaves the head one seal behind.
  const named = head?.toString('base64url');
  if (named === last.hash || (statement !== undefined && named === statement.previous)) return;
  const from = statement?.to ?? last.from;
  yield brokenLink(from, { from }, 'the newest seals are gone: the head is another seal');
}

/** Handles an event of the chain. Returns `true` if the range needs no more events. */
async function* handle(
  { seals }: ChainDeps,
  group: Grouping,
  event: ChainEvent,
): AsyncGenerator<Interval | BrokenLink, boolean> {
  switch (event.kind) {
    case 'seal': {
      const { link } = event;
      const isFirst = mayBeFirst(group, link) && !(await isAnySealBefore(seals, link.from));
      return yield* addLink(group, link, isFirst);
    }
    case 'older seal':
      group.last = event.link;
      if ('invalid' in event.link) yield event.link.invalid;
      return false;
    case 'no seal':
      yield* reportNoSeal(group, event.after);
      return false;
    case 'pause':
      return group.covered >= group.to;
    case 'end':
      yield* checkHead(group.last, event.head, group.at);
      return true;
  }
}

/**
 * The intervals of a range in order, including unsealed ones, and the failures of the chain, each
 * before the interval of its seal. Checks the chain from the seal before the range, and the head if
 * the range reaches it. The time of a seal that is not valid counts as unsealed.
 */
export async function* intervalsOf(
  deps: ChainDeps,
  at: number,
  to: number,
): AsyncGenerator<Interval | BrokenLink> {
  const group = newGrouping(at, to);
  // The seal before that of `at` begins within the last two intervals, even of maximum length.
  for await (const event of readChain(deps, Math.max(0, at - 2 * MAX_INTERVAL_MS)))
    if (yield* handle(deps, group, event)) break;
  yield* reportInvalid(group, Infinity);
  yield* uncovered(group, to, 'not sealed yet');
}
