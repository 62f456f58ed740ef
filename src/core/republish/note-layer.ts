import { IMAGES, type Image, type PresentLayer, type PresentLayers } from '../reactors/layer.ts';
import type { Clock } from '../shared/clock.ts';
import type { ReactorIndex } from './roll.ts';

/** The newest deployment has this layer, since a time in ms since the epoch. */
export interface NotedLayer extends PresentLayer {
  readonly since: number;
}

/** Stores which layer is present, for each image. */
export interface NotedLayerStore {
  find(image: Image): Promise<NotedLayer | undefined>;
  /** Replaces it. The last writer wins: it is the newest deployment. */
  write(noted: NotedLayer): Promise<void>;
}

export interface NoteLayerDeps {
  readonly clock: Clock;
  readonly notedLayers: NotedLayerStore;
  readonly reactorIndex: Pick<ReactorIndex, 'countOther'>;
  /** The deployment has these layers. */
  readonly presentLayers: PresentLayers;
}

/** Reactors may have another layer than the present one so long, in ms (PCI DSS 6.3.3: a month). */
const OUTDATED_AFTER_MS = 14 * 24 * 60 * 60 * 1000;

async function noteOne(deps: NoteLayerDeps, present: PresentLayer): Promise<number> {
  const { clock, notedLayers } = deps;
  const noted = await notedLayers.find(present.image);
  if (noted?.hash !== present.hash) {
    await notedLayers.write({ ...present, since: clock() });
    return 0;
  }
  return clock() - noted.since < OUTDATED_AFTER_MS ? 0 : deps.reactorIndex.countOther(present);
}

/**
 * Notes the layers of a new deployment. Returns how many reactors have had another one than that of
 * their image for more than 14 days.
 */
export async function noteLayers(deps: NoteLayerDeps): Promise<number> {
  const counts = await Promise.all(IMAGES.map((image) => noteOne(deps, deps.presentLayers[image])));
  return counts.reduce((total, count) => total + count, 0);
}
