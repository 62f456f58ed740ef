import {
  generationIn,
  IMAGES,
  type Image,
  type LayerVersion,
  type PresentLayer,
} from '../core/reactors/layer.ts';

/** The variable by which a deployment says which layers are present. */
export interface LayerConfig {
  readonly REACTOR_LAYER_HASHES: Readonly<Record<Image, string>>;
}

/** The ARNs of those layers, which the function has that makes functions. */
export type VersionConfig = LayerConfig & { readonly REACTOR_LAYERS: Readonly<Record<Image, string>> };

const byImage = <T>(valueOf: (image: Image) => T): Readonly<Record<Image, T>> => {
  const entries = IMAGES.map((image) => [image, valueOf(image)] as const);
  // TypeScript cannot see that the entries have every image.
  return Object.fromEntries(entries) as Record<Image, T>;
};

/**
 * The layers of a deployment. CloudFormation writes them, and writes the former ones when it rolls
 * back (docs/decisions/0083-move-reactors-in-waves.md).
 */
export const presentLayers = ({ REACTOR_LAYER_HASHES: hashes }: LayerConfig) =>
  byImage((image): PresentLayer => ({ image, hash: hashes[image] }));

/** The versions of those layers, for the function that makes functions. */
export const presentVersions = ({ REACTOR_LAYERS: arns, ...config }: VersionConfig) => {
  const layers = presentLayers(config);
  return byImage((image): LayerVersion => ({
    ...layers[image],
    generation: generationIn(arns[image]),
    arn: arns[image],
  }));
};
