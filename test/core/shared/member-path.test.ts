import { errorsBelow } from '../../../src/core/shared/member-path.ts';

describe('the path of an error inside a part of a request', () => {
  it.each([
    { relative: 'data.number', path: 'tokenize', expected: 'tokenize.data.number' },
    { relative: '[0].data.number', path: 'tokenize', expected: 'tokenize[0].data.number' },
    { relative: '', path: 'tokenize', expected: 'tokenize' },
    { relative: 'data.number', path: '', expected: 'data.number' },
    { relative: '[0]', path: 'list[1]', expected: 'list[1][0]' },
  ])('is $expected for $relative below "$path"', ({ relative, path, expected }) => {
    expect(errorsBelow(path, { [relative]: ['is invalid'] })).toEqual({ [expected]: ['is invalid'] });
  });
});
