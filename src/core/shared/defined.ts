/** The type of an object after its `undefined` members are removed. */
export type Defined<T> = {
  readonly [K in keyof T as undefined extends T[K] ? never : K]: T[K];
} & {
  readonly [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>;
};

/** The input of {@link defined} for a `T`: under `satisfies`, unknown members do not compile. */
export type Undefinable<T> = { readonly [K in keyof T]: T[K] | undefined };

/** Removes members that are `undefined`, so that absence has one form. */
export function defined<T extends object>(value: T): Defined<T> {
  // Most objects have none. A loop is twice as fast as `fromEntries`. The names come from code, so
  // none is `__proto__`.
  if (!Object.values(value).includes(undefined)) return value;
  const result: Record<string, unknown> = {};
  for (const [name, member] of Object.entries(value)) if (member !== undefined) result[name] = member;
  return result as Defined<T>;
}
