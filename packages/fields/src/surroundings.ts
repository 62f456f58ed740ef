import type { FieldOptions, FrameOptions, StyleByState, StyleRules } from './protocol.ts';

/** A style by state, and what differs while the page is dark. */
export interface FieldStyle extends StyleByState {
  readonly dark?: StyleByState | undefined;
}

/** The options of a field as a page states them. */
export interface PageOptions extends FieldOptions {
  readonly style?: FieldStyle | undefined;
  /** Default: that of the element around the field. */
  readonly colorScheme?: 'light' | 'dark' | undefined;
}

/** Names every option that can be changed. One that is `undefined` has its default. */
export const NO_OPTIONS: { readonly [Name in keyof Required<PageOptions>]: undefined } = {
  label: undefined,
  placeholder: undefined,
  texts: undefined,
  locale: undefined,
  direction: undefined,
  disabled: undefined,
  readOnly: undefined,
  icon: undefined,
  conceal: undefined,
  format: undefined,
  brands: undefined,
  style: undefined,
  colorScheme: undefined,
};

/** The options after a change. One that was changed to `undefined` has its default again. */
export function changedOptions(options: PageOptions, change: PageOptions): PageOptions {
  const entries = Object.entries({ ...options, ...change });
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
}

const DARK = '(prefers-color-scheme: dark)';

/** Whether the element around a field is dark: by its own scheme, or by that of the system. */
function schemeOf(element: Element): 'light' | 'dark' {
  const schemes = getComputedStyle(element).colorScheme.split(' ');
  if (!schemes.includes('dark')) return 'light';
  return schemes.includes('light') && !matchMedia(DARK).matches ? 'light' : 'dark';
}

/** Text looks like the page's where its style says nothing. A frame lacks the page's fonts. */
function inherited(element: Element): StyleRules {
  const { color, fontSize, fontWeight, lineHeight, letterSpacing } = getComputedStyle(element);
  return { color, fontSize, fontWeight, lineHeight, letterSpacing };
}

const merged = (base: StyleByState, over: StyleByState = {}): StyleByState => {
  const states = new Set([...Object.keys(base), ...Object.keys(over)]) as Set<keyof StyleByState>;
  return Object.fromEntries([...states].map((state) => [state, { ...base[state], ...over[state] }]));
};

/** Returns the options for a frame in this element. */
export function frameOptions(element: Element, options: PageOptions): FrameOptions {
  const { style: { dark, ...light } = {}, colorScheme, locale, direction, ...others } = options;
  const scheme = colorScheme ?? schemeOf(element);
  const style = merged({ base: inherited(element) }, light);
  return {
    ...others,
    locale: locale ?? element.closest('[lang]')?.getAttribute('lang') ?? navigator.language,
    direction: direction ?? (getComputedStyle(element).direction === 'rtl' ? 'rtl' : 'ltr'),
    scheme,
    style: scheme === 'dark' ? merged(style, dark) : style,
  };
}

/** Calls back whenever the system becomes dark or light, until the returned function is called. */
export function onSchemeChange(changed: () => void): () => void {
  const query = matchMedia(DARK);
  query.addEventListener('change', changed);
  return () => query.removeEventListener('change', changed);
}
