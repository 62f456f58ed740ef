/**
 * The forms in which a value could occur: plain, percent-encoded, in hexadecimal, and in base64 at
 * any alignment.
 */
export function needlesOf(value: string): readonly Buffer[] {
  const bytes = Buffer.from(value);
  const base64 = [0, 1, 2].flatMap((offset) => {
    // The neighboring bytes change the first and last characters: those are left out.
    const padded = Buffer.concat([Buffer.alloc(offset), bytes])
      .toString('base64')
      .replace(/=+$/, '');
    const inner = padded.slice(offset === 0 ? 0 : offset + 1, -2);
    return [inner, inner.replaceAll('+', '-').replaceAll('/', '_')];
  });
  const hex = bytes.toString('hex');
  const forms = [value, encodeURIComponent(value), hex, hex.toUpperCase(), ...base64];
  return [...new Set(forms)].map((form) => Buffer.from(form));
}

/** Lists where any form of any of the values occurs: `value name in place`. */
export function occurrences(
  values: Readonly<Record<string, string>>,
  places: Readonly<Record<string, Buffer>>,
): readonly string[] {
  return Object.entries(values).flatMap(([name, value]) => {
    const needles = needlesOf(value);
    return Object.entries(places)
      .filter(([, content]) => needles.some((needle) => content.includes(needle)))
      .map(([place]) => `${name} in ${place}`);
  });
}
