import {
  type Command,
  type FieldBrand,
  type FieldKind,
  type FieldState,
  type FixedOptions,
  type FrameOptions,
  type Hello,
  type Report,
} from '../protocol.ts';
import type { FieldsConfig } from '../../headers.ts';
import { brandName, brandOf } from './brands.ts';
import { watchFocus, type FieldFocus } from './focus.ts';
import { createInput, type FieldInput } from './input.ts';
import { KINDS } from './kinds/all-kinds.ts';
import { digitsOf, type FieldContext, type Kind } from './kinds/kind.ts';
import { englishWords, loadWords, type Words } from './messages.ts';
import type { FieldContent } from './field-content.ts';
import { ShownNumbers } from './shown-numbers.ts';
import { createStyles } from './style.ts';

type FieldCommand = Exclude<Command, { readonly type: 'update' | 'submit' | 'abort' }>;

/** The field of a frame: what is in it, and what its page may know of that. */
export interface Field {
  /** Resolves once the texts are in the field's language. */
  update(options: FrameOptions): Promise<void>;
  follow(command: FieldCommand): void;
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

type Reporter = (report: Report) => void;

const sameState = (a: FieldState | undefined, b: FieldState): boolean =>
  a !== undefined &&
  (['empty', 'complete', 'valid', 'brand', 'message'] as const).every((name) => a[name] === b[name]);

type Validity = Pick<FieldState, 'empty' | 'complete' | 'valid'>;

/** The name of the message that a field in this state has. */
function problemOf({ empty, complete, valid }: Validity, isPast: boolean) {
  if (!valid) return isPast ? 'past' : 'invalid';
  if (empty) return 'empty';
  return complete ? undefined : 'incomplete';
}

/** Owns what a person typed. */
class FrameField implements Field {
  readonly #kind: FieldKind;
  readonly #fixed: FixedOptions;
  readonly #definition: Kind;
  readonly #showsDigits: boolean;
  readonly #report: Reporter;
  readonly #input: FieldInput;
  readonly #focus: FieldFocus;
  readonly #applyStyle = createStyles(document);
  readonly #shown = new ShownNumbers();
  #showIcon: (brand: FieldBrand | null) => void = () => undefined;
  #options: FrameOptions;
  #words: Words;
  #brandBeside: FieldBrand | null = null;
  #reported: FieldState | undefined;
  /** Whether the person left the field, or tried to send it: an open problem is shown then. */
  #isChecked = false;
  /** Whether the person is done with what stands here. The next edit ends that. */
  #isLeft = false;

  constructor({ kind, fixed, options }: Hello, { digits }: FieldsConfig, report: Reporter) {
    this.#kind = kind;
    this.#fixed = fixed;
    this.#definition = KINDS[kind];
    this.#showsDigits = kind === 'card_number' && digits;
    this.#report = report;
    this.#options = options;
    this.#words = englishWords(kind);
    this.#input = createInput(kind, fixed);
    // A file that does not arrive costs the icon alone.
    if (kind === 'card_number') this.#loadIcon().catch(() => undefined);
    this.#input.onEdit((event) => this.#edited(event));
    this.#focus = watchFocus(this.#input.element, (hasFocus) => {
      if (!hasFocus) this.#leave(!this.#isEmpty());
      report({ type: hasFocus ? 'focus' : 'blur' });
    });
    addEventListener('keydown', (event) => {
      if (event.key !== 'Enter' || event.isComposing) return;
      // oxlint-disable-next-line no-deprecated -- Safari shows so that Enter ends a composition.
      if (event.keyCode === OF_INPUT_METHOD) return;
      this.#leave(true);
      report({ type: 'enter' });
    });
  }

  async update(next: FrameOptions): Promise<void> {
    this.#options = next;
    this.#applyStyle(next.style);
    const words = await loadWords(this.#kind, next.locale ?? '');
    // A later update may have been faster.
    if (this.#options !== next) return;
    this.#words = words;
    this.#input.show(next, words);
    this.#show();
  }

  follow(command: FieldCommand): void {
    if (command.type === 'focus' || command.type === 'blur') this.#focus[command.type]();
    else if (command.type === 'clear') this.#input.whenComposed(() => this.forget());
    else {
      this.#brandBeside = command.brand;
      this.#show();
    }
  }

  content(): FieldContent {
    const kind = this.#kind;
    const text = this.#input.text();
    const { empty, complete, valid } = this.#state();
    const isLeftOut = empty && this.#fixed.required === false;
    if (!isLeftOut && !(complete && valid)) {
      this.#isChecked = true;
      this.#show();
    }
    if (!(complete && valid)) return { kind, isReady: isLeftOut, values: undefined };
    this.#shown.add(this.#contentOf(text));
    const whole = this.#definition.valueOf(text, undefined);
    const month = this.#definition.valueOf(text, 'month');
    const year = this.#definition.valueOf(text, 'year');
    return { kind, isReady: true, values: { whole, month, year } };
  }

  fill(text: string): void {
    const input = this.#input;
    input.whenComposed(() => {
      if (input.text() !== '') return;
      input.element.value = text;
      input.element.dispatchEvent(new Event('change'));
    });
  }

  sent(): void {
    this.#shown.sent();
  }

  title(): string {
    return this.#options.label ?? this.#words.name;
  }

  font(): string {
    return getComputedStyle(this.#input.element).font;
  }

  forget(): void {
    this.#input.element.value = '';
    this.#isChecked = false;
    this.#shown.clearSent();
    this.#show();
  }

  async #loadIcon(): Promise<void> {
    const { createBrandIcon } = await import('./brand-icon.ts');
    this.#showIcon = createBrandIcon(brandName);
    this.#show();
  }

  #edited(event: Event): void {
    // A person leaves the input with it, and a browser fills it in so.
    this.#isLeft = event.type === 'change';
    if (this.#options.format !== false && !this.#isBeingReplaced(event))
      this.#input.reformat(this.#context());
    if (this.#isEmpty()) this.#shown.clear();
    this.#show();
  }

  /** Whether a digit within a date was deleted: the next one replaces it, so the rest stays. */
  #isBeingReplaced(event: Event): boolean {
    const { selectionStart, value } = this.#input.element;
    return (
      this.#kind === 'card_expiration' &&
      event instanceof InputEvent &&
      event.inputType.startsWith('delete') &&
      selectionStart !== value.length
    );
  }

  /** Shows what is missing or wrong, now that nothing more comes. */
  #leave(isProblem: boolean): void {
    this.#isLeft = true;
    this.#isChecked = isProblem;
    this.#show();
  }

  #isEmpty(): boolean {
    return this.#input.text().trim() === '';
  }

  #context(): FieldContext {
    return {
      brand: this.#brandBeside,
      brands: this.#options.brands,
      fixed: this.#fixed,
      isLeft: this.#isLeft,
      now: Date.now(),
    };
  }

  #contentOf(text: string): string {
    return String(this.#definition.valueOf(text, undefined));
  }

  #state(): FieldState {
    const text = this.#input.text();
    const checked = this.#definition.check(text, this.#context());
    const { complete, isPast = false } = checked;
    const hasGrown = () =>
      complete && this.#definition.isShownInPart === true && this.#shown.hasGrown(this.#contentOf(text));
    const empty = this.#isEmpty();
    const valid = empty || (checked.valid && !hasGrown());
    const state = { empty, complete: complete && !empty, valid };
    const brand = this.#kind === 'card_number' ? brandOf(digitsOf(text)) : null;
    return { ...state, brand, message: this.#message(state, isPast) };
  }

  /** The message depends on nothing else, so that it says nothing more. */
  #message(state: Validity, isPast: boolean): string {
    const isLeftOut = state.empty && this.#fixed.required === false;
    const problem = isLeftOut ? undefined : problemOf(state, isPast);
    return problem === undefined ? '' : (this.#options.texts?.[problem] ?? this.#words[problem]);
  }

  /** BIN and last four, once for what is in the field. */
  #digitsToShow({ complete, valid }: FieldState) {
    const text = this.#input.text();
    const isReady = this.#showsDigits && complete && valid;
    return isReady ? this.#shown.digitsToShow(text, this.#contentOf(text), this.#isLeft) : {};
  }

  #show(): void {
    const state = this.#state();
    const digits = this.#digitsToShow(state);
    const isShown = this.#isChecked || !state.valid;
    this.#input.mark({
      problem: isShown ? state.message : '',
      isInvalid: isShown && state.message !== '',
      isComplete: state.complete && state.valid,
    });
    this.#showIcon(this.#options.icon === false ? null : state.brand);
    if (sameState(this.#reported, state) && !('bin' in digits)) return;
    this.#reported = state;
    this.#report({ type: 'change', state: { ...state, ...digits } });
  }
}

export const createField = (hello: Hello, config: FieldsConfig, report: Reporter): Field =>
  new FrameField(hello, config, report);
