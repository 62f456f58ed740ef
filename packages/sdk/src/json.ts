/** Any JSON value. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [name: string]: Json };

/** `undefined` in a union is valid: JSON omits the member. */
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
 * `T` if JSON can represent it, also an `interface`, which does not extend `Json`. Functions,
 * symbols and members that are always `undefined` become `never`.
 */
export type AsJson<T> = [T] extends [Json] ? T : Exclude<JsonMember<T>, undefined>;
