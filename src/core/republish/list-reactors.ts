import { IMAGES, type Image, type PresentLayers } from '../reactors/layer.ts';
import type { PlacedReactor, ReactorIndex } from './roll.ts';

export interface ListLayersDeps {
  readonly reactorIndex: ReactorIndex;
  /** The deployment has these layers. */
  readonly presentLayers: PresentLayers;
}

interface Wanted {
  /** If it is absent, all images are listed. */
  readonly image?: Image | undefined;
  /** Whether only reactors count whose layer is not that of the deployment for their image. */
  readonly isOutdated: boolean;
}

/** A step ends after so many reactors. */
const STEP = 500;

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
 * Lists the reactors of all tenants from a place on: all, those of one image, or those with another
 * layer than that of the deployment. `next` is the place where the next step begins.
 */
export async function listLayersStep(
  { reactorIndex, presentLayers }: ListLayersDeps,
  { image: only, isOutdated }: Wanted,
  after?: string,
): Promise<{ readonly reactors: readonly PlacedReactor[]; readonly next: string | undefined }> {
  const reactors: PlacedReactor[] = [];
  for (const { image, place } of leftFrom(only === undefined ? IMAGES : [only], after)) {
    const pages = isOutdated
      ? reactorIndex.withOther(presentLayers[image], place)
      : reactorIndex.all(image, place);
    for await (const page of pages) {
      reactors.push(...page);
      const last = page.at(-1);
      if (last !== undefined && reactors.length >= STEP)
        return { reactors, next: placeIn(image, last.place) };
    }
  }
  return { reactors, next: undefined };
}
