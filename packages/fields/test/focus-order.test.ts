import { fc } from '../../test-kit/src/properties.ts';
import { createFocusOrder, type FocusReport } from '../src/focus-order.ts';

const FIELDS = ['number', 'expiry', 'cvc'].map((name) => ({ name }));
type Field = (typeof FIELDS)[number];
type Report = readonly [field: Field, what: FocusReport];

/** Returns the reports that a page receives from its frames. */
function heard(reports: readonly Report[]): readonly Report[] {
  const events: Report[] = [];
  const order = createFocusOrder<Field>((field, what) => events.push([field, what]));
  for (const [field, what] of reports) order.on(field, what);
  return events;
}

/** A person goes from field to field, or to a place without one. */
const walks = fc.array(fc.option(fc.constantFrom(...FIELDS), { nil: undefined }), { maxLength: 12 });

describe('the focus events of several fields', () => {
  it('have the order of one page, also where the blur of a field comes after the next focus', () => {
    fc.assert(
      fc.property(walks, fc.array(fc.boolean(), { minLength: 12, maxLength: 12 }), (walk, isLate) => {
        const expected: Report[] = [];
        const reported: Report[] = [];
        for (const [index, field] of walk.entries()) {
          const before = walk[index - 1];
          if (field === before) continue;
          const blur: Report[] = before === undefined ? [] : [[before, 'blur']];
          const focus: Report[] = field === undefined ? [] : [[field, 'focus']];
          expected.push(...blur, ...focus);
          reported.push(...(isLate[index] === true ? [...focus, ...blur] : [...blur, ...focus]));
        }
        expect(heard(reported)).toEqual(expected);
      }),
    );
  });

  it('alternate in any order of reports, so that one field at most has the focus', () => {
    const reports = fc.array(
      fc.tuple(fc.constantFrom(...FIELDS), fc.constantFrom<FocusReport>('focus', 'blur')),
    );
    fc.assert(
      fc.property(reports, (all) => {
        const events = heard(all);
        for (const [index, [field, what]] of events.entries())
          expect(what === 'focus' ? index % 2 : [index % 2, events[index - 1]?.[0]]).toEqual(
            what === 'focus' ? 0 : [1, field],
          );
      }),
    );
  });

  it('lack the blur of a field that left the page', () => {
    const events: Report[] = [];
    const order = createFocusOrder<Field>((field, what) => events.push([field, what]));
    const [number, expiry] = FIELDS as [Field, Field];
    order.on(number, 'focus');
    order.forget(number);
    order.on(expiry, 'focus');
    expect(events).toEqual([
      [number, 'focus'],
      [expiry, 'focus'],
    ]);
  });
});
