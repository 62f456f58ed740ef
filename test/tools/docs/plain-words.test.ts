import { wordFindings } from '../../../tools/docs/plain-words.ts';

const wordsOf = (text: string) => wordFindings(text).map(({ line, word }) => [line, word]);

it('finds words of comments, names and titles, with their lines', () => {
  expect(wordsOf("// What it was Given.\nconst sealedAnew = kept_until;\nit('stands in a table');")).toEqual([
    [1, 'given'],
    [2, 'anew'],
    [2, 'kept'],
    [3, 'stands in'],
  ]);
});

it('ignores parts of other words', () => {
  expect(wordsOf('withheld, forgiven, keptics; it stands; Heldenplatz')).toEqual([]);
});

it('accepts the value of a setting in quotes, and no other use of the word', () => {
  expect(wordsOf("the setting is 'told' or `told`\nas it was told")).toEqual([[2, 'told']]);
});

it('accepts a name that must stay, where a comment marks it', () => {
  expect(wordsOf('// plain-words: stored name\nkept,\nkept // plain-words: stored name\nplain')).toEqual([]);
});
