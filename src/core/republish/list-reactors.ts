import { versionsIn, type WantedPackage } from '../reactors/bill-of-materials.ts';
import { IMAGES, type Image, type PresentLayers } from '../reactors/layer.ts';
import type { ReactorStore } from '../reactors/reactor-store.ts';
import type { PlacedReactor, ReactorIndex } from './roll.ts';

export interface ListLayersDeps {
  readonly reactorIndex: ReactorIndex;
  readonly reactorStore: Pick<ReactorStore, 'findLocked'>;
  /** The deployment has these layers. */
  readonly presentLayers: PresentLayers;
}

interface Wanted {
  /** If it is absent, all images are listed. */
  readonly image?: Image | undefined;
  /** Whether only reactors count whose layer is not that of the deployment for their image. */
  readonly isOutdated: boolean;
  /** Only reactors count whose bundle has the package, as their authors declared it. */
  readonly package?: WantedPackage | undefined;
}

/** A reactor of a list, with the versions of the package that was asked for. */
export interface ListedReactor extends PlacedReactor {
  readonly versions?: readonly string[];
}

/** A step ends after it has read so many reactors. */
const STEP = 500;
/** The lists of so many bundles are in memory at once: one may have 500 packages. */
const BATCH = 100;

/** Finds those whose bundle has a package. */
async function withPackage(
  { reactorStore }: Pick<ListLayersDeps, 'reactorStore'>,
  reactors: readonly PlacedReactor[],
  wanted: WantedPackage,
): Promise<readonly ListedReactor[]> {
  const found: ListedReactor[] = [];
  for (let from = 0; from < reactors.length; from += BATCH) {
    const batch = reactors.slice(from, from + BATCH);
    const locked = await reactorStore.findLocked(batch);
    const listed = batch.map((each, at) => ({ ...each, versions: versionsIn(locked[at] ?? [], wanted) }));
    found.push(...listed.filter(({ versions }) => versions.length > 0));
  }
  return found;
}

/** A place among all images: `node16/PLACE`. */
const placeIn = (image: Image, place: string): string => `${image}/${place}`;

/** The images that are left from a place on, with the place in the first of them. */
function leftFrom(images: readonly Image[], after: string | undefined) {
  const at = images.findIndex((image) => after?.startsWith(placeIn(image, '')));
  const first = Math.max(0, at);
  return images.slice(first).map((image, index) => ({
    image,
    place: at === -1 || index > 0 ? '' : (after ?? '').slice(placeIn(image, '').length),
  }));
}

/**
 * Lists the reactors of all tenants from a place on: all, those of one image, those with another
 * layer than that of the deployment, or those with a package. `next` is the place where the next
 * step begins.
 */
export async function listLayersStep(
  deps: ListLayersDeps,
  { image: only, isOutdated, package: wanted }: Wanted,
  after?: string,
): Promise<{ readonly reactors: readonly ListedReactor[]; readonly next: string | undefined }> {
  const { reactorIndex, presentLayers } = deps;
  const reactors: ListedReactor[] = [];
  let left = STEP;
  for (const { image, place } of leftFrom(only === undefined ? IMAGES : [only], after)) {
    const pages = isOutdated
      ? reactorIndex.withOther(presentLayers[image], place)
      : reactorIndex.all(image, place);
    for await (const page of pages) {
      const read = page.slice(0, left);
      left -= read.length;
      reactors.push(...(wanted === undefined ? read : await withPackage(deps, read, wanted)));
      const last = read.at(-1);
      if (last !== undefined && left === 0) return { reactors, next: placeIn(image, last.place) };
    }
  }
  return { reactors, next: undefined };
}
