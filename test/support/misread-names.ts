let count = 0;

/**
 * A value with a member name that the V8 of Node.js 24 reads wrong from its JSON from now on, in
 * this process and at this place of an object (docs/decisions/0014): what `JSON.parse` is given
 * here teaches it another name.
 */
export function aMisreadValue(): Readonly<Record<string, string>> {
  count += 1;
  // A name that no other object has: V8 is misled where few names have followed the same ones.
  const first = `before a misread name ${String(count)}`;
  JSON.parse(JSON.stringify({ [first]: '', '\\': '' }));
  return { [first]: 'kept', '"': 'kept' };
}
