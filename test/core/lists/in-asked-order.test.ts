import { inAskedOrder } from '../../../src/core/lists/in-asked-order.ts';

/** Yields the ids in every order. */
function* ordersOf(ids: readonly string[]): Generator<readonly string[]> {
  if (ids.length === 0) yield [];
  for (const id of ids) for (const rest of ordersOf(ids.filter((each) => each !== id))) yield [id, ...rest];
}

const STORED = ['a', 'b', 'c'].map((id) => ({ id }));

describe('what was found under ids', () => {
  it('comes in the order of the ids, whatever the store returns first', () => {
    for (const asked of ordersOf(['a', 'b', 'c', 'missing']))
      for (const found of [STORED, STORED.toReversed()])
        expect(inAskedOrder(asked, found, undefined).map(({ resource }) => resource.id)).toEqual(
          asked.filter((id) => id !== 'missing'),
        );
  });

  it('counts once, at the first place of its id', () => {
    const ids = inAskedOrder(['b', 'a', 'b', 'c', 'a'], STORED, undefined);
    expect(ids.map(({ resource }) => resource.id)).toEqual(['b', 'a', 'c']);
  });

  it('goes on behind the place of an entry, also if that entry is gone since', () => {
    const asked = Array.from({ length: 12 }, (_, place) => `id-${String(place)}`);
    const found = asked.map((id) => ({ id }));
    for (const { position, resource } of inAskedOrder(asked, found, undefined)) {
      const left = found.filter(({ id }) => id !== resource.id);
      const rest = asked.slice(asked.indexOf(resource.id) + 1);
      for (const now of [found, left])
        expect(inAskedOrder(asked, now, position).map(({ resource: { id } }) => id)).toEqual(rest);
    }
  });
});
