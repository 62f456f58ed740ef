import { maskMessage } from '../../../src/core/stored-proxies/mask-body.ts';
import type { Message } from '../../../src/core/stored-proxies/message.ts';
import type { MaskValue } from '../../../src/core/stored-proxies/stored-proxy.ts';
import { createTransformBudget } from '../../../src/core/stored-proxies/transform-budget.ts';
import { cases, fc } from '../../../packages/test-kit/src/properties.ts';

const PAN = '4242424242424242';
const CARDS: MaskValue = { type: 'mask', matcher: 'card_number', replacement: '[card]' };

const anAnswer = (type: string, body: string | Buffer, status = 200): Message => ({
  method: 'GET',
  path: '',
  status,
  headers: [['Content-Type', type]],
  ownHeaders: [],
  deferred: [],
  body: typeof body === 'string' ? Buffer.from(body) : body,
});

async function masked(type: string, body: string | Buffer, mask = CARDS): Promise<string> {
  const after = await maskMessage(
    mask,
    anAnswer(type, body),
    createTransformBudget(() => 0),
  );
  return after.body.toString();
}

const spaced = (between: string): string => (PAN.match(/.{4}/g) ?? []).join(between);
const entities = (write: (code: number) => string): string =>
  Array.from(PAN, (digit) => write(digit.charCodeAt(0))).join('');
const fullWidth = Array.from(PAN, (digit) => String.fromCharCode(0xff10 + Number(digit))).join('');
const unicode = Array.from(PAN, (digit) => `\\u003${digit}`).join('');

describe('a mask of card numbers', () => {
  it.each([
    ['a URL in JSON', 'application/json', `{"u":"https://a.example/?c=${spaced('%20')}&d=1"}`],
    ['percent-encoded digits', 'text/plain', `c=${encodeURIComponent(fullWidth)};`],
    ['decimal references', 'text/html', `<p>${entities((code) => `&#${String(code)};`)}</p>`],
    ['hexadecimal references', 'text/html', `<p>${entities((code) => `&#x${code.toString(16)};`)}</p>`],
    ['named spaces', 'text/html', `<p>${spaced('&nbsp;')}</p>`],
    ['references in JSON', 'application/json', `{"html":"<b>${spaced('&#160;')}</b>"}`],
    ['JSON inside a string', 'application/json', JSON.stringify({ a: `{"pan":"${unicode}","n":1}` })],
    ['a number of JSON inside a string', 'application/json', JSON.stringify({ a: `{"n":${PAN}.0,"b":"x"}` })],
    ['JSON lines', 'application/x-ndjson', `{"a":1}\n{"pan":"${unicode}"}\n`],
    ['JSON lines of another type', 'application/json', `{"a":1}\n{"pan":"${unicode}"}\n`],
    ['a JSON text sequence', 'application/json-seq', `\u001e{"pan":"${unicode}"}\n`],
    ['text among JSON lines', 'application/x-ndjson', `{"a":1}\nfailed for ${PAN}\n`],
    ['a form', 'application/x-www-form-urlencoded', `a=${spaced('+')}&b=1`],
    [
      'an encoded form',
      'application/x-www-form-urlencoded',
      `a=${entities((c) => `%${c.toString(16)}`)}&b=1`,
    ],
  ])('finds %s', async (_, type, body) => {
    const text = decodeURIComponent((await masked(type, body)).replaceAll('+', ' '));
    expect(text).toContain('[card]');
    expect(text.replaceAll(/\D/g, '').length).toBeLessThan(8);
  });

  it.each([
    [
      'names and values of a form that touch',
      'application/x-www-form-urlencoded',
      '4242424242=424242&424242=4',
    ],
    ['a percent sign that encodes nothing', 'text/plain', '100% of 12 %zz'],
    ['a UUID in an address', 'application/json', '{"u":"/t%2F42424242-4242-4242-8242-424242424242"}'],
    ['digits that no escape joins', 'text/html', '<td>424242424242</td><td>4242</td>'],
  ])('leaves %s', async (_, type, body) => {
    expect(await masked(type, body)).toBe(body);
  });

  it('changes nothing but the number, however it is written and wherever', async () => {
    const writers: readonly ((text: string) => string)[] = [
      (text) => text,
      (text) => Array.from(text, (each) => `%${each.charCodeAt(0).toString(16)}`).join(''),
      (text) => Array.from(text, (each) => `&#${String(each.charCodeAt(0))};`).join(''),
      (text) => text.replaceAll(' ', '%20'),
      (text) => text.replaceAll(' ', '&nbsp;'),
    ];
    const around = fc.string({
      unit: fc.constantFrom('a', ' x ', '<b>', '%', '&', 'é', '%41', '&amp;'),
      maxLength: 6,
    });
    await fc.assert(
      fc.asyncProperty(
        around,
        fc.nat(writers.length - 1),
        fc.boolean(),
        around,
        async (before, how, isSpaced, after) => {
          const number = writers[how]?.(isSpaced ? spaced(' ') : PAN) ?? '';
          // Letters end a number on both sides.
          const text = `${before}z${number}z${after}`;
          expect(await masked('text/plain', text)).toBe(`${before}z[card]z${after}`);
        },
      ),
      { numRuns: cases(300) },
    );
  });

  it.each([
    ['an unknown charset', 'text/plain; charset=x-mac-foo', 'plain text'],
    ['EBCDIC', 'text/plain; charset=cp037', 'plain text'],
    ['UTF-16', 'text/plain; charset=utf-16le', Buffer.from('text', 'utf16le')],
    ['a charset that markup declares', 'text/html', '<meta charset="iso-2022-jp">'],
    [
      'full-width digits in Shift_JIS',
      'text/plain; charset=Shift_JIS',
      Buffer.from('\x82P'.repeat(12), 'latin1'),
    ],
    ['full-width digits in GBK', 'text/plain; charset=gbk', Buffer.from('\xa3\xb1'.repeat(12), 'latin1')],
    ['full-width digits in Big5', 'text/plain; charset=big5', Buffer.from('\xa2\xb1'.repeat(12), 'latin1')],
  ])('fails for %s, in which it would miss digits', async (_, type, body) => {
    await expect(masked(type, body)).rejects.toThrow('charset');
  });

  it('reads other text of these charsets', async () => {
    const body = Buffer.concat([Buffer.from('\xa3\xb1'.repeat(11), 'latin1'), Buffer.from(` ${PAN}`)]);
    expect(await masked('text/plain; charset=euc-jp', body)).toContain('[card]');
    expect(await masked('application/json', '{"note":"charset=x-foo"}')).toContain('x-foo');
  });
});

describe('a mask that is required', () => {
  const at: MaskValue = { type: 'mask', location: '$.pan', replacement: 'x', required: true };
  it.each<[string, MaskValue, string, number, boolean]>([
    ['a value at its location', at, '{"pan":1}', 200, true],
    ['no value at its location', at, '{"data":{"pan":1}}', 200, false],
    ['an empty body', at, '', 204, true],
    ['no value in another status', at, '{"error":1}', 402, true],
    ['no card number', { ...CARDS, required: true }, '{"pan":1}', 201, false],
  ])('%s', async (_, mask, body, status, isFine) => {
    const run = maskMessage(
      mask,
      anAnswer('application/json', body, status),
      createTransformBudget(() => 0),
    );
    if (isFine) await expect(run).resolves.toBeDefined();
    else await expect(run).rejects.toThrow('nothing to mask');
  });
});
