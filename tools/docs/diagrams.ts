// Diagrams of the documents: text in Mermaid's language, which GitHub draws. For the site they are
// drawn once, by `npm run build -- diagrams`, since Mermaid needs a browser and is 5 MB.
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The folder has each drawn diagram under the hash of its text. */
export const DRAWN = join(import.meta.dirname, '..', '..', 'site', 'diagrams');

const HASH_LENGTH = 12;
const BLOCK = /^```mermaid\n([^]*?)^```$/gm;

export const diagramsOf = (markdown: string): readonly string[] =>
  [...markdown.matchAll(BLOCK)].map(([, text = '']) => text);

/** The name of a diagram's file, without its extension. */
export const hashOf = (diagram: string): string =>
  `d${createHash('sha256').update(diagram).digest('hex').slice(0, HASH_LENGTH)}`;

/** The SVG of a diagram. Throws if its text has changed since it was drawn. */
export function drawDiagram(diagram: string): string {
  const file = join(DRAWN, `${hashOf(diagram)}.svg`);
  if (!existsSync(file)) throw new Error(`A diagram is not drawn: npm run build -- diagrams\n\n${diagram}`);
  return readFileSync(file, 'utf8');
}
