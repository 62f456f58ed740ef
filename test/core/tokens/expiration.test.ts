import { formatTimestamp } from '../../../src/core/shared/timestamp.ts';
import { parseExpiration } from '../../../src/core/tokens/expiration.ts';
import { fc } from '../../../packages/test-kit/src/properties.ts';

const written = (text: string) => {
  const parsed = parseExpiration(text);
  return parsed && formatTimestamp(parsed.at, parsed.offsetMinutes);
};

describe('expires_at', () => {
  it.each([
    ['1/2/2030', '2030-01-02T00:00:00+00:00'],
    ['01/02/2030', '2030-01-02T00:00:00+00:00'],
    ['12/31/2030', '2030-12-31T00:00:00+00:00'],
    ['2/29/2028', '2028-02-29T00:00:00+00:00'],
    ['1/2/2030 3:04:05 PM', '2030-01-02T15:04:05+00:00'],
    ['1/2/2030 3:04:05 PM -05:00', '2030-01-02T15:04:05-05:00'],
    ['1/2/2030 3:04:05 am +05:30', '2030-01-02T03:04:05+05:30'],
    ['1/2/2030 12:00:00 AM', '2030-01-02T00:00:00+00:00'],
    ['1/2/2030 12:00:00 PM', '2030-01-02T12:00:00+00:00'],
    ['1/2/2030 12:59:59 AM +14:00', '2030-01-02T00:59:59+14:00'],
    ['8/26/2030 7:23:57 PM -07:00', '2030-08-26T19:23:57-07:00'],
    [' 1/2/2030 ', '2030-01-02T00:00:00+00:00'],
    ['2030-01-02T03:04:05Z', '2030-01-02T03:04:05+00:00'],
    ['2030-01-02T03:04:05+02:00', '2030-01-02T03:04:05+02:00'],
    ['2030-01-02', '2030-01-02T00:00:00+00:00'],
  ])('%j is %s', (text, expected) => {
    expect(written(text)).toBe(expected);
  });

  it.each([
    '',
    'tomorrow',
    '1/2/30',
    '13/1/2030',
    '0/1/2030',
    '1/0/2030',
    '2/30/2030',
    '2/29/2030',
    '1/2/2030 15:04:05',
    '1/2/2030 13:04:05 PM',
    '1/2/2030 0:04:05 AM',
    '1/2/2030 3:60:05 AM',
    '1/2/2030 3:04:60 AM',
    '1/2/2030 3:04 PM',
    '1/2/2030 3:04:05 PM -15:00',
    '1/2/2030 3:04:05',
    '1/2/2030 -05:00',
    '1-2-2030',
    '1/2/2030T3:04:05 PM',
    '1/2/2030 3:04:05 PM UTC',
    `1/2/2030${' '.repeat(100_000)}x`,
  ])('rejects text %#', (text) => {
    expect(parseExpiration(text)).toBeUndefined();
  });

  it('means the same instant in the American form and in ISO 8601', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: Date.UTC(1971, 0, 1) / 1000, max: Date.UTC(9998, 0, 1) / 1000 }),
        fc.integer({ min: -840, max: 840 }),
        (seconds, offset) => {
          const iso = formatTimestamp(seconds * 1000, offset);
          const [, year, month, day, hour, rest, zone] =
            /^(\d+)-(\d+)-(\d+)T(\d+):(\d+:\d+)(.+)$/.exec(iso) ?? [];
          const twelve = Number(hour) % 12 === 0 ? 12 : Number(hour) % 12;
          const half = Number(hour) < 12 ? 'AM' : 'PM';
          const american = `${String(Number(month))}/${String(Number(day))}/${year ?? ''} ${String(twelve)}:${rest ?? ''} ${half} ${zone ?? ''}`;
          expect(parseExpiration(american)).toEqual({ at: seconds * 1000, offsetMinutes: offset });
          expect(parseExpiration(iso)).toEqual(parseExpiration(american));
        },
      ),
    );
  });
});
