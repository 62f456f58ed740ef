/**
 * A part of a header's value: a name of the configuration, or text with detokenization expressions.
 */
export type HeaderPiece = { readonly text: string } | { readonly configuration: string };

const CONFIGURATION = /\{\{\s*configuration\.([A-Za-z_]\w*)\s*\}\}/g;

/** Splits the value of `append_header` at its references to the configuration. */
export function headerPieces(value: string): readonly HeaderPiece[] {
  const pieces: HeaderPiece[] = [];
  let at = 0;
  for (const found of value.matchAll(CONFIGURATION)) {
    if (found.index > at) pieces.push({ text: value.slice(at, found.index) });
    pieces.push({ configuration: found[1] ?? '' });
    at = found.index + found[0].length;
  }
  if (at < value.length || pieces.length === 0) pieces.push({ text: value.slice(at) });
  return pieces;
}

/** The names of the configuration in the value of `append_header`. */
export const namesInHeader = (value: string): readonly string[] =>
  headerPieces(value).flatMap((piece) => ('configuration' in piece ? [piece.configuration] : []));
