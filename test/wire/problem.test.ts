import { inspect } from 'node:util';
import { ServiceError, type ServiceErrorCode } from '../../src/core/shared/service-error.ts';
import { presentFailure, problemOf, PROBLEMS, withType } from '../../src/wire/problem.ts';
import { causesOf } from '../../src/lambda/request-log.ts';

describe('a problem', () => {
  it.each(Object.entries(PROBLEMS))(
    '%s has title, status, code and detail',
    (name, { status, title, code = name }) => {
      const error = new ServiceError(name as ServiceErrorCode, 'What happened.', {
        cause: new Error('4242424242424242'),
        headers: { 'Retry-After': '1' },
      });
      expect(problemOf(error)).toEqual({
        problem: { title, status, code, detail: 'What happened.' },
        headers: { 'Retry-After': '1' },
      });
      expect(JSON.stringify(problemOf(error))).not.toContain('4242');
    },
  );

  it('has the statuses of the interface', () => {
    expect(
      Object.fromEntries(Object.entries(PROBLEMS).map(([code, { status }]) => [code, status])),
    ).toMatchObject({
      validation_failed: 400,
      unauthenticated: 401,
      forbidden: 403,
      not_found: 404,
      method_not_allowed: 405,
      conflict: 409,
      payload_too_large: 413,
      unsupported_media_type: 415,
      dependency_unavailable: 503,
    });
  });

  it('a problem of a validation has the errors by path', () => {
    const error = new ServiceError('validation_failed', 'x', { errors: { 'data.number': ['is required'] } });
    expect(problemOf(error).problem).toEqual({
      title: 'Bad Request',
      status: 400,
      code: 'validation_failed',
      detail: 'x',
      errors: { 'data.number': ['is required'] },
    });
  });

  it.each(['/docs', 'https://docs.example.com/vault'])(
    'a problem of a service with documentation at %s names its page first',
    (docsUrl) => {
      const { problem } = problemOf(new ServiceError('key_expired', 'x'));
      const named = withType(problem, docsUrl);
      expect(named).toEqual({ type: `${docsUrl}/errors/key_expired`, ...problem });
      expect(Object.keys(named)[0]).toBe('type');
    },
  );

  it('a problem of a service without documentation, or in a result, names no page', () => {
    const error = new ServiceError('reactor_failed', 'x');
    expect(withType(problemOf(error).problem, '')).not.toHaveProperty('type');
    expect(presentFailure(error)).not.toHaveProperty('type');
  });

  it.each([
    new TypeError('4242424242424242'),
    'thrown text 4242',
    undefined,
    null,
    { code: 'not_found', message: '4242' },
    42,
  ])('a problem of something unexpected contains nothing else: %#', (error) => {
    expect(problemOf(error)).toEqual({
      problem: { title: 'Internal Server Error', status: 500, code: 'internal_error' },
      headers: {},
    });
  });
});

describe('the log line of a failure', () => {
  it('has names and positions, never a message, through all causes', () => {
    const inner = new RangeError('4242424242424242');
    const error = new Error('secret 4242\n    at 4242 (4242:1:1)\n    at file:///4242.ts:1:1', {
      cause: inner,
    });
    const causes = causesOf(error);
    expect(causes).toHaveLength(2);
    expect(causes[0]).toMatch(/^Error \| at .*problem\.test\.ts/);
    expect(causes[1]).toMatch(/^RangeError \| at /);
    expect(inspect(causes)).not.toMatch(/4242|secret/);
  });

  it('has no frames, rather than a line of the message, when the message changed after the stack was taken', () => {
    const error = new Error('old 4242\n    at 4242 (4242:1:1)');
    expect(error.stack).toContain('4242');
    error.message = 'new';
    expect(inspect(causesOf(error))).not.toContain('4242');
  });

  it('ends for circular causes, and is empty for a value that is no error', () => {
    const error = new Error('a');
    error.cause = error;
    expect(causesOf(error).length).toBeLessThanOrEqual(4);
    expect(causesOf('4242')).toEqual([]);
    expect(causesOf(undefined)).toEqual([]);
  });

  it('has the status of the AWS response', () => {
    const error = Object.assign(new Error('4242'), {
      name: 'ThrottlingException',
      $metadata: { httpStatusCode: 400 },
    });
    expect(causesOf(error)[0]).toMatch(/^ThrottlingException \| HTTP 400 \| at /);
  });
});
