import { Document, isScalar, isMap, visit, type Node } from 'yaml';
import type { JsonObject } from '../../../src/core/shared/json.ts';
import { partsOfAddress } from '../file/names.ts';
import { needsQuotes } from '../file/yaml-tree.ts';
import type { Address } from '../model.ts';

const HEAD = ` yaml-language-server: $schema=./node_modules/@cloakroom/cli/schema.json
 Written by cloakroom config export. The values of configurations are in the variables that
 \`from\` names; a value that may come back needs \`public: true\` beside it.`;

const INVISIBLE = /[\p{Cf}\u2028\u2029]/gu;

/** Escapes a character as YAML has it in double quotes. */
const escaped = (character: string): string =>
  `\\U${(character.codePointAt(0) ?? 0).toString(16).padStart(8, '0')}`;

/** Writes a text of YAML that is read back as the same value. */
export function yamlText(content: JsonObject, comments: ReadonlyMap<Address, readonly string[]>): string {
  const document = new Document(content, { version: '1.2', schema: 'core', aliasDuplicateObjects: false });
  document.commentBefore = HEAD;
  visit(document, {
    Scalar: (_key, node) => {
      if (typeof node.value !== 'string') return;
      // Blocks would lose what an editor cannot show, such as spaces at the end of a line.
      if (needsQuotes(node.value) || /[\n\r\p{Cc}\p{Cf}\u2028\u2029]/u.test(node.value))
        node.type = 'QUOTE_DOUBLE';
    },
  });
  for (const [address, sentences] of comments) {
    const { kind, name } = partsOfAddress(address);
    const entries = document.get(kind);
    if (sentences.length === 0 || !isMap(entries)) continue;
    const pair = entries.items.find(({ key }) => isScalar(key) && key.value === name);
    if (pair !== undefined) (pair.key as Node).commentBefore = sentences.map((each) => ` ${each}`).join('\n');
  }
  // A text with one of them is in double quotes.
  return document.toString({ lineWidth: 0 }).replaceAll(INVISIBLE, escaped);
}
