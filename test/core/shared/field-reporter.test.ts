import { FieldReporter } from '../../../src/core/shared/field-reporter.ts';

function errorsOf(fields: FieldReporter): Readonly<Record<string, readonly string[]>> {
  try {
    fields.throwIfFailed();
    return {};
  } catch (error) {
    return (error as { errors: Readonly<Record<string, readonly string[]>> }).errors;
  }
}

describe('the error of a bad request', () => {
  it('has at most a hundred members, with ten messages each', () => {
    const fields = new FieldReporter();
    for (let path = 0; path < 300; path += 1)
      for (let message = 0; message < 30; message += 1)
        fields.report(`p${String(path)}`, `m${String(message)}`);
    const errors = errorsOf(fields);
    expect(Object.keys(errors)).toHaveLength(100);
    expect(new Set(Object.values(errors).map((messages) => messages.length))).toEqual(new Set([10]));
  });

  it('has all messages of a request with few errors, each once', () => {
    const fields = new FieldReporter();
    fields.report('a', 'x');
    fields.report('a', 'x');
    fields.report('b', 'y');
    expect(errorsOf(fields)).toEqual({ a: ['x'], b: ['y'] });
    expect(fields.isFull).toBe(false);
  });

  it('is full after a thousand problems, shown or not', () => {
    const fields = new FieldReporter();
    for (let count = 0; count < 999; count += 1) fields.report('body', 'wrong');
    expect(fields.isFull).toBe(false);
    fields.report('body', 'wrong');
    expect(fields.isFull).toBe(true);
  });

  it('rejects a request with more than ten thousand expressions', () => {
    const fields = new FieldReporter();
    fields.countExpressions('body', 10_000);
    expect(fields.failed).toBe(false);
    fields.countExpressions('query', 1);
    expect(fields.isFull).toBe(true);
    expect(Object.keys(errorsOf(fields))).toEqual(['query']);
  });

  it('accepts any name in a path', () => {
    const fields = new FieldReporter();
    fields.report('__proto__', 'wrong');
    fields.report('constructor', 'wrong');
    expect(Object.keys(errorsOf(fields))).toEqual(['__proto__', 'constructor']);
  });
});
