/**
 * Whether names match a filter (docs/contract.md#create-and-change-reactors): without regard to
 * case, `*` stands for any run of characters, and a filter without one is contained. Pieces are
 * looked for one after the other, so the time grows with the length of the name alone: no
 * expression is built from what a caller sends.
 */
export function namePattern(filter: string): (name: string) => boolean {
  const wanted = filter.toLowerCase();
  if (!wanted.includes('*')) return (name) => name.toLowerCase().includes(wanted);
  const [first = '', ...rest] = wanted.split('*');
  const last = rest.pop() ?? '';
  return (name) => {
    const text = name.toLowerCase();
    if (!text.startsWith(first)) return false;
    let at = first.length;
    for (const piece of rest) {
      const found = text.indexOf(piece, at);
      if (found === -1) return false;
      at = found + piece.length;
    }
    return text.length - last.length >= at && text.endsWith(last);
  };
}
