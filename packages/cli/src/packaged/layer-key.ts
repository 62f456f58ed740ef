import type { Image } from '../../../../src/core/reactors/layer.ts';

/** The build gives the layer of an image this key: each machine makes its own. */
export const layerKey = (image: Image): string => `layer-${image}`;
