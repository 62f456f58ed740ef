/** The build gives the layer of reactors this key: each machine makes its own. */
export const LAYER_KEY = 'layer';
