/** A version of a layer: the content that `/opt` has on AWS. */
export interface Layer {
  readonly arn: string;
  readonly directory: string;
}

export interface LayerTable {
  define(layer: Layer): void;
  find(arn: string): Layer | undefined;
  /** Returns the ARNs of all versions that a layer has. */
  versions(layerName: string): readonly string[];
  remove(arn: string): void;
}

export function createLayerTable(): LayerTable {
  const layers = new Map<string, Layer>();
  return {
    define: (layer) => {
      layers.set(layer.arn, layer);
    },
    find: (arn) => layers.get(arn),
    versions: (layerName) => [...layers.keys()].filter((arn) => arn.split(':').at(-2) === layerName),
    remove: (arn) => {
      layers.delete(arn);
    },
  };
}
