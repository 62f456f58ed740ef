import type { KeyObject } from 'node:crypto';
import { END_OF_TIME } from './seal.ts';
import { linkOf, type Link, type SealPlace } from './seal-link.ts';
import type { SealHead, SealReader } from './trail-store.ts';

/** The inputs for checking the chain of seals. */
export interface ChainDeps {
  readonly seals: SealReader;
  readonly head: Pick<SealHead, 'read'>;
  /** The key is pinned: it comes from outside the data that is verified. */
  readonly publicKey: KeyObject;
}

/** An event that a reader of the chain finds. Events come in order. */
export type ChainEvent =
  | { readonly kind: 'seal'; readonly link: Link }
  /** The newest seal of all, if it is older than the seals that were asked for. */
  | { readonly kind: 'older seal'; readonly link: Link }
  /** An item whose key is not the place of a seal. Seals are read in order. */
  | { readonly kind: 'no seal'; readonly after: SealPlace }
  /** All seals that exist by now were read. */
  | { readonly kind: 'pause' }
  /** No seal follows. `head` was read before the last of them. */
  | { readonly kind: 'end'; readonly head: Buffer | undefined };

const isAfter = (seal: SealPlace, place: SealPlace): boolean =>
  !((seal.from - place.from || seal.part - place.part) <= 0);

/** The seals after a place, or from a time on, and the items among them that are not seals. */
async function* sealsAfter(
  { seals, publicKey }: ChainDeps,
  place: SealPlace | undefined,
  start: number,
): AsyncGenerator<ChainEvent> {
  let last = place;
  for await (const page of seals.seals(last?.from ?? start, END_OF_TIME))
    for (const seal of page) {
      if (last !== undefined && seal.from < last.from) yield { kind: 'no seal', after: last };
      if (last !== undefined && !isAfter(seal, last)) continue;
      last = { from: seal.from, part: seal.part };
      yield { kind: 'seal', link: linkOf(publicKey, seal) };
    }
}

/**
 * Reads the seals from a time on, in ms since the epoch, until the head shows that all were read.
 * The sealer may insert more meanwhile.
 */
export async function* readChain(deps: ChainDeps, start: number): AsyncGenerator<ChainEvent> {
  let last: SealPlace | undefined;
  let isExpected = false;
  for (let pass = 0; ; pass += 1) {
    // The head is read before the seals, so that the seal that it names is among them.
    const head = await deps.head.read();
    const lastBefore = last;
    for await (const event of sealsAfter(deps, last, start)) {
      if (event.kind === 'seal') last = event.link;
      yield event;
    }
    yield { kind: 'pause' };
    const newest = last === undefined ? await deps.seals.newest() : undefined;
    if (newest !== undefined && newest.from >= start) {
      // The seal was inserted after they were read, and the next pass finds it.
      if (isExpected) throw new Error('audit: the newest seal is not among the seals');
      isExpected = true;
    } else if (newest !== undefined) {
      const link = linkOf(deps.publicKey, newest);
      last = link;
      yield { kind: 'older seal', link };
    } else if (pass > 0 && last === lastBefore) {
      // The head moves as long as there are new seals.
      yield { kind: 'end', head };
      return;
    }
  }
}
