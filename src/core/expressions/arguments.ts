/** An argument that an expression writes with its name, such as `mask: '*'`. */
export class NamedArgument {
  readonly name: string;

  readonly value: unknown;

  constructor(name: string, value: unknown) {
    this.name = name;
    this.value = value;
  }
}

/** An argument of a filter: a value by position, or a {@link NamedArgument}. */
export type FilterArgument = unknown;

export const valueOf = (argument: FilterArgument): unknown =>
  argument instanceof NamedArgument ? argument.value : argument;

/** Arguments by name: those by position get the names of the filter's parameters in order. */
export function namedArguments(
  names: readonly string[],
  args: readonly FilterArgument[],
): ReadonlyMap<string, unknown> {
  let position = 0;
  return new Map(
    args.map((argument) => [
      argument instanceof NamedArgument ? argument.name : (names[position++] ?? ''),
      valueOf(argument),
    ]),
  );
}

/*
 * The parameters of a filter check its arguments (parameters.ts). These read an argument that was
 * checked, or was left out.
 */

/** A whole number, which may be quoted. */
export const countArgument = (value: unknown, fallback: number): number =>
  value === undefined ? fallback : Number(value);

/** A boolean, which may be quoted. */
export const booleanArgument = (value: unknown, fallback: boolean): boolean =>
  value === undefined ? fallback : (value as boolean | string).toString().toLowerCase() === 'true';

/** A text that is short, such as a mask. */
export const textArgument = (value: unknown, fallback: string): string =>
  value === undefined ? fallback : (value as string);
