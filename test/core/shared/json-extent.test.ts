import {
  DEPTH_MAX,
  JsonExtentError,
  MEMBERS_MAX,
  MembersAllowance,
  membersOf,
} from '../../../src/core/shared/json-extent.ts';

const list = (elements: number) => `[${Array(elements).fill('0').join()}]`;
const exceeding = (exceeds: string) => expect.objectContaining({ name: 'JsonExtentError', exceeds });

describe('the extent of a JSON text', () => {
  it.each([
    ['0', 0],
    ['[]', 0],
    ['[[],{}]', 2],
    ['[0,[0,0],{"a":0,"b":[0]}]', 8],
    ['{"a":1,"a":2}', 2],
    ['["[0,0,0]","{\\"a\\":1}"]', 2],
  ])('is counted in elements and members at all levels: %s', (text, members) => {
    expect(membersOf(text)).toBe(members);
  });

  it('may be exactly the limit, but not one more', () => {
    expect(membersOf(list(MEMBERS_MAX))).toBe(MEMBERS_MAX);
    expect(() => membersOf(list(MEMBERS_MAX + 1))).toThrow(exceeding('members'));
    const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);
    expect(membersOf(nested(DEPTH_MAX))).toBe(DEPTH_MAX - 1);
    expect(() => membersOf(nested(DEPTH_MAX + 1))).toThrow(exceeding('depth'));
  });

  it('is read only up to the limit', () => {
    let looks = 0;
    const look = () => (looks += 1);
    expect(() =>
      membersOf(`${list(1_000).slice(0, -1)},not JSON`, {
        membersMax: 10,
        also: { open: () => 0, close: () => 0, name: () => 0, scalar: look },
      }),
    ).toThrow(JsonExtentError);
    expect(looks).toBe(10);
  });

  it('is counted together for several texts', () => {
    const allowance = new MembersAllowance();
    allowance.take(list(MEMBERS_MAX - 2));
    allowance.take(list(2));
    allowance.take('"a text alone"');
    for (const text of ['[0]', '0'])
      expect(() => {
        allowance.take(text);
      }).toThrow(exceeding('members'));
  });
});
