/**
 * Characters that change how the text around them looks, or that cannot be seen: controls,
 * overrides of direction, joiners, zero-width spaces, fillers, tags, line separators.
 */
const DECEIVING = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Default_Ignorable_Code_Point}]/gu;
/** In an emoji of several parts, the joiner and the variation are part of what is seen. */
const IN_EMOJI =
  /(?<=\p{Extended_Pictographic}\p{Emoji_Modifier}?)(?:\uFE0F(?:\u200D(?=\p{Extended_Pictographic}))?|\u200D(?=\p{Extended_Pictographic}))/gu;
/** Lines and tabs are shown as what they are where a text may have several lines. */
const LAYOUT = new Set(['\n', '\t']);

const named = (character: string): string =>
  `⟨U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}⟩`;

/** Names each deceiving character of a stranger's text in place of it: `⟨U+202E⟩`. */
export function visibleText(text: string, { mayHaveLines = false } = {}): string {
  const inEmoji = new Set<number>();
  for (const {
    index,
    0: { length },
  } of text.matchAll(IN_EMOJI))
    for (let at = index; at < index + length; at += 1) inEmoji.add(at);
  return text.replace(DECEIVING, (character, offset: number) => {
    const isSeen = inEmoji.has(offset) || (mayHaveLines && LAYOUT.has(character));
    return isSeen ? character : named(character);
  });
}

/** How many characters of a text with lines {@link visibleText} would name. */
export const countDeceiving = (text: string): number =>
  [...text.matchAll(DECEIVING)].filter(([character]) => !LAYOUT.has(character)).length;

/** The same characters for the editor, which shows them by their number too. */
export const SPECIAL_CHARACTERS = new RegExp(`(?![\n\t])${DECEIVING.source}`, 'gu');
