import { generationIn, type LayerVersion } from '../core/reactors/layer.ts';

/** The variables by which a deployment says which layer is present. */
export interface LayerConfig {
  readonly REACTOR_LAYER: string;
  readonly REACTOR_LAYER_HASH: string;
}

/**
 * The layer of a deployment. CloudFormation writes it, and writes the former one when it rolls
 * back (docs/decisions/0083-move-reactors-in-waves.md).
 */
export const presentLayer = ({
  REACTOR_LAYER: arn,
  REACTOR_LAYER_HASH: hash,
}: LayerConfig): LayerVersion => ({
  image: 'node16',
  generation: generationIn(arn),
  hash,
  arn,
});
