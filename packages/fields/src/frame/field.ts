import {
  type Command,
  type FieldBrand,
  type FieldState,
  type FrameOptions,
  type Hello,
  type Report,
} from '../protocol.ts';
import type { FieldsConfig } from '../../headers.ts';
import { brandName, brandOf } from './brands.ts';
import { watchFocus } from './focus.ts';
import { createInput } from './input.ts';
import { KINDS } from './kinds/all-kinds.ts';
import { isLongest, isUsual, shownDigits } from './kinds/card-number.ts';
import { digitsOf, type Around } from './kinds/kind.ts';
import { englishWords, loadWords } from './messages.ts';
import type { FieldContent } from './field-content.ts';
import { createStyles } from './style.ts';

/** The field of a frame: what is in it, and what its page may know of that. */
export interface Field {
  /** Resolves once the texts are in the field's language. */
  update(options: FrameOptions): Promise<void>;
  follow(command: Exclude<Command, { readonly type: 'update' | 'submit' | 'abort' }>): void;
  /** Read for a request. The field shows its problem from then on, if it has one. */
  content(): FieldContent;
  /** A browser filled in another frame. */
  fill(text: string): void;
  /** The request with the content succeeded: the next number may be another one. */
  sent(): void;
  /** The name of the field, for the title of its frame. */
  title(): string;
  /** The font of the input, as `document.fonts` names it. */
  font(): string;
  forget(): void;
}

const OF_INPUT_METHOD = 229;

interface Listeners {
  readonly report: (report: Report) => void;
}

const sameState = (a: FieldState | undefined, b: FieldState): boolean =>
  a !== undefined &&
  (['empty', 'complete', 'valid', 'brand', 'message'] as const).every((name) => a[name] === b[name]);

// oxlint-disable-next-line max-lines-per-function -- The one owner of what a person typed.
export function createField(hello: Hello, config: FieldsConfig, { report }: Listeners): Field {
  const { kind, fixed } = hello;
  const definition = KINDS[kind];
  const input = createInput(kind, fixed);
  const applyStyle = createStyles(document);
  let showIcon: (brand: FieldBrand | null) => void = () => undefined;
  let options = hello.options;
  let words = englishWords(kind);
  let brandBeside: FieldBrand | null = null;
  let reported: FieldState | undefined;
  /** Whether BIN and last four of what stands here were sent. */
  let hasReportedDigits = false;
  /** Whether a request with the content succeeded: another number may follow. */
  let isSent = false;
  /** What left the field since it was empty: for a request, or as BIN and last four. */
  const shown = new Set<string>();
  /** Whether the person left the field, or tried to send it: an open problem is shown then. */
  let isChecked = false;
  /** Whether the person is done with what stands here. The next edit ends that. */
  let isLeft = false;

  const around = (): Around => ({
    brand: brandBeside,
    brands: options.brands,
    fixed,
    isLeft,
    now: Date.now(),
  });

  const contentOf = (text: string): string => String(definition.valueOf(text, undefined));

  /**
   * Whether a beginning of the number left the field, or the number is the beginning of one that
   * did. A page that sends a number again and again while it is typed would see the last digits of
   * each under a mask, and the last four of another one as well.
   */
  function hasGrown(text: string): boolean {
    if (!definition.isShownInPart) return false;
    const content = contentOf(text);
    return [...shown].some(
      (each) => each !== content && (each.startsWith(content) || content.startsWith(each)),
    );
  }

  function stateOf(): FieldState {
    const text = input.text();
    const checked = definition.check(text, around());
    const { complete, isPast = false } = checked;
    const empty = text.trim() === '';
    const valid = empty || (checked.valid && !(complete && hasGrown(text)));
    const state = { empty, complete: complete && !empty, valid };
    const brand = kind === 'card_number' ? brandOf(digitsOf(text)) : null;
    return { ...state, brand, message: messageOf(state, isPast) };
  }

  /** The message depends on nothing else, so that it says nothing more. */
  function messageOf(
    { empty, complete, valid }: Pick<FieldState, 'empty' | 'complete' | 'valid'>,
    isPast: boolean,
  ): string {
    if (empty && fixed.required === false) return '';
    const problem = !valid
      ? isPast
        ? 'past'
        : 'invalid'
      : empty
        ? 'empty'
        : complete
          ? undefined
          : 'incomplete';
    return problem === undefined ? '' : (options.texts?.[problem] ?? words[problem]);
  }

  /** BIN and last four, once for what is in the field. */
  function digitsToShow({ complete, valid }: FieldState) {
    const text = input.text();
    if (kind !== 'card_number' || !config.digits || hasReportedDigits || !complete || !valid) return {};
    if (!isUsual(text) || !(isLeft || isLongest(text))) return {};
    hasReportedDigits = true;
    shown.add(contentOf(text));
    return shownDigits(text);
  }

  function show(): void {
    const state = stateOf();
    const digits = digitsToShow(state);
    const isShown = isChecked || !state.valid;
    input.mark({
      problem: isShown ? state.message : '',
      isInvalid: isShown && state.message !== '',
      isComplete: state.complete && state.valid,
    });
    showIcon(options.icon === false ? null : state.brand);
    if (sameState(reported, state) && !('bin' in digits)) return;
    reported = state;
    report({ type: 'change', state: { ...state, ...digits } });
  }

  /** Whether a digit within a date was deleted: the next one replaces it, so the rest stays. */
  const isBeingReplaced = (event: Event): boolean =>
    kind === 'card_expiration' &&
    event instanceof InputEvent &&
    event.inputType.startsWith('delete') &&
    element.selectionStart !== element.value.length;

  /** Shows what is missing or wrong, now that nothing more comes. */
  function leave(isProblem: boolean): void {
    isLeft = true;
    isChecked = isProblem;
    show();
  }

  function onInput(event: Event): void {
    // A person leaves the input with it, and a browser fills it in so.
    isLeft = event.type === 'change';
    if (options.format !== false && !isBeingReplaced(event)) input.reformat(around());
    if (input.text().trim() === '') {
      hasReportedDigits = false;
      shown.clear();
    }
    show();
  }

  function clear(): void {
    element.value = '';
    isChecked = false;
    // Otherwise a page could empty the field after each digit, and have a number shown in parts.
    if (isSent) {
      hasReportedDigits = false;
      shown.clear();
    }
    isSent = false;
    show();
  }

  /** A file that does not arrive costs the icon alone. */
  async function loadIcon(): Promise<void> {
    const { createBrandIcon } = await import('./brand-icon.ts');
    showIcon = createBrandIcon(brandName);
    show();
  }
  if (kind === 'card_number') loadIcon().catch(() => undefined);

  const { element } = input;
  input.onEdit(onInput);
  const focus = watchFocus(element, (hasFocus) => {
    if (!hasFocus) leave(input.text().trim() !== '');
    report({ type: hasFocus ? 'focus' : 'blur' });
  });
  addEventListener('keydown', (event) => {
    if (event.key !== 'Enter' || event.isComposing) return;
    // oxlint-disable-next-line no-deprecated -- Safari says so that this Enter ends a composition.
    if (event.keyCode === OF_INPUT_METHOD) return;
    leave(true);
    report({ type: 'enter' });
  });

  return {
    async update(next) {
      options = next;
      applyStyle(next.style);
      const loaded = await loadWords(kind, next.locale ?? '');
      // A later update may have been faster.
      if (options !== next) return;
      words = loaded;
      input.show(options, words);
      show();
    },
    follow(command) {
      if (command.type === 'focus' || command.type === 'blur') focus[command.type]();
      else if (command.type === 'clear') input.whenComposed(clear);
      else {
        brandBeside = command.brand;
        show();
      }
    },
    content() {
      const text = input.text();
      const { empty, complete, valid } = stateOf();
      const isLeftOut = empty && fixed.required === false;
      if (!isLeftOut && !(complete && valid)) {
        isChecked = true;
        show();
      }
      if (!(complete && valid)) return { kind, isReady: isLeftOut, values: undefined };
      shown.add(contentOf(text));
      const whole = definition.valueOf(text, undefined);
      const month = definition.valueOf(text, 'month');
      const year = definition.valueOf(text, 'year');
      return { kind, isReady: true, values: { whole, month, year } };
    },
    fill(text) {
      input.whenComposed(() => {
        if (input.text() !== '') return;
        element.value = text;
        element.dispatchEvent(new Event('change'));
      });
    },
    sent() {
      isSent = true;
    },
    title: () => options.label ?? words.name,
    font: () => getComputedStyle(element).font,
    forget: clear,
  };
}
