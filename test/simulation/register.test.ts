import { createRegister } from './register.ts';

/** A register whose clock a test moves. */
function aRegister() {
  let now = 0;
  const register = createRegister('first', () => now);
  return {
    register,
    at: (time: number) => {
      now = time;
    },
  };
}

it('a value that was replaced before a read began is not seen', () => {
  const { register, at } = aRegister();
  at(10);
  const change = register.request('second');
  at(20);
  change.done();
  expect(register.possible(5, 9)).toEqual(['first']);
  expect(register.possible(15, 19)).toEqual(['first', 'second']);
  expect(register.possible(19, 30)).toEqual(['first', 'second']);
  expect(register.possible(20, 30)).toEqual(['second']);
  expect(register.acknowledged()).toEqual(['first', 'second']);
});

it('a change without an answer may have happened, until a later one is acknowledged', () => {
  const { register, at } = aRegister();
  at(10);
  const unknown = register.request('unknown');
  at(20);
  unknown.failed();
  expect(register.possible(30, 40)).toEqual(['first', 'unknown']);
  at(50);
  const last = register.request('last');
  at(60);
  last.done();
  expect(register.possible(60, 70)).toEqual(['last']);
});

it('two changes at once exclude neither', () => {
  const { register, at } = aRegister();
  at(10);
  const one = register.request('one');
  const other = register.request('other');
  at(20);
  one.done();
  other.done();
  expect(register.possible(30, 40)).toEqual(['one', 'other']);
});

it('a change that was refused never happens', () => {
  const { register, at } = aRegister();
  at(10);
  register.request('refused').refused();
  expect(register.possible(10, 40)).toEqual(['first']);
});
