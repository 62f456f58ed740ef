import type { Caller } from '../access/caller.ts';
import { requirePermission } from '../access/require-permission.ts';
import { imageState, type ImageState, type RuntimeDeps } from './images.ts';
import { IMAGES } from './layer.ts';

export interface ListedImage extends ImageState {
  readonly isDefault: boolean;
}

/** All images, of which the deployment may have closed some. */
export function listImages({ images }: Pick<RuntimeDeps, 'images'>, caller: Caller): readonly ListedImage[] {
  requirePermission(caller, 'reactor:review');
  return IMAGES.map((image) => ({ ...imageState(image, images), isDefault: image === images.default }));
}
