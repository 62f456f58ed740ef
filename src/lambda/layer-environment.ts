import * as z from 'zod/mini';
import { IMAGES, type Image } from '../core/reactors/layer.ts';
import { variable } from './environment.ts';

const OF_EACH = { node16: variable, node24: variable } satisfies Record<Image, typeof variable>;

function readPairs(list: string): Readonly<Record<string, string>> {
  const pairs = list.split(',').map((entry) => {
    const [name = '', text = ''] = entry.split('=');
    return [name, text] as const;
  });
  return Object.fromEntries(pairs);
}

/** Reads a text for every image, as in `node16=A,node24=B`. */
export const perImage = /* @__PURE__ */ z.pipe(
  /* @__PURE__ */ z.pipe(variable, /* @__PURE__ */ z.transform(readPairs)),
  /* @__PURE__ */ z.object(OF_EACH),
);

const ERROR = `must be ${IMAGES.join(' or ')}`;

/** Reads images with commas between them. */
export const imageList = /* @__PURE__ */ z.pipe(
  /* @__PURE__ */ z.pipe(
    variable,
    /* @__PURE__ */ z.transform((list) => list.split(',')),
  ),
  /* @__PURE__ */ z.array(/* @__PURE__ */ z.enum(IMAGES, { error: ERROR })),
);

/** The variable that says which layers the deployment has (`present-layer.ts`). */
export const layerEnvironment = {
  /** Functions are compared by it: SHA-256 of the content of the layer of each image. */
  REACTOR_LAYER_HASHES: perImage,
};
