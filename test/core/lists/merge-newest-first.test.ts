import { mergeNewestFirst } from '../../../src/core/lists/merge-newest-first.ts';

const at = (...positions: readonly string[]) => positions.map((position) => ({ position }));

describe('merged sources', () => {
  it('have all entries, newest first, if every source was read to its end', () => {
    expect(mergeNewestFirst([{ entries: at('d', 'a') }, { entries: at('c', 'b') }])).toEqual({
      entries: at('d', 'c', 'b', 'a'),
      floor: undefined,
    });
  });

  it('end where the source that was read least far ends', () => {
    const sources = [
      { entries: at('f', 'c'), readTo: 'c' },
      { entries: at('e', 'b'), readTo: 'b' },
      { entries: at('d', 'a') },
    ];
    expect(mergeNewestFirst(sources)).toEqual({ entries: at('f', 'e', 'd', 'c'), floor: 'c' });
  });

  it('are empty as long as a source has unread pages and no entry', () => {
    expect(mergeNewestFirst([{ entries: at('a') }, { entries: [], readTo: '\uffff' }]).entries).toEqual([]);
  });
});
