import {
  STYLE_PROPERTIES,
  STYLE_STATES,
  type StyleByState,
  type StyleProperty,
  type StyleRules,
  type StyleState,
} from '../protocol.ts';
import { isAllowedValue } from './style-value.ts';

/** The selector of each state. The page brings values of listed properties, and no selector. */
const SELECTORS: Readonly<Record<StyleState, string>> = {
  base: '#field',
  placeholder: '#field input::placeholder',
  complete: '[data-complete] #field',
  focus: '[data-focused] #field',
  invalid: '[data-invalid] #field',
  disabled: '[data-disabled] #field',
};

const nameInCss = (property: StyleProperty): string =>
  property.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

function apply(rule: CSSStyleDeclaration, values: StyleRules = {}): void {
  rule.cssText = '';
  for (const property of STYLE_PROPERTIES) {
    const value = values[property];
    // The parser of the browser drops a value that the property does not have.
    if (isAllowedValue(value)) rule.setProperty(nameInCss(property), value);
  }
}

/** Applies the styles of a page. Other properties, selectors and values have no effect. */
export function createStyles(page: Document): (style: StyleByState) => void {
  const sheet = new CSSStyleSheet();
  for (const [index, state] of STYLE_STATES.entries()) sheet.insertRule(`${SELECTORS[state]} {}`, index);
  page.adoptedStyleSheets = [...page.adoptedStyleSheets, sheet];
  return (style) => {
    for (const [index, state] of STYLE_STATES.entries())
      apply((sheet.cssRules[index] as CSSStyleRule).style, style[state]);
  };
}
