import type { Image, PresentLayer } from '../reactors/layer.ts';
import type { PlacedReactor, ReactorIndex } from './roll.ts';

export interface ListLayersDeps {
  readonly reactorIndex: ReactorIndex;
  /** The deployment has this layer. */
  readonly presentLayer: PresentLayer;
}

/** A step ends after so many reactors. */
const STEP = 500;

/**
 * Lists the reactors of all tenants whose code runs on an image, from a place on: all, or those
 * with another layer than that of the deployment. `next` is the place where the next step begins.
 */
export async function listLayersStep(
  { reactorIndex, presentLayer }: ListLayersDeps,
  { image, isOutdated }: { readonly image: Image; readonly isOutdated: boolean },
  after = '',
): Promise<{ readonly reactors: readonly PlacedReactor[]; readonly next: string | undefined }> {
  const pages = isOutdated ? reactorIndex.withOther(presentLayer, after) : reactorIndex.all(image, after);
  const reactors: PlacedReactor[] = [];
  for await (const page of pages) {
    reactors.push(...page);
    if (reactors.length >= STEP) return { reactors, next: reactors.at(-1)?.place };
  }
  return { reactors, next: undefined };
}
