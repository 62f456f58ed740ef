/** Removes characters that move the cursor or change the direction of text. */
export const shownLine = (line: string): string => line.replaceAll(/(?!\t)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '');
