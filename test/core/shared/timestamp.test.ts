import { formatTimestamp, parseIsoTimestamp } from '../../../src/core/shared/timestamp.ts';
import { cases, fc } from '../../../packages/test-kit/src/properties.ts';

const at = fc.integer({ min: 0, max: Date.UTC(9998, 11, 31) });
const offset = fc.integer({ min: -14 * 60, max: 14 * 60 });

describe('timestamps', () => {
  it('round trip in every offset, to the millisecond', () => {
    fc.assert(
      fc.property(at, offset, (instant, minutes) => {
        fc.pre(instant + minutes * 60_000 >= 0);
        const text = formatTimestamp(instant, minutes);
        expect(parseIsoTimestamp(text)).toEqual({ at: instant, offsetMinutes: minutes });
        expect(Date.parse(text)).toBe(instant);
        expect(text).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{3})?[+-]\d\d:\d\d$/);
      }),
      { numRuns: cases(1_500) },
    );
  });

  it('every millisecond of a second is read exactly', () => {
    for (let ms = 0; ms < 1000; ms += 1) {
      const text = `2030-01-01T00:00:00.${String(ms).padStart(3, '0')}Z`;
      expect(parseIsoTimestamp(text)?.at).toBe(Date.parse(text));
    }
  });

  it('UTC is written +00:00', () => {
    expect(formatTimestamp(Date.UTC(2030, 0, 31, 23, 59, 59))).toBe('2030-01-31T23:59:59+00:00');
    expect(formatTimestamp(Date.UTC(2030, 0, 31, 22, 30), -150)).toBe('2030-01-31T20:00:00-02:30');
  });

  it.each([
    ['2030-01-31T10:00:00Z', '2030-01-31T10:00:00+00:00'],
    ['2030-01-31T10:00:00', '2030-01-31T10:00:00+00:00'],
    ['2030-01-31', '2030-01-31T00:00:00+00:00'],
    ['2030-01-31T10:00', '2030-01-31T10:00:00+00:00'],
    ['2030-01-31 10:00:00', '2030-01-31T10:00:00+00:00'],
    ['2030-01-31t10:00:00z', '2030-01-31T10:00:00+00:00'],
    [' 2030-01-31T10:00:00+0200 ', '2030-01-31T10:00:00+02:00'],
    ['2030-01-31T10:00:00.5-05:00', '2030-01-31T10:00:00.500-05:00'],
    ['2030-01-31T10:00:00.123456789Z', '2030-01-31T10:00:00.123+00:00'],
    ['2028-02-29T00:00:00-00:00', '2028-02-29T00:00:00+00:00'],
  ])('reads %j', (text, written) => {
    const parsed = parseIsoTimestamp(text);
    expect(parsed && formatTimestamp(parsed.at, parsed.offsetMinutes)).toBe(written);
  });

  it.each([
    '',
    'now',
    '2030',
    '2030-1-1',
    '2030-02-30',
    '2029-02-29',
    '2030-13-01',
    '2030-00-10',
    '2030-01-00',
    '2030-01-32',
    '2030-04-31T00:00:00Z',
    '2030-01-31T24:00:00Z',
    '2030-01-31T10:60:00Z',
    '2030-01-31T10:00:60Z',
    '2030-01-31T10:00:00+14:01',
    '2030-01-31T10:00:00+05:60',
    '2030-01-31T10:00:00+5',
    '1969-12-31T00:00:00Z',
    '0099-01-01',
    '+12030-01-01',
    '2030-01-31T10',
    '2030-01-31T10:00:00.Z',
    '20300131',
    '1e3',
    '２０３０-01-31',
    '2030-01-31T10:00:00ZZ',
  ])('rejects %j', (text) => {
    expect(parseIsoTimestamp(text)).toBeUndefined();
  });
});
