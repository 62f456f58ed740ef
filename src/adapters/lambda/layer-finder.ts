import { GetLayerVersionCommand } from '@aws-sdk/client-lambda';
import { generationIn } from '../../core/reactors/layer.ts';
import type { LayerFinder } from '../../core/republish/layer-mover.ts';
import type { Lambda } from './lambda.ts';
import { unlessGone } from './reactor-repairs.ts';

/** Ends the description of a version of the layer (lib/reactor-stack.ts). */
const HASH = /[0-9a-f]{64}$/;

/** Reads versions of a layer, which last as long as no one deletes them. */
export function createLayerFinder({ client, platform }: Lambda): LayerFinder {
  return {
    async find({ image, arn: other }, generation) {
      const command = new GetLayerVersionCommand({
        LayerName: other.split(':').at(-2),
        VersionNumber: generation,
      });
      const found = await unlessGone(platform, () => client.send(command));
      const hash = HASH.exec(found?.Description ?? '')?.[0];
      const arn = found?.LayerVersionArn;
      return arn === undefined || hash === undefined
        ? undefined
        : { image, generation: generationIn(arn), hash, arn };
    },
  };
}
