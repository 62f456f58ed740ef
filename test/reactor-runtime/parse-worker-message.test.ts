import * as loop from '../../reactor-runtime/loop/parse-worker-message.ts';

const packageAt = (line: number, column: number) => (line === 2 && column > 7 ? '@scope/name' : undefined);
const parseWorkerMessage = (message: string) => loop.parseWorkerMessage(message, packageAt);
const readLoaded = (message: string) => loop.readLoaded(message, packageAt);

describe('the loop parses a message that a worker may have forged', () => {
  it('a value is passed on unchanged', () => {
    expect(parseWorkerMessage('v{"raw":1}')).toBe('{"outcome":"returned","value":{"raw":1}}');
    expect(parseWorkerMessage('v')).toBe('{"outcome":"returned"}');
  });

  it.each([
    ['members in addition to the value', 'v1,"outcome":"stale"'],
    ['an end and another object', 'v1},{"outcome":"stale"'],
    ['two values', 'v1 2'],
    ['no JSON', 'vundefined'],
    ['an outcome that only the loop may return', '{"outcome":"stale"}'],
    ['an error that is not an object', 't[1]'],
    ['an error that is not JSON', 't{'],
    ['a kind that does not exist', 'x'],
    ['nothing', ''],
  ])('%s is not a response', (_what, message) => {
    expect(parseWorkerMessage(message)).toBeUndefined();
  });

  it('an error is rebuilt from its known members, within their bounds', () => {
    const forged = {
      name: 'n',
      class: 'No identifier',
      line: 1,
      column: 50_002,
      message: 'm'.repeat(9_000),
      status: 1.5,
      errors: [1],
      outcome: 'stale',
      stack: 's',
    };
    expect(JSON.parse(parseWorkerMessage(`t${JSON.stringify(forged)}`) ?? '')).toEqual({
      outcome: 'threw',
      error: { class: 'Error', message: 'm'.repeat(2_000), status: null, errors: null },
    });
  });

  const LONGEST = 'C'.repeat(64);
  it.each([
    [
      { class: 'Err_$1', line: 1, column: 50_001 },
      { class: 'Err_$1', line: 1, column: 50_001 },
    ],
    [{ class: LONGEST }, { class: LONGEST }],
    [{ class: `${LONGEST}C` }, { class: 'Error' }],
    [{ class: '4242424242424242' }, { class: 'Error' }],
    [{ class: 'Karte\u00e4' }, { class: 'Error' }],
    [{ class: 'E\n' }, { class: 'Error' }],
    [{ class: ['E'], line: 1 }, { class: 'Error' }],
    [{ class: 'E', line: '1', column: 2 }, { class: 'E' }],
    [{ class: 'E', line: 0, column: 2 }, { class: 'E' }],
    [{ class: 'E', line: 1.5, column: 2 }, { class: 'E' }],
    [{ class: 'E', line: 4242424242424242, column: 2 }, { class: 'E' }],
    [
      { class: 'E', package_line: 2, package_column: 4_000_001, package: 'forged' },
      { class: 'E', package: '@scope/name', package_line: 2, package_column: 4_000_001 },
    ],
    [{ class: 'E', package_line: 2, package_column: 4_000_002 }, { class: 'E' }],
    [{ class: 'E', package_line: 1, package_column: 8 }, { class: 'E' }],
    [{ class: 'E', package_line: '2', package_column: 8 }, { class: 'E' }],
  ])('class and place %j leave the runtime as %j', (forged, shown) => {
    const { error } = JSON.parse(parseWorkerMessage(`t${JSON.stringify(forged)}`) ?? '');
    expect(error).toEqual({ ...shown, message: '', status: null, errors: null });
    expect(readLoaded(`n${JSON.stringify({ reason: 'threw', ...forged })}`)).toEqual({
      reason: 'threw',
      error: shown,
    });
  });

  it.each([
    ['left-pad', true],
    ['@scope/a.b/c/d.js', true],
    ['node:fs/promises', true],
    ['_http_agent', true],
    ['a'.repeat(214), true],
    ['a'.repeat(215), false],
    ['./other.js', false],
    ['/etc/hosts', false],
    ['a b', false],
    ['a\n', false],
    ['a/../b', false],
    ['', false],
    [7, false],
  ])('the module %j is named: %j', (module, isNamed) => {
    expect(readLoaded(`n${JSON.stringify({ reason: 'module', module })}`)).toEqual(
      isNamed ? { reason: 'module', module } : { reason: 'module' },
    );
    const { error } = JSON.parse(parseWorkerMessage(`t${JSON.stringify({ module })}`) ?? '');
    expect(error.module).toBe(isNamed ? module : null);
  });

  it('a member called __proto__ remains a member', () => {
    const response = parseWorkerMessage('t{"errors":{"__proto__":["a"]}}');
    expect(response).toContain('"__proto__":["a"]');
  });

  it('a result over the limit in bytes is too large, whatever its length', () => {
    expect(parseWorkerMessage(`v"${'\u20ac'.repeat(2_000_000)}"`)).toBe('{"outcome":"too_large"}');
  });

  it('a worker can report that loading failed, but not that it was ended', () => {
    expect(readLoaded('l')).toBe('loaded');
    expect(readLoaded('n{"reason":"syntax"}')).toEqual({ reason: 'syntax' });
    expect(readLoaded('n{"reason":"memory"}')).toBeUndefined();
    expect(readLoaded('nsyntax')).toBeUndefined();
    expect(readLoaded('v1')).toBeUndefined();
  });
});
