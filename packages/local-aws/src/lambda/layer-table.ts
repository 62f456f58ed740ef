/** A version of a layer: the content of `/opt` on AWS. */
export interface Layer {
  readonly arn: string;
  readonly directory: string;
}

/** The layers of the app by their ARNs. */
export interface LayerTable {
  define(layer: Layer): void;
  find(arn: string): Layer | undefined;
  /** The ARNs of the versions of a layer. */
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
