/** The functions that a value may have: none loads, counts, or reads an attribute. */
const FUNCTIONS = [
  'rgb',
  'rgba',
  'hsl',
  'hsla',
  'hwb',
  'lab',
  'lch',
  'oklab',
  'oklch',
  'color-mix',
  'light-dark',
  'calc',
  'min',
  'max',
  'clamp',
];
const VALUE = /^[\w\s.,%#()+\-/*'"]{0,200}$/;

/** Whether a value of a page's style may be in a frame: it loads and reads nothing. */
export function isAllowedValue(value: unknown): value is string {
  if (typeof value !== 'string' || !VALUE.test(value)) return false;
  const called = [...value.matchAll(/([\w-]*)\s*\(/g)].map(([, name = '']) => name.toLowerCase());
  return called.every((name) => name === '' || FUNCTIONS.includes(name));
}
