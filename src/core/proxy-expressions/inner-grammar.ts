import type { Skeleton } from './skeleton.ts';

/** Encodes a text so that it stays one value in the grammar around it. */
export type Encode = (text: string) => string;

/** A place of an inner grammar that has references. */
export type InnerPlace =
  /** Text that the grammar encodes; it may have a grammar itself. */
  | { readonly kind: 'text'; readonly skeleton: Skeleton; readonly encode: Encode }
  /** A JSON value outside of quotes, which needs quotes of its own if it is text. */
  | { readonly kind: 'value'; readonly skeleton: Skeleton }
  /** The name of a member or field. A value there could repeat or choose another name. */
  | { readonly kind: 'name'; readonly skeleton: Skeleton }
  /** The part of a URL that comes before its query. */
  | { readonly kind: 'url'; readonly skeleton: Skeleton };
