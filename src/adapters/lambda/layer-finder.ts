import { ListLayerVersionsCommand } from '@aws-sdk/client-lambda';
import { generationIn, type Image, type LayerVersion } from '../../core/reactors/layer.ts';
import type { LayerFinder } from '../../core/republish/layer-mover.ts';
import type { Lambda } from './lambda.ts';
import { retryControlPlane } from './retry-control-plane.ts';

/** Ends the description of a version of the layer (lib/reactor-stack.ts). */
const HASH = /[0-9a-f]{64}$/;

/** The versions of a layer, the newest first. They last as long as no one deletes them. */
async function* versionsOf(
  { client, platform }: Lambda,
  layerName: string,
  image: Image,
): AsyncGenerator<LayerVersion> {
  let marker: string | undefined;
  do {
    const command: ListLayerVersionsCommand = new ListLayerVersionsCommand({
      LayerName: layerName,
      ...(marker !== undefined && { Marker: marker }),
    });
    const page = await retryControlPlane(platform, () => client.send(command));
    for (const { LayerVersionArn: arn = '', Description: description = '' } of page.LayerVersions ?? []) {
      const hash = HASH.exec(description)?.[0];
      if (hash !== undefined) yield { image, generation: generationIn(arn), hash, arn };
    }
    marker = page.NextMarker;
  } while (marker !== undefined && marker !== '');
}

/** Finds versions of the layers that this deployment publishes, by their names. */
export function createLayerFinder(lambda: Lambda, names: Readonly<Record<Image, string>>): LayerFinder {
  async function first(
    image: Image,
    isWanted: (version: LayerVersion) => boolean,
  ): Promise<LayerVersion | undefined> {
    for await (const version of versionsOf(lambda, names[image], image))
      if (isWanted(version)) return version;
    return undefined;
  }
  return {
    present: ({ image, hash }) => first(image, (version) => version.hash === hash),
    generation: (image, number) => first(image, ({ generation }) => generation === number),
  };
}
