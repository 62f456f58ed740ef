import {
  FieldsError,
  type Field,
  type FieldEvent,
  type FieldEvents,
  type FieldPlaceholder,
  type NewFieldOptions,
} from './field-interface.ts';
import { createFocusOrder, type FocusReport } from './focus-order.ts';
import { checkOptions, FIXED_OPTIONS, PAGE_OPTIONS, requireKnown } from './known-options.ts';
import { newId } from './new-id.ts';
import { openFrame, type FrameConnection, type Outcome } from './frame-connection.ts';
import {
  PLACEHOLDER,
  type Command,
  type FieldBrand,
  type FieldKind,
  type FieldState,
  type FixedOptions,
  type Report,
  type Submission,
} from './protocol.ts';
import { changedOptions, frameOptions, onSchemeChange, type PageOptions } from './surroundings.ts';
import { writeUnheard } from './unheard.ts';

/** State that all fields of one `createFields` share. */
export interface Group {
  readonly id: string;
  readonly fieldsUrl: string;
  readonly baseUrl: string | undefined;
  readonly loadTimeoutMs: number | undefined;
  /** The options of all fields, which those of a field override. */
  shared(): PageOptions;
  /** Whether the field is in the page. The group forgets one that is not. */
  setMounted(field: PageField, isMounted: boolean): void;
  /** The brand of the number of the form, by which a security code knows its length. */
  brand(): FieldBrand | null;
  /** Called whenever the number has another brand. */
  onBrand(): void;
}

const EMPTY: FieldState = { empty: true, complete: false, valid: true, brand: null, message: '' };

type Listeners = { readonly [E in FieldEvent]: Set<(detail: FieldEvents[E]) => void> };

function elementOf(target: Element | string): Element {
  const element = typeof target === 'string' ? document.querySelector(target) : target;
  if (element === null) throw new TypeError('There is no element of this selector');
  if (!element.isConnected) throw new TypeError('A field is mounted in an element of the document');
  if (element.getRootNode() !== document)
    throw new TypeError('Fields in a shadow tree do not find each other: put the element into a slot');
  return element;
}

/** Shows the page's style sheet the state of a field, as attributes of the element around it. */
function mark(element: Element | undefined, marks: Readonly<Record<string, boolean>>): void {
  for (const [name, isSet] of Object.entries(marks)) element?.toggleAttribute(`data-${name}`, isSet);
}

/** One for the page, whose focus is at one field of all forms. */
const focusOrder = createFocusOrder<PageField>((field, what) => field.showFocus(what));

/** The page's side of a field. Its class is not public: a page has only the interface. */
export class PageField implements Field {
  readonly kind: FieldKind;

  readonly id: string = newId();

  readonly #group: Group;

  readonly #fixed: FixedOptions;

  readonly #listeners: Listeners = {
    ready: new Set(),
    change: new Set(),
    focus: new Set(),
    blur: new Set(),
    enter: new Set(),
    error: new Set(),
  };

  #options: PageOptions;

  #element: Element | undefined;

  #frame: FrameConnection | undefined;

  #isReady = false;

  /** The focus came before the frame. */
  #wantsFocus = false;

  #state = EMPTY;

  #endSchemes: () => void = () => undefined;

  constructor(group: Group, kind: FieldKind, options: NewFieldOptions) {
    checkOptions(options, [...PAGE_OPTIONS, ...FIXED_OPTIONS]);
    const { required, maxLength, inputMode, autocomplete, ...others } = options;
    this.#group = group;
    this.kind = kind;
    this.#options = changedOptions({}, others);
    this.#fixed = {
      ...(required !== undefined && { required }),
      ...(maxLength !== undefined && { maxLength }),
      ...(inputMode !== undefined && { inputMode }),
      ...(autocomplete !== undefined && { autocomplete }),
    };
  }

  get state(): FieldState {
    return this.#state;
  }

  get month(): FieldPlaceholder {
    return { [PLACEHOLDER]: this.id, part: 'month' };
  }

  get year(): FieldPlaceholder {
    return { [PLACEHOLDER]: this.id, part: 'year' };
  }

  mount(target: Element | string): void {
    if (this.#frame !== undefined) throw new TypeError('The field is mounted already: unmount it first');
    const element = elementOf(target);
    const { id: groupId, fieldsUrl, baseUrl, loadTimeoutMs } = this.#group;
    this.#element = element;
    this.#group.setMounted(this, true);
    this.#frame = openFrame(element, {
      fieldsUrl,
      baseUrl,
      groupId,
      loadTimeoutMs,
      fieldId: this.id,
      kind: this.kind,
      fixed: this.#fixed,
      options: () => this.#frameOptions(element),
      onReport: (report) => this.#onReport(report),
    });
    this.#endSchemes = onSchemeChange(() => this.refresh());
  }

  unmount(): void {
    const frame = this.#frame;
    if (frame === undefined) return;
    this.#frame = undefined;
    this.#group.setMounted(this, false);
    this.#isReady = false;
    this.#wantsFocus = false;
    this.#state = EMPTY;
    this.#endSchemes();
    focusOrder.forget(this);
    mark(this.#element, { ready: false, focused: false, empty: false, complete: false, invalid: false });
    this.#element = undefined;
    frame.remove();
    if (this.kind === 'card_number') this.#group.onBrand();
  }

  focus(): void {
    this.#wantsFocus = !this.#isReady;
    if (!this.#isReady || this.#options.disabled === true) return;
    // WebKit focuses no input in a frame that does not have the focus itself.
    this.#frame?.iframe.focus();
    this.#send({ type: 'focus' });
  }

  blur(): void {
    this.#wantsFocus = false;
    this.#send({ type: 'blur' });
  }

  clear(): void {
    this.#send({ type: 'clear' });
  }

  update(options: PageOptions): void {
    checkOptions(options, PAGE_OPTIONS);
    this.#options = changedOptions(this.#options, options);
    this.refresh();
  }

  on<E extends FieldEvent>(event: E, listener: (detail: FieldEvents[E]) => void): () => void {
    requireKnown(event, Object.keys(this.#listeners), 'event');
    this.#listeners[event].add(listener);
    if (event === 'ready' && this.#isReady) listener(undefined as FieldEvents[E]);
    return () => void this.#listeners[event].delete(listener);
  }

  /** Sends the options again, after those of the group or the page changed. */
  refresh(): void {
    if (this.#element !== undefined)
      this.#send({ type: 'update', options: this.#frameOptions(this.#element) });
  }

  /** A security code has as many digits as the brand beside it has. */
  showBrand(): void {
    if (this.kind === 'card_cvc') this.#send({ type: 'brand', brand: this.#group.brand() });
  }

  showFocus(what: FocusReport): void {
    mark(this.#element, { focused: what === 'focus' });
    this.#emit(what, undefined);
  }

  /** Sends a request from the frame of this field. */
  async submit(submission: Submission, signal: AbortSignal | undefined): Promise<Outcome> {
    if (this.#frame !== undefined) return this.#frame.submit(submission, signal);
    const message = 'A field of the request is not on the page.';
    return { failure: { code: 'unmounted', message, fieldIds: [this.id] } };
  }

  #frameOptions(element: Element) {
    return frameOptions(element, { ...this.#group.shared(), ...this.#options });
  }

  #send(command: Command): void {
    if (this.#isReady) this.#frame?.send(command);
  }

  #emit<E extends FieldEvent>(event: E, detail: FieldEvents[E]): void {
    const listeners = this.#listeners[event];
    for (const listener of listeners) listener(detail);
    if (event === 'error' && listeners.size === 0) writeUnheard(detail as FieldsError);
  }

  #onReport(report: Report): void {
    if (report.type === 'change') this.#onChange(report.state);
    else if (report.type === 'ready') this.#onReady(report.title);
    else if (report.type === 'renamed') this.#rename(report.title);
    else if (report.type === 'failed') this.#emit('error', new FieldsError(report.failure));
    else if (report.type === 'focus' || report.type === 'blur') focusOrder.on(this, report.type);
    else if (report.type === 'enter') this.#emit('enter', undefined);
  }

  #onReady(title: string): void {
    this.#isReady = true;
    this.#rename(title);
    mark(this.#element, { ready: true });
    // The page, or its scheme, may have changed since the frame was asked for.
    this.refresh();
    this.showBrand();
    if (this.#wantsFocus) this.focus();
    this.#emit('ready', undefined);
  }

  #rename(title: string): void {
    if (this.#frame !== undefined) this.#frame.iframe.title = title;
  }

  #onChange(state: FieldState): void {
    const { bin: _bin, last4: _last4, ...lasting } = state;
    const hasNewBrand = state.brand !== this.#state.brand;
    this.#state = lasting;
    mark(this.#element, {
      empty: state.empty,
      complete: state.complete && state.valid,
      invalid: !state.valid,
    });
    if (hasNewBrand) this.#group.onBrand();
    this.#emit('change', state);
  }
}
