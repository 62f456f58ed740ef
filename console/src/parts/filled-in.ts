/**
 * The filters that a person filled in. An empty field of a form is no filter, as its page shows;
 * the SDK refuses one without a value.
 */
export function filledIn<Fields extends Readonly<Record<string, string | undefined>>>(
  fields: Fields,
): { readonly [Name in keyof Fields]?: NonNullable<Fields[Name]> } {
  const filled = Object.entries(fields).filter(([, text]) => text !== undefined && text !== '');
  return Object.fromEntries(filled) as { readonly [Name in keyof Fields]?: NonNullable<Fields[Name]> };
}
