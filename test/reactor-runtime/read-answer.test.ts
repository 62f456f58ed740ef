import { readAnswer, readLoaded } from '../../reactor-runtime/loop/read-answer.ts';

describe('what the loop makes of messages that a worker may have forged', () => {
  it('a value is passed on as it is', () => {
    expect(readAnswer('v{"raw":1}')).toBe('{"outcome":"returned","value":{"raw":1}}');
    expect(readAnswer('v')).toBe('{"outcome":"returned"}');
  });

  it.each([
    ['members beside the value', 'v1,"outcome":"stale"'],
    ['an end and another object', 'v1},{"outcome":"stale"'],
    ['two values', 'v1 2'],
    ['no JSON', 'vundefined'],
    ['an outcome that only the loop may give', '{"outcome":"stale"}'],
    ['an error that is no object', 't[1]'],
    ['an error that is no JSON', 't{'],
    ['a kind that does not exist', 'x'],
    ['nothing', ''],
  ])('%s is no answer', (_what, message) => {
    expect(readAnswer(message)).toBeUndefined();
  });

  it('an error is rebuilt from its known members, within their bounds', () => {
    const forged = {
      name: 7,
      message: 'm'.repeat(9_000),
      status: 1.5,
      errors: [1],
      outcome: 'stale',
      stack: 's',
    };
    expect(JSON.parse(readAnswer(`t${JSON.stringify(forged)}`) ?? '')).toEqual({
      outcome: 'threw',
      error: { name: '', message: 'm'.repeat(2_000), status: null, errors: null },
    });
  });

  it('a member called __proto__ stays a member', () => {
    const answer = readAnswer('t{"errors":{"__proto__":["a"]}}');
    expect(answer).toContain('"__proto__":["a"]');
  });

  it('a result over the limit in bytes is too large, whatever its length', () => {
    expect(readAnswer(`v"${'\u20ac'.repeat(2_000_000)}"`)).toBe('{"outcome":"too_large"}');
  });

  it('a worker can say that loading failed, but not that it was ended', () => {
    expect(readLoaded('l')).toBe('loaded');
    expect(readLoaded('nsyntax')).toBe('syntax');
    expect(readLoaded('nmemory')).toBeUndefined();
    expect(readLoaded('v1')).toBeUndefined();
  });
});
