/** An object whose `undefined` members are left out. */
export type Defined<T> = {
  readonly [K in keyof T as undefined extends T[K] ? never : K]: T[K];
} & {
  readonly [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>;
};

/** Leaves out the members that are `undefined`, so that absent has one spelling. */
export function defined<T extends object>(value: T): Defined<T> {
  // Most have none. A loop is twice as fast as `fromEntries`. Code names the members: none is
  // `__proto__`.
  if (!Object.values(value).includes(undefined)) return value;
  const result: Record<string, unknown> = {};
  for (const [name, member] of Object.entries(value)) if (member !== undefined) result[name] = member;
  return result as Defined<T>;
}
