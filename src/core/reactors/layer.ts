/** The versions of Node.js that code can run on. Each has its own layer. */
export const IMAGES = ['node16', 'node24'] as const;

export type Image = (typeof IMAGES)[number];

/** The Node.js of each image; docs/release.md says how a new one is taken. */
export const NODE_VERSIONS: Readonly<Record<Image, string>> = { node16: '16.20.2', node24: '24.22.3' };

/** The layer that a function of a reactor runs on: Node.js, the runtime and the packages. */
export interface Layer {
  readonly image: Image;
  /** Lambda numbers the versions: a later one has a higher number, even with an old content. */
  readonly generation: number;
  /** Functions are compared by it: SHA-256 of the content, in lower-case hexadecimal. */
  readonly hash: string;
}

/** The layer of a deployment, by which functions of an image are compared. */
export type PresentLayer = Pick<Layer, 'image' | 'hash'>;

/** A deployment has a layer for each image. */
export type PresentLayers = Readonly<Record<Image, PresentLayer>>;

/** A layer that new functions can get. */
export interface LayerVersion extends Layer {
  readonly arn: string;
}

/** Reads the number at the end of the ARN of a layer's version. */
export const generationIn = (arn: string): number => Number(arn.slice(arn.lastIndexOf(':') + 1));

/** The function of every reactor has so much memory, in MB. */
export const REACTOR_MEMORY_MB = 512;
