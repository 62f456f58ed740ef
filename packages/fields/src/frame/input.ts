import type { FieldKind, FixedOptions, FrameOptions } from '../protocol.ts';
import { KINDS } from './kinds/all-kinds.ts';
import type { FieldContext } from './kinds/kind.ts';
import type { Words } from './messages.ts';

/** The input of a field, and what stands around it in its frame. */
export interface FieldInput {
  readonly element: HTMLInputElement;
  text(): string;
  /** Calls back after each change by the person or the browser, with the event that caused it. */
  onEdit(edited: (event: Event) => void): void;
  /**
   * Acts once no keyboard composes, which is mostly at once. The browser continues a composition
   * from its own text: whatever is written meanwhile comes twice.
   */
  whenComposed(act: () => void): void;
  /** Sets the separators. Has no effect while a keyboard composes: the end of that is an edit. */
  reformat(context: FieldContext): void;
  show(options: FrameOptions, words: Words): void;
  /** Shows a screen reader and the style what state the field has. */
  mark(state: { readonly problem: string; readonly isInvalid: boolean; readonly isComplete: boolean }): void;
}

const isSeparator = (character: string | undefined): boolean =>
  character !== undefined && (character === ' ' || character === '/');

/**
 * Deletes the digit next to a separator in place of the separator, which formatting would set
 * again. Only a change by the frame itself does so in every browser: WebKit decides what is deleted
 * before it says so.
 */
function deleteBeyondSeparator(input: HTMLInputElement, event: InputEvent): void {
  const { inputType } = event;
  const { value, selectionStart: caret, selectionEnd } = input;
  const isBackward = inputType === 'deleteContentBackward';
  if (caret === null || caret !== selectionEnd || !(isBackward || inputType === 'deleteContentForward'))
    return;
  const step = isBackward ? -1 : 1;
  let at = isBackward ? caret - 1 : caret;
  if (!isSeparator(value[at])) return;
  while (isSeparator(value[at])) at += step;
  if (value[at] === undefined) return;
  event.preventDefault();
  input.setRangeText('', at, at + 1, 'end');
  input.dispatchEvent(new InputEvent('input', { inputType, bubbles: true }));
}

const countedIn = (text: string): number =>
  Array.from(text).filter((character) => !isSeparator(character)).length;

/** The place behind as many characters as were before the caret, separators aside. */
function caretIn(formatted: string, before: number): number {
  let caret = 0;
  for (let counted = 0; counted < before && caret < formatted.length; caret += 1)
    if (!isSeparator(formatted[caret])) counted += 1;
  return caret;
}

function replaceText(input: HTMLInputElement, formatted: string): void {
  const { value, selectionStart } = input;
  if (formatted === value) return;
  const wasAtEnd = selectionStart === value.length;
  // A leading zero that formatting adds is before the caret too.
  const added = countedIn(formatted) - countedIn(value);
  const before = countedIn(value.slice(0, selectionStart ?? value.length)) + Math.max(0, added);
  input.value = formatted;
  const caret = wasAtEnd ? formatted.length : caretIn(formatted, before);
  // A field without the focus must not take it.
  if (document.activeElement !== input) return;
  input.setSelectionRange(caret, caret);
  // Keyboards of Android set the caret again after the event.
  if (navigator.userAgent.includes('Android'))
    setTimeout(() => {
      if (input.value === formatted) input.setSelectionRange(caret, caret);
    });
}

function attributesOf(kind: FieldKind, fixed: FixedOptions): Readonly<Record<string, string>> {
  const { autocomplete, inputMode, isDigits } = KINDS[kind];
  return {
    id: 'input',
    // A browser finds the fields of a card by their names, too.
    name: kind.replace('_', '-'),
    // An input method leaves the digits of a telephone number alone.
    type: isDigits ? 'tel' : 'text',
    autocomplete: kind === 'text' ? (fixed.autocomplete ?? autocomplete) : autocomplete,
    inputmode: kind === 'text' ? (fixed.inputMode ?? inputMode) : inputMode,
    autocapitalize: 'off',
    autocorrect: 'off',
    // A browser may send what it checks to a server.
    spellcheck: 'false',
    'aria-describedby': 'problem',
    ...(isDigits && { dir: 'ltr' }),
    ...((fixed.required ?? true) && { 'aria-required': 'true' }),
  };
}

const part = <Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  attributes: Readonly<Record<string, string>>,
) => {
  const element = document.createElement(name);
  for (const [attribute, value] of Object.entries(attributes)) element.setAttribute(attribute, value);
  return element;
};

/** Watches the compositions of an input. */
function watchCompositions(input: HTMLInputElement) {
  let isComposing = false;
  let waiting: (() => void)[] = [];
  const end = () => {
    isComposing = false;
    const due = waiting;
    waiting = [];
    for (const act of due) act();
  };
  input.addEventListener('compositionstart', () => (isComposing = true));
  // A browser may drop a composition together with the focus, without a word.
  for (const name of ['compositionend', 'blur']) input.addEventListener(name, end);
  return {
    isComposing: () => isComposing,
    whenComposed: (act: () => void): void => {
      if (isComposing) waiting.push(act);
      else act();
    },
  };
}

/**
 * Puts the input into the page of the frame. It is made by a script, since a browser restores what
 * stood in an input of the page itself.
 */
export function createInput(kind: FieldKind, fixed: FixedOptions): FieldInput {
  const definition = KINDS[kind];
  const input = part('input', attributesOf(kind, fixed));
  const label = part('label', { for: 'input', class: 'unseen' });
  const problem = part('p', { id: 'problem', class: 'unseen' });
  const field = part('div', { id: 'field' });
  const form = part('form', { novalidate: '' });
  field.append(input);
  form.append(label, field, problem);
  document.body.append(form);

  form.addEventListener('submit', (event) => event.preventDefault());
  const { isComposing, whenComposed } = watchCompositions(input);
  input.addEventListener('beforeinput', (event) => {
    if (!isComposing()) deleteBeyondSeparator(input, event);
  });
  // A page could lead a person to drag the number into one of its own fields.
  form.addEventListener('dragstart', (event) => event.preventDefault());
  if (kind === 'card_cvc')
    for (const name of ['copy', 'cut']) input.addEventListener(name, (event) => event.preventDefault());

  return {
    element: input,
    text: () => input.value,
    onEdit(edited) {
      // Some browsers fill in a field with `change` alone.
      for (const name of ['input', 'change', 'compositionend']) input.addEventListener(name, edited);
    },
    whenComposed,
    reformat(context) {
      if (!isComposing()) replaceText(input, definition.format(input.value, context));
    },
    show({ label: name, placeholder, disabled = false, readOnly = false, direction, ...options }, words) {
      label.textContent = name ?? words.name;
      input.placeholder = placeholder ?? words.placeholder;
      input.disabled = disabled;
      input.readOnly = readOnly;
      document.documentElement.lang = words.language;
      document.documentElement.dir = direction ?? words.direction;
      document.documentElement.style.colorScheme = options.scheme;
      document.body.toggleAttribute('data-disabled', disabled);
      document.body.toggleAttribute('data-concealed', options.conceal === true);
    },
    mark({ problem: text, isInvalid, isComplete }) {
      // A screen reader announces each write.
      if (problem.textContent !== text) problem.textContent = text;
      if (isInvalid) input.setAttribute('aria-invalid', 'true');
      else input.removeAttribute('aria-invalid');
      document.body.toggleAttribute('data-invalid', isInvalid);
      document.body.toggleAttribute('data-complete', isComplete);
    },
  };
}
