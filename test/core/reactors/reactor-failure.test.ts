import { AUTHOR_PACKAGES } from '../../../src/core/reactors/author-packages.ts';
import { reactorFailure, withoutChosenNames } from '../../../src/core/reactors/reactor-failure.ts';
import type { ThrownError } from '../../../src/core/reactors/reactor-runner.ts';
import { Secret } from '../../../src/core/shared/secret.ts';
import { problemOf } from '../../../src/wire/problem.ts';

const thrown = (more: Partial<ThrownError>) => ({
  outcome: 'threw' as const,
  error: new Secret<ThrownError>({
    message: 'Card declined',
    status: null,
    errors: null,
    ...more,
  }),
});

const KIND = { limitMs: 1000, image: 'node16' } as const;

describe('an error that code throws', () => {
  it.each([
    [400, 'Bad Request', 'validation_failed'],
    [401, 'Unauthorized', 'unauthenticated'],
    [402, 'Payment Required', 'payment_required'],
    [403, 'Forbidden', 'forbidden'],
    [429, 'Too Many Requests', 'too_many_requests'],
    [500, 'Reactor Runtime Error', 'reactor_failed'],
    [503, 'Service Unavailable', 'dependency_unavailable'],
  ])('an error that code throws with status %i is returned with this status', (status, title, code) => {
    const { problem } = problemOf(reactorFailure(thrown({ status, errors: { card: ['declined'] } }), KIND));
    expect(problem).toEqual({
      title,
      status,
      code,
      detail: 'Card declined',
      errors: { card: ['declined'] },
    });
  });

  it.each([null, 200, 404, 418, 502, 600, -1])(
    'an error that code throws with status %s does not reveal its message',
    (status) => {
      const { problem } = problemOf(reactorFailure(thrown({ status, errors: { card: ['4242'] } }), KIND));
      expect(problem).toEqual({
        title: 'Reactor Runtime Error',
        status: 500,
        code: 'reactor_failed',
        detail: 'The code threw an Error.',
      });
    },
  );

  it.each([
    [{ class: 'TypeError', line: 3, column: 18 }, 'a TypeError at line 3, column 18'],
    [
      { line: 3, column: 18, package: 'pdf-lib', package_line: 1, package_column: 90_211 },
      'an Error at line 3, column 18, in the package pdf-lib at line 1, column 90211 of its bundle',
    ],
    [{ class: 'AxiosError' }, 'an AxiosError'],
    [{ class: 'URIError' }, 'a URIError'],
    [{ class: 'undefined' }, 'undefined'],
    [{ class: 'null' }, 'null'],
    [{ class: 'string' }, 'a string'],
    [{}, 'an Error'],
  ])('an error that code throws of %j is described as %s', (place, words) => {
    const { problem } = problemOf(reactorFailure(thrown({ ...place, message: '4242' }), KIND));
    expect([problem.status, problem.detail]).toEqual([500, `The code threw ${words}.`]);
  });
});

describe('code that calls fetch', () => {
  it('learns that Node.js 16 has none, and which packages do', () => {
    const error = { class: 'ReferenceError', line: 1, column: 40, message: 'fetch is not defined' };
    expect(problemOf(reactorFailure(thrown(error), KIND)).problem.detail).toBe(
      'The code threw a ReferenceError at line 1, column 40. Node.js 16 has no fetch: require node-fetch or axios instead.',
    );
    for (const other of [{ message: 'fetcher is not defined' }, { class: 'TypeError' }])
      expect(problemOf(reactorFailure(thrown({ ...error, ...other }), KIND)).problem.detail).not.toContain(
        '16',
      );
  });

  it('is pointed to packages that reactors can require', () => {
    const names = AUTHOR_PACKAGES.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(['node-fetch', 'axios']));
  });
});

describe('an error without the names that code chose', () => {
  it.each([
    [{ class: 'X4242424242424242', line: 1, column: 2 }, 'The code threw an Error at line 1, column 2.'],
    [{ class: 'TypeError' }, 'The code threw a TypeError.'],
    [
      { line: 1, column: 2, package: 'visa', package_line: 4242, package_column: 4242 },
      /^The code threw an Error at line 1, column 2\.$/,
    ],
    [{ class: 'Error', module: 'm4242424242424242' }, /^The code requires something that is neither/],
  ])('says %j as %s', (place, detail) => {
    const error = new Secret(withoutChosenNames(thrown(place).error.reveal()));
    const { problem } = problemOf(reactorFailure({ outcome: 'threw', error }, KIND));
    expect(problem.detail).toMatch(detail);
  });
});

describe('a module that code may not require while it runs', () => {
  it.each([
    ['lodash', /^The code requires 'lodash' at line 1, column 34, which is not among the packages of .*\.$/],
    ['vm', /^The code requires 'vm' at line 1, column 34, a part of Node\.js that reactors may not use\.$/],
    [null, /^The code requires something at line 1, column 34 that is neither a package nor a part of /],
  ])('%s is named with its position', (module, detail) => {
    const error = { class: 'Error', line: 1, column: 34, module };
    const { problem } = problemOf(reactorFailure(thrown(error), KIND));
    expect([problem.status, problem.code]).toEqual([500, 'reactor_failed']);
    expect(problem.detail).toMatch(detail);
  });
});

describe('code that does not load', () => {
  it.each([
    [{ reason: 'syntax' }, 'The code has a syntax error.'],
    [{ reason: 'no_function' }, 'The code does not export a function by module.exports.'],
    [
      { reason: 'threw', error: { class: 'TypeError', line: 1, column: 2 } },
      'The code threw a TypeError at line 1, column 2 while it loaded.',
    ],
    [{ reason: 'timed_out' }, 'The code takes too long to load.'],
    [{ reason: 'memory' }, 'The code uses more memory than it has while it loads.'],
    [{ reason: 'exited' }, 'The code ends the process while it loads.'],
    [
      { reason: 'module', module: 'node:vm' },
      "The code requires 'node:vm', a part of Node.js that reactors may not use.",
    ],
    [
      { reason: 'module' },
      'The code requires something that is neither a package nor a part of Node.js: a reactor is one file.',
    ],
    [{}, 'The code does not load, or does not export a function by module.exports.'],
  ] as const)('code that does not load for %j is 422: %s', (failure, detail) => {
    const { problem } = problemOf(reactorFailure({ outcome: 'not_loaded', ...failure }, KIND));
    expect([problem.status, problem.detail]).toEqual([422, detail]);
  });

  it('is described with the forbidden package and the permitted ones', () => {
    const failure = { outcome: 'not_loaded', reason: 'module', module: 'left-pad' } as const;
    const { problem } = problemOf(reactorFailure(failure, KIND));
    expect(problem.detail).toMatch(
      /^The code requires 'left-pad', which is not among the packages of reactors: @cloakroom\/sdk, ajv, .*xmlbuilder2\.$/,
    );
  });
});

describe('a run that returns no value', () => {
  it.each([
    ['timed_out', 500, 'longer than its limit of 28000 ms'],
    ['out_of_memory', 500, 'more memory'],
    ['exited', 500, 'without a response'],
    ['unknown', 503, 'it is not known whether the code ran'],
    ['too_large', 500, '5 MB'],
    ['unserializable', 500, 'JSON'],
  ] as const)('%s is %i', (outcome, status, detail) => {
    const { problem } = problemOf(reactorFailure({ outcome }, { ...KIND, limitMs: 28_000 }));
    expect(problem.status).toBe(status);
    expect(problem.detail).toContain(detail);
  });
});
