import { defined } from '../../../core/shared/defined.ts';
import { FieldReporter } from '../../../core/shared/field-reporter.ts';
import { joinedPath, memberPath } from '../../../core/shared/member-path.ts';
import { ServiceError } from '../../../core/shared/service-error.ts';

describe('the errors of a request', () => {
  it('are collected by path and thrown together', () => {
    const fields = new FieldReporter();
    expect(fields.failed).toBe(false);
    fields.throwIfFailed();
    fields.report('a', 'one');
    fields.add({ a: ['two'], 'b[0].c': ['three'] });
    expect(fields.failed).toBe(true);
    const error = new ServiceError('validation_failed', 'One or more validation errors occurred.');
    expect(() => fields.throwIfFailed()).toThrow(error);
    try {
      fields.throwIfFailed();
    } catch (thrown) {
      expect({ ...(thrown as ServiceError).errors }).toEqual({ a: ['one', 'two'], 'b[0].c': ['three'] });
    }
  });

  it.each(['constructor', '__proto__', 'toString', 'hasOwnProperty'])(
    'may be about a member named %s',
    (name) => {
      const fields = new FieldReporter();
      fields.report(name, 'is wrong');
      try {
        fields.throwIfFailed();
        throw new Error('nothing was thrown');
      } catch (thrown) {
        expect(JSON.stringify((thrown as ServiceError).errors)).toBe(`{"${name}":["is wrong"]}`);
      }
    },
  );

  it('have the paths of the request', () => {
    expect(memberPath('', 'rules')).toBe('rules');
    expect(memberPath('rules', 0)).toBe('rules[0]');
    expect(memberPath('rules[0]', 'permissions')).toBe('rules[0].permissions');
    expect(memberPath('', 0)).toBe('[0]');
    expect(joinedPath('', 'a.b')).toBe('a.b');
    expect(joinedPath('a', 'b')).toBe('a.b');
    expect(joinedPath('a', '[0].b')).toBe('a[0].b');
  });
});

describe('absent members', () => {
  it('have one spelling', () => {
    expect(Object.keys(defined({ a: undefined, b: null, c: 0, d: '' }))).toEqual(['b', 'c', 'd']);
  });
});
