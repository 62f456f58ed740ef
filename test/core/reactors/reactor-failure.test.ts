import { runFailure } from '../../../src/core/reactors/reactor-failure.ts';
import type { ThrownError } from '../../../src/core/reactors/reactor-runner.ts';
import { Secret } from '../../../src/core/shared/secret.ts';
import { problemOf } from '../../../src/http/problem.ts';

const thrown = (more: Partial<ThrownError>) => ({
  outcome: 'threw' as const,
  error: new Secret<ThrownError>({
    name: 'Error',
    message: 'Card declined',
    status: null,
    errors: null,
    ...more,
  }),
});

describe('an error that code throws', () => {
  it.each([
    [400, 'Bad Request', 'validation_failed'],
    [401, 'Unauthorized', 'unauthenticated'],
    [402, 'Payment Required', 'payment_required'],
    [403, 'Forbidden', 'forbidden'],
    [429, 'Too Many Requests', 'too_many_requests'],
    [500, 'Reactor Runtime Error', 'reactor_failed'],
    [503, 'Service Unavailable', 'dependency_unavailable'],
  ])('with status %i is told with it', (status, title, code) => {
    const { problem } = problemOf(runFailure(thrown({ status, errors: { card: ['declined'] } }), 1000));
    expect(problem).toEqual({
      ...{ title, status, code, detail: 'Card declined' },
      errors: { card: ['declined'] },
    });
  });

  it.each([null, 200, 404, 418, 502, 600, -1])('with status %s says nothing of itself', (status) => {
    const { problem } = problemOf(runFailure(thrown({ status, errors: { card: ['4242'] } }), 1000));
    expect(problem).toEqual({
      title: 'Reactor Runtime Error',
      status: 500,
      code: 'reactor_failed',
      detail: 'The code threw an error.',
    });
  });
});

describe('a run without an answer', () => {
  it.each([
    ['not_loaded', 422, 'does not load'],
    ['timed_out', 500, 'longer than its limit of 28000 ms'],
    ['out_of_memory', 500, 'more memory'],
    ['exited', 500, 'without an answer'],
    ['unknown', 503, 'whether the code has run is not known'],
    ['too_large', 500, '5 MB'],
    ['unserializable', 500, 'JSON'],
  ] as const)('%s is %i', (outcome, status, detail) => {
    const { problem } = problemOf(runFailure({ outcome }, 28_000));
    expect(problem.status).toBe(status);
    expect(problem.detail).toContain(detail);
  });
});
