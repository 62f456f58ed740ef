import { countBySteps } from '../../console/src/trail/hourly-counts.ts';
import { filterOf, HOUR_MS, isShown, logQueryOf, queryOf } from '../../console/src/trail/trail-filter.ts';
import type { LogRecord, TokenForm } from '../../console/src/sdk.ts';
import { fc } from '../../packages/test-kit/src/properties.ts';

const START = Date.parse('2026-11-27T08:00:00Z');

const record = fc
  .record({
    minutes: fc.nat(24 * 60 - 1),
    application_id: fc.nat(9).map((index) => `application-${String(index)}`),
    outcome: fc.constantFrom('ok' as const, 'refused' as const),
    forms: fc.array(fc.constantFrom('reveal' as const, 'mask' as const), { maxLength: 3 }),
  })
  .map(({ minutes, forms, ...others }): LogRecord => ({
    ...others,
    id: String(minutes),
    created_at: new Date(START + minutes * 60_000).toISOString(),
    operation: 'getToken',
    tokens: forms.map((form, index) => ({ id: String(index), form })),
  }));

describe('the counts of the trail', () => {
  it('count every reveal and every refusal once', () => {
    fc.assert(
      fc.property(fc.array(record, { maxLength: 40 }), (records) => {
        const { steps, reveals, refusals, leftOut } = countBySteps(records, START, START + 24 * HOUR_MS - 1);
        const shown = records.flatMap(({ tokens = [] }) => tokens.filter(({ form }) => form === 'reveal'));
        expect([steps.length, leftOut]).toEqual([24, 0]);
        expect(reveals.reduce((sum, { total }) => sum + total, 0)).toBe(shown.length);
        expect(refusals.total).toBe(records.filter(({ outcome }) => outcome === 'refused').length);
        expect(reveals.length).toBeLessThanOrEqual(7);
      }),
    );
  });

  it('count the reveals of one token alone in its trail', () => {
    const tokens = ['a', 'b', 'a'].map((id, index) => ({
      id,
      form: index === 2 ? ('mask' as const) : ('reveal' as const),
    }));
    const of: LogRecord = {
      id: '1',
      created_at: new Date(START).toISOString(),
      operation: 'listTokens',
      outcome: 'ok',
      tokens,
    };
    const total = (tokenId: string) => countBySteps([of], START, START, tokenId).reveals[0]?.total;
    expect([total(''), total('a'), total('b'), total('c')]).toEqual([2, 1, 1, undefined]);
  });

  it('are by the day over more than four days, and say what has no room', () => {
    const days = (count: number) => countBySteps([], START, START + count * 24 * HOUR_MS);
    expect([days(4).stepMs, days(5).stepMs]).toEqual([HOUR_MS, 24 * HOUR_MS]);
    const old: LogRecord = {
      id: '1',
      created_at: new Date(START).toISOString(),
      operation: 'x',
      outcome: 'refused',
    };
    expect(countBySteps([old], START, START + 400 * 24 * HOUR_MS)).toMatchObject({
      leftOut: 1,
      refusals: { total: 0 },
    });
  });
});

describe('the filter of the trail', () => {
  it('is the last 24 hours by default, and its own address', () => {
    const filter = filterOf({ token_id: 't', outcome: 'nonsense', form: 'reveal' });
    expect(filterOf(queryOf(filter))).toEqual(filter);
    expect(logQueryOf(filter, START)).toEqual({
      token_id: 't',
      form: 'reveal',
      from: new Date(START - 24 * HOUR_MS).toISOString(),
    });
  });

  it('has records that reveal, change or refuse something first, and everything on request', () => {
    const of = (operation: string, form?: TokenForm, outcome: LogRecord['outcome'] = 'ok'): LogRecord => ({
      id: '1',
      created_at: new Date(START).toISOString(),
      operation,
      outcome,
      ...(form !== undefined && { tokens: [{ id: 't', form }] }),
    });
    const shown = [
      ...[of('getToken', 'reveal'), of('proxy', 'use'), of('createToken', 'create'), of('patchProxy')],
      ...[of('listTokens', 'refused', 'refused'), of('getToken', undefined, 'failed')],
    ];
    const others = [of('getToken', 'mask'), of('listApplications'), of('searchTokens'), of('explainAccess')];
    const shownBy = (query: Readonly<Record<string, string>>) =>
      [...shown, ...others].filter((record) => isShown(record, filterOf(query)));
    expect(shownBy({})).toEqual(shown);
    for (const query of [{ show: 'all' }, { form: 'mask' }, { operation: 'getToken' }, { outcome: 'ok' }])
      expect(shownBy(query)).toHaveLength(shown.length + others.length);
    expect(filterOf({ show: 'nonsense' }).show).toBe('');
  });

  it('leaves out what an address cannot ask for', () => {
    const filter = filterOf({ hours: '1e99', form: 'x', outcome: 'y', token_id: ' t ' });
    expect(filter).toMatchObject({ hours: '24', form: '', outcome: '', token_id: 't' });
    expect(() => logQueryOf(filter, START)).not.toThrow();
  });

  it('asks for the hour of a bar exactly', () => {
    const from = '2026-11-27T08:00:00.000Z';
    const to = '2026-11-27T09:00:00.000Z';
    expect(logQueryOf(filterOf({ from, to, hours: '24' }), START)).toMatchObject({ from, to });
  });
});
