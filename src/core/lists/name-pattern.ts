/**
 * A matcher for a filter of names (docs/contract.md#create-and-change-reactors). It builds no
 * regular expression from a caller's input, so its time grows only with the length of the name.
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
