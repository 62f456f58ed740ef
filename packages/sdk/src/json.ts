/** Any JSON value. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [name: string]: Json };

/** `undefined` may be one of several: JSON leaves the member out. */
type JsonMember<T> = T extends string | number | boolean | null | undefined
  ? T
  : T extends bigint | symbol | ((...parameters: never[]) => unknown)
    ? never
    : {
        readonly [K in keyof T]: [T[K]] extends [undefined]
          ? never
          : [T[K]] extends [Json | undefined]
            ? T[K]
            : JsonMember<T[K]>;
      };

/**
 * `T` if JSON can say it. `Json` is not that: to an `interface`, which has no index signature, it
 * does not extend. Functions, symbols and what is never anything but `undefined` become `never`.
 */
export type AsJson<T> = [T] extends [Json] ? T : Exclude<JsonMember<T>, undefined>;
