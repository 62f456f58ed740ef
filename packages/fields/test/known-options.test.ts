import { FIELD_BRANDS } from '../src/protocol.ts';

// A page in plain JavaScript may get these wrong: nothing of it compiles.
/** The module has types of browsers, which other tests do not. */
const MODULE: string = '../src/create-fields.ts';
let createFields: (options?: object) => any;
beforeAll(async () => {
  ({ createFields } = await import(MODULE));
});

const valid = { fieldsUrl: 'https://fields.example.com', apiKey: 'key' };
const create = (more: object = {}) => createFields({ ...valid, ...more });
const field = (options: object) => create().field('card_number', options);

/** Returns the message of the error of a call. */
function problemOf(act: () => unknown): string {
  try {
    act();
  } catch (error) {
    if (error instanceof TypeError) return error.message;
  }
  throw new Error('there was no TypeError');
}

describe('what fields do not know', () => {
  it.each([
    ['createFields without options', () => createFields(), 'fieldsUrl'],
    [
      'an option of createFields',
      () => create({ apikey: 'key' }),
      "'apikey'. Say 'apiKey'. Known: fieldsUrl",
    ],
    ['a kind', () => create().field('card-number'), "'card-number'. Say 'card_number'. Known:"],
    ['an option', () => field({ readonly: true }), "'readonly'. Say 'readOnly'. Known: label,"],
    ['an option of configure', () => create().configure({ label: 'x' }), "'label'. Known: locale"],
    ['a brand', () => field({ brands: ['amex'] }), "'amex'. Say 'american-express'. Known: visa,"],
    ['a brand in other letters', () => field({ brands: ['Union Pay'] }), "'Union Pay'. Say 'unionpay'."],
    ['a brand that has no similar one', () => field({ brands: ['x'] }), "no brand 'x'. Known: visa,"],
    ['a brand outside of a list', () => field({ brands: 'visa' }), 'brands is a list'],
    ['a state of a style', () => field({ style: { hover: {} } }), "state of a style 'hover'. Known: base,"],
    ['a rule without a state', () => field({ style: { color: 'red' } }), "state of a style 'color'."],
    [
      'a property',
      () => field({ style: { base: { 'font-size': '1px' } } }),
      "Say 'fontSize'. Known: background",
    ],
    ['a property for dark', () => field({ style: { dark: { base: { border: '0' } } } }), "'border'. Known:"],
    ['dark within dark', () => field({ style: { dark: { dark: {} } } }), "state of a style 'dark'."],
    [
      'a text',
      () => field({ texts: { wrong: 'x' } }),
      "no text 'wrong'. Known: empty, incomplete, invalid, past",
    ],
    ['a direction', () => field({ direction: 'auto' }), "no direction 'auto'. Known: ltr, rtl"],
    ['a scheme', () => create({ colorScheme: 'black' }), "no colorScheme 'black'. Known: light, dark"],
    ['a keyboard', () => field({ inputMode: 'decimal' }), "no inputMode 'decimal'. Known: text,"],
    ['what a browser fills in', () => field({ autocomplete: 'cc-number' }), "no autocomplete 'cc-number'."],
    ['an event', () => field({}).on('changed', () => undefined), "event 'changed'. Known: ready,"],
  ])('is a TypeError that says what is known: %s', (_what, act, text) => {
    expect(problemOf(act)).toContain(text);
  });

  it('is an option that counts when the field is made, in a later update', () => {
    const made = field({ required: false, maxLength: 3 });
    expect(problemOf(() => made.update({ required: true }))).toContain("no option 'required'");
  });

  it('is nothing of what they know, nor an option that is undefined', () => {
    const style = { base: { color: 'red' }, focus: undefined, dark: { invalid: { color: 'pink' } } };
    const options = { style, brands: [...FIELD_BRANDS], texts: { past: 'x' }, direction: 'rtl' };
    const made = create({ style, locale: undefined, baseUrl: undefined }).field('text', {
      ...options,
      inputMode: 'email',
      autocomplete: 'email',
      label: undefined,
    });
    expect(() => made.update({ ...options, brands: undefined, style: undefined })).not.toThrow();
    expect(made.kind).toBe('text');
  });
});
