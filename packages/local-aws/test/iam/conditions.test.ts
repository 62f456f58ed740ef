import { fc } from '../../../test-kit/src/properties.ts';
import type { PolicyStatement, Role } from '../../src/aws-service.ts';
import { isAllowed } from '../../src/iam/is-allowed.ts';
import { matchesWildcard } from '../../src/iam/wildcard.ts';

type Conditions = NonNullable<PolicyStatement['Condition']>;
type Context = Readonly<Record<string, string | readonly string[]>>;

function holds(Condition: Conditions, context: Context = {}): boolean {
  const role: Role = {
    arn: 'arn:aws:iam::123456789012:role/tokens',
    policies: [{ Statement: [{ Effect: 'Allow', Action: '*', Resource: '*', Condition }] }],
  };
  return isAllowed(role, { action: 'dynamodb:Query', resource: '*', context }).allowed;
}

const arn = 'arn:aws:lambda:eu-west-1:123456789012:function:tokens';

it.each<[string, Conditions, Context, boolean]>([
  ['StringEquals', { StringEquals: { team: 'a' } }, { team: 'a' }, true],
  ['StringEquals, case differs', { StringEquals: { team: 'a' } }, { team: 'A' }, false],
  ['StringEquals, one of two values', { StringEquals: { team: ['b', 'a'] } }, { team: 'a' }, true],
  ['StringEquals, key absent', { StringEquals: { team: 'a' } }, {}, false],
  ['the name of a key has no case', { StringEquals: { TEAM: 'a' } }, { team: 'a' }, true],
  ['StringEqualsIfExists, key absent', { StringEqualsIfExists: { team: 'a' } }, {}, true],
  ['StringEqualsIfExists, other value', { StringEqualsIfExists: { team: 'a' } }, { team: 'b' }, false],
  ['StringNotEquals', { StringNotEquals: { team: ['a', 'b'] } }, { team: 'c' }, true],
  ['StringNotEquals, one of its values', { StringNotEquals: { team: ['a', 'b'] } }, { team: 'b' }, false],
  ['StringNotEquals, key absent', { StringNotEquals: { team: 'a' } }, {}, true],
  ['StringEqualsIgnoreCase', { StringEqualsIgnoreCase: { team: 'a' } }, { team: 'A' }, true],
  ['StringLike', { StringLike: { team: 'a*' } }, { team: 'abc' }, true],
  ['StringNotLike', { StringNotLike: { team: 'a*' } }, { team: 'abc' }, false],
  ['ArnLike', { ArnLike: { from: 'arn:aws:lambda:*:*:function:t*' } }, { from: arn }, true],
  [
    'ArnEquals takes wildcards too',
    { ArnEquals: { from: 'arn:aws:lambda:*:*:function:*' } },
    { from: arn },
    true,
  ],
  ['ArnLike, part by part', { ArnLike: { from: 'arn:aws:*:function:tokens' } }, { from: arn }, false],
  ['Bool', { Bool: { 'aws:SecureTransport': 'true' } }, {}, true],
  ['Bool, the other', { Bool: { 'aws:SecureTransport': 'false' } }, {}, false],
  ['Null true, key absent', { Null: { team: 'true' } }, {}, true],
  ['Null true, key there', { Null: { team: 'true' } }, { team: 'a' }, false],
  ['Null false, key there', { Null: { team: 'false' } }, { team: 'a' }, true],
  ['two keys both count', { StringEquals: { a: '1', b: '2' } }, { a: '1', b: '3' }, false],
  ['two operators both count', { StringEquals: { a: '1' }, StringLike: { a: '2*' } }, { a: '1' }, false],
  ['ForAllValues, all', { 'ForAllValues:StringEquals': { k: ['a', 'b'] } }, { k: ['a', 'b'] }, true],
  ['ForAllValues, not all', { 'ForAllValues:StringEquals': { k: ['a'] } }, { k: ['a', 'b'] }, false],
  ['ForAllValues, key absent', { 'ForAllValues:StringEquals': { k: ['a'] } }, {}, true],
  ['ForAnyValue, one', { 'ForAnyValue:StringEquals': { k: ['a'] } }, { k: ['a', 'b'] }, true],
  ['ForAnyValue, none', { 'ForAnyValue:StringLike': { k: ['c*'] } }, { k: ['a', 'b'] }, false],
  ['ForAnyValue, key absent', { 'ForAnyValue:StringEquals': { k: ['a'] } }, {}, false],
  [
    'aws:PrincipalArn is the role',
    { ArnLike: { 'aws:PrincipalArn': 'arn:aws:iam::*:role/tokens' } },
    {},
    true,
  ],
])('%s', (_title, conditions, context, expected) => {
  expect(holds(conditions, context)).toBe(expected);
});

it('an unknown operator fails with its name', () => {
  expect(() => holds({ NumericLessThan: { size: '3' } }, { size: '2' })).toThrow(/NumericLessThan/);
  expect(() => holds({ 'ForAnyValue:IpAddress': { 'aws:SourceIp': '::1' } })).toThrow(
    /ForAnyValue:IpAddress/,
  );
});

it('a policy variable fails with its text', () => {
  expect(() => holds({ StringEquals: { team: '${aws:PrincipalTag/team}' } }, { team: 'a' })).toThrow(
    /PrincipalTag/,
  );
});

it('several values need a quantifier', () => {
  expect(() => holds({ StringEquals: { k: 'a' } }, { k: ['a', 'b'] })).toThrow(/ForAllValues/);
});

describe('wildcards', () => {
  const text = fc.string({ unit: 'grapheme', maxLength: 12 });
  const plain = text.filter((value) => !/[*?]/.test(value));

  it('text without wildcards matches only itself', () => {
    fc.assert(
      fc.property(plain, plain, (a, b) => {
        expect(matchesWildcard(a, b)).toBe(a === b);
      }),
    );
  });

  it('an asterisk matches any text, including line ends', () => {
    fc.assert(
      fc.property(plain, text, plain, (before, middle, after) => {
        expect(matchesWildcard(`${before}*${after}`, `${before}${middle}${after}`)).toBe(true);
      }),
    );
  });
});
