let count = 0;

/**
 * A value with a member name that V8 misreads from its JSON from now on, in this process and at
 * this position of an object (docs/decisions/0014): `JSON.parse` teaches it another name here.
 */
export function aMisreadValue(): Readonly<Record<string, string>> {
  count += 1;
  // Members that no other object has, behind one that many have: V8 is misled if few names have
  // followed the same ones, and shares nothing between objects that begin with a rare name once a
  // process has had many.
  const before = { id: '', [`before a misread name ${String(count)}`]: '' };
  JSON.parse(JSON.stringify({ ...before, '\\': '' }));
  return { ...before, '"': 'saved' };
}
