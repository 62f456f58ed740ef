import { walkJson } from '../../../src/core/shared/walk-json.ts';
import { cases, fc } from '../../../packages/test-kit/src/properties.ts';
import { isRead } from './is-read.ts';

/** The text again, rebuilt from the calls of a visitor. */
function rewritten(text: string): string {
  const closers: string[] = [];
  const parts: string[] = [];
  let isFirst = true;
  const separate = () => {
    if (!isFirst) parts.push(',');
    isFirst = true;
  };
  let isNamed = false;
  const begin = () => {
    if (!isNamed) separate();
    isNamed = false;
  };
  walkJson(text, {
    open(isObject) {
      begin();
      parts.push(isObject ? '{' : '[');
      closers.push(isObject ? '}' : ']');
    },
    close() {
      parts.push(closers.pop() ?? '');
      isFirst = false;
    },
    name(start, end) {
      separate();
      parts.push(text.slice(start, end), ':');
      isNamed = true;
    },
    scalar(start, end) {
      begin();
      parts.push(text.slice(start, end));
      isFirst = false;
    },
  });
  return parts.join('');
}

const nothing = () => undefined;
const SILENT = { open: nothing, close: nothing, name: nothing, scalar: nothing };

describe('a walk through JSON', () => {
  it('reports all parts to a visitor in order, except spaces', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.constantFrom(0, 1, '\t'), (value, indent) => {
        expect(rewritten(JSON.stringify(value, null, indent))).toBe(JSON.stringify(value));
      }),
      { numRuns: cases(300) },
    );
  });

  it('reports which strings have an escape', () => {
    const escaped: boolean[] = [];
    const tell = (_start: number, _end: number, isEscaped: boolean) => escaped.push(isEscaped);
    const long = 'x'.repeat(100);
    walkJson(`{"a":"${long}","\\u0061":"b\\n${long}","${long}\\"":1}`, {
      ...SILENT,
      name: tell,
      scalar: tell,
    });
    expect(escaped).toEqual([false, false, true, true, true, false]);
  });

  it.each([
    ...[
      '0',
      '-0',
      '10',
      '1.50',
      '1e5',
      '1E+5',
      '-1.5e-05',
      '01',
      '-',
      '-a',
      '+1',
      '1.',
      '.5',
      '1e',
      '1e+',
      '0x1',
      '1_0',
      'NaN',
    ],
    ...[
      'true',
      'false',
      'null',
      'tru',
      'nullx',
      'True',
      'undefined',
      '',
      ' ',
      '\u00a01',
      '\ufeff1',
      '1\u2028',
      ' \t\r\n1 \t\r\n',
    ],
    ...[
      '"a"',
      '"',
      '"\\"',
      '"\\\\"',
      '"\\x"',
      '"\\u12g4"',
      '"\\u12',
      '"\\u1234"',
      '"\u007f"',
      '"\u2028"',
      '"\n"',
      '"\u0000"',
      '"\ud800"',
    ],
    ...[
      '"' + 'x'.repeat(50) + '\n"',
      '"' + 'x'.repeat(50) + '\\q"',
      '"' + 'x'.repeat(50),
      "'a'",
      '"a" "b"',
      '"/\\/"',
    ],
    ...[
      '[',
      ']',
      '[]',
      '[,]',
      '[1,]',
      '[1 2]',
      '[1]]',
      '[[]',
      '{}',
      '{',
      '{,}',
      '{"a"}',
      '{"a":}',
      '{"a":1,}',
      '{a:1}',
      '{"a":1 "b":2}',
    ],
    ...['{"a":1]', '[1}', '{1:2}', '{"a":1}}', '1,2', '[1,[2,{"a":[]}]]', '{"":{"":""}}', '// a\n1', '[1]x'],
  ])('throws where JSON.parse does, and nowhere else: %j', (text) => {
    expect(isRead((each) => walkJson(each, SILENT), text)).toBe(isRead(JSON.parse, text));
  });

  it('throws where JSON.parse does for texts with one character changed', () => {
    const characters = '0123456789-+.eE"\\,:[]{} \nutfalsrn/\u0000x';
    const character = fc.nat(characters.length - 1).map((at) => characters.charAt(at));
    fc.assert(
      fc.property(fc.json(), fc.nat(), fc.nat({ max: 1 }), character, (json, where, taken, put) => {
        const at = where % (json.length + 1);
        const text = json.slice(0, at) + put + json.slice(at + taken);
        expect(isRead((each) => walkJson(each, SILENT), text)).toBe(isRead(JSON.parse, text));
      }),
      { numRuns: cases(1_500) },
    );
  });
});
