import { generationIn, type LayerVersion, type PresentLayer } from '../core/reactors/layer.ts';

/** The variable by which a deployment says which layer is present. */
export interface LayerConfig {
  readonly REACTOR_LAYER_HASH: string;
}

/**
 * The layer of a deployment. CloudFormation writes it, and writes the former one when it rolls
 * back (docs/decisions/0083-move-reactors-in-waves.md).
 */
export const presentLayer = ({ REACTOR_LAYER_HASH: hash }: LayerConfig): PresentLayer => ({
  image: 'node16',
  hash,
});

/** The version of that layer, for the function that makes functions. */
export const presentVersion = ({
  REACTOR_LAYER: arn,
  ...config
}: LayerConfig & { readonly REACTOR_LAYER: string }): LayerVersion => ({
  ...presentLayer(config),
  generation: generationIn(arn),
  arn,
});
