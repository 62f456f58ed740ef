/** An attribute value on the wire: exactly one member is set, binary as base64. */
export interface AttributeValue {
  readonly S?: string;
  readonly N?: string;
  readonly B?: string;
  readonly BOOL?: boolean;
  readonly NULL?: boolean;
  readonly SS?: readonly string[];
  readonly NS?: readonly string[];
  readonly BS?: readonly string[];
  readonly L?: readonly AttributeValue[];
  readonly M?: Readonly<Record<string, AttributeValue>>;
}

export type Item = Readonly<Record<string, AttributeValue>>;

/** Returns the single scalar of a key attribute, as `dynamodb:LeadingKeys` compares it. */
export function scalarText(value: AttributeValue | undefined): string | undefined {
  return value?.S ?? value?.N ?? value?.B;
}

/** Whether two JSON values are equal, regardless of prototypes and the order of members. */
export function sameJson(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  const left = Object.entries(a).filter(([, value]) => value !== undefined);
  const right = new Map<string, unknown>(Object.entries(b).filter(([, value]) => value !== undefined));
  return (
    left.length === right.size &&
    left.every(([name, value]) => right.has(name) && sameJson(value, right.get(name)))
  );
}

/** The type of an empty string or empty bytes, which no key may be. */
export function emptyType(value: Item[string] | undefined): 'S' | 'B' | undefined {
  if (value?.S === '') return 'S';
  return value?.B === '' ? 'B' : undefined;
}
