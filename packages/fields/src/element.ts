import type { Fields } from './create-fields.ts';
import { FieldsError, type Field, type FieldEvent } from './field-interface.ts';
import type { FieldBrand, FieldKind, FieldState, FixedOptions } from './protocol.ts';
import { hasStyleSheets, UNSUPPORTED } from './supported.ts';
import { NO_OPTIONS, type PageOptions } from './surroundings.ts';
import { writeUnheard } from './unheard.ts';

const NAME = 'cloakroom-field';
const EVENTS = [
  'ready',
  'change',
  'focus',
  'blur',
  'enter',
  'error',
] as const satisfies readonly FieldEvent[];
/** A change of one of these reaches the frame. Another one counts when the field is made. */
const OBSERVED = [
  'label',
  'placeholder',
  'lang',
  'dir',
  'disabled',
  'readonly',
  'conceal',
  'no-icon',
  'brands',
];
/** Properties that a page may have set before the element was defined. */
const PROPERTIES = ['options', 'fields'] as const;
/** It has no weight: any rule of the page is stronger, and so is the attribute `hidden`. */
const LOOK = `:where(${NAME}:not([hidden])) { display: block }`;
/** Nothing in it leaves the page: a browser shows it at a field that has no text of its own yet. */
const NOT_READY = 'Fill in this field';

/**
 * `<cloakroom-field kind="card_number" label="Card number">` is one field as an element. It works
 * as soon as its property `fields` is set. A `<label>` of it names and focuses it. It takes part in
 * the validation of its form, without a value.
 *
 * Attributes: `kind`, `label`, `placeholder`, `lang`, `dir`, `disabled`, `readonly`, `conceal`,
 * `no-icon`, `brands` (separated by blanks), and for good `optional`, `maxlength`, `inputmode`,
 * `autocomplete`. Events: those of a field, with their detail. An `error` is also written to the
 * console, unless a listener calls its `preventDefault`.
 */
export interface CloakroomFieldElement extends HTMLElement {
  fields: Fields | undefined;
  /** The same one when the element leaves the page and comes back, then without its content. */
  readonly field: Field | undefined;
  readonly state: FieldState | undefined;
  /** The options that attributes cannot state, such as `style`. They override attributes. */
  options: PageOptions;
  readonly form: HTMLFormElement | null;
  readonly validity: ValidityState;
  readonly validationMessage: string;
  readonly willValidate: boolean;
  checkValidity(): boolean;
  reportValidity(): boolean;
}

declare global {
  interface HTMLElementTagNameMap {
    'cloakroom-field': CloakroomFieldElement;
  }
}

function attributeOptions(element: HTMLElement, labels: readonly string[]): PageOptions {
  const text = (name: string) => element.getAttribute(name) ?? undefined;
  const direction = text('dir');
  return {
    ...NO_OPTIONS,
    label: text('label') ?? labels.find((label) => label !== ''),
    placeholder: text('placeholder'),
    locale: text('lang'),
    direction: direction === 'rtl' || direction === 'ltr' ? direction : undefined,
    brands: text('brands')?.trim().split(/\s+/) as readonly FieldBrand[] | undefined,
    // An element in a disabled fieldset is disabled, too.
    disabled: element.matches(':disabled'),
    readOnly: element.hasAttribute('readonly'),
    conceal: element.hasAttribute('conceal'),
    icon: !element.hasAttribute('no-icon'),
  };
}

function fixedOptions(element: HTMLElement): FixedOptions {
  const text = (name: string) => element.getAttribute(name) ?? undefined;
  const maxLength = text('maxlength');
  return {
    required: !element.hasAttribute('optional'),
    maxLength: maxLength === undefined ? undefined : Number(maxLength),
    inputMode: text('inputmode') as FixedOptions['inputMode'],
    autocomplete: text('autocomplete') as FixedOptions['autocomplete'],
  };
}

/** A server has no elements, and loads this module anyway. */
const Base = typeof HTMLElement === 'undefined' ? (Object as unknown as typeof HTMLElement) : HTMLElement;

class FieldElement extends Base implements CloakroomFieldElement {
  static readonly formAssociated = true;

  static readonly observedAttributes = OBSERVED;

  readonly #internals = this.attachInternals();

  #fields: Fields | undefined;

  #field: Field | undefined;

  #options: PageOptions = {};

  #isMounted = false;

  constructor() {
    super();
    // A click on a label arrives here as one on this element.
    this.addEventListener('click', () => this.focus());
    // The browser's own events are of the element around the frame. Pages get those of the field.
    this.addEventListener('focus', (event) => this.#hide(event) && this.focus());
    this.addEventListener('blur', (event) => this.#hide(event));
  }

  get fields(): Fields | undefined {
    return this.#fields;
  }

  set fields(fields: Fields | undefined) {
    if (fields === this.#fields) return;
    this.#unmount();
    this.#field = undefined;
    this.#fields = fields;
    this.#open();
  }

  get field(): Field | undefined {
    return this.#field;
  }

  get state(): FieldState | undefined {
    return this.#field?.state;
  }

  get options(): PageOptions {
    return this.#options;
  }

  set options(options: PageOptions) {
    this.#options = options;
    this.#refresh();
  }

  get form(): HTMLFormElement | null {
    return this.#internals.form;
  }

  get validity(): ValidityState {
    return this.#internals.validity;
  }

  get validationMessage(): string {
    return this.#internals.validationMessage;
  }

  get willValidate(): boolean {
    return this.#internals.willValidate;
  }

  checkValidity(): boolean {
    return this.#internals.checkValidity();
  }

  reportValidity(): boolean {
    return this.#internals.reportValidity();
  }

  connectedCallback(): void {
    for (const name of PROPERTIES) this.#upgrade(name);
    // A browser focuses the first invalid element of a form, and shows its message there.
    if (!this.hasAttribute('tabindex')) this.tabIndex = -1;
    this.#open();
  }

  disconnectedCallback(): void {
    this.#unmount();
  }

  /** With it, `moveBefore` moves the frame with its content, and calls none of the two above. */
  connectedMoveCallback(): void {
    this.#refresh();
  }

  attributeChangedCallback(): void {
    this.#refresh();
  }

  formDisabledCallback(): void {
    this.#refresh();
  }

  formResetCallback(): void {
    this.#field?.clear();
  }

  override focus(): void {
    this.#field?.focus();
  }

  #hide(event: Event): boolean {
    if (event.isTrusted) event.stopImmediatePropagation();
    return event.isTrusted;
  }

  /** A property that was set before the definition would hide the accessor of this class. */
  #upgrade(name: (typeof PROPERTIES)[number]): void {
    const own = Object.getOwnPropertyDescriptor(this, name);
    if (own === undefined) return;
    Reflect.deleteProperty(this, name);
    Reflect.set(this, name, own.value);
  }

  #stated(): PageOptions {
    const labels = [...this.#internals.labels].map((label) => (label.textContent ?? '').trim());
    return { ...attributeOptions(this, labels), ...this.#options };
  }

  #refresh(): void {
    this.#field?.update(this.#stated());
  }

  #open(): void {
    if (!this.isConnected || this.#isMounted) return;
    if (this.#fields !== undefined) {
      this.#field ??= this.#create(this.#fields);
      this.#field.update(this.#stated());
      this.#field.mount(this);
      this.#isMounted = true;
    }
    this.#validate(this.#field?.state);
  }

  #unmount(): void {
    this.#field?.unmount();
    this.#isMounted = false;
  }

  #create(fields: Fields): Field {
    const kind = (this.getAttribute('kind') ?? '') as FieldKind;
    const field = fields.field(kind, fixedOptions(this));
    for (const event of EVENTS)
      field.on(event, (detail: FieldState | FieldsError | undefined) => {
        if (event === 'change') this.#validate(field.state);
        const isTaken = !this.dispatchEvent(
          new CustomEvent(event, { detail, cancelable: event === 'error' }),
        );
        if (detail instanceof FieldsError && !isTaken) writeUnheard(detail);
      });
    return field;
  }

  #validate(state: FieldState | undefined): void {
    const { complete = false, valid = true, empty = true, message = '' } = state ?? {};
    const isOptional = empty && this.hasAttribute('optional');
    if (isOptional || (complete && valid)) this.#internals.setValidity({});
    else
      this.#internals.setValidity(
        empty ? { valueMissing: true } : { badInput: true },
        message === '' ? NOT_READY : message,
      );
  }
}

/**
 * Defines `<cloakroom-field>`. A second call changes nothing, nor does one on a server. Throws
 * `FieldsError` with `browser_unsupported` in a browser that is too old.
 */
export function defineFieldElement(): void {
  if (typeof customElements === 'undefined' || customElements.get(NAME) !== undefined) return;
  if (!hasStyleSheets() || !('attachInternals' in HTMLElement.prototype)) throw new FieldsError(UNSUPPORTED);
  const look = new CSSStyleSheet();
  look.replaceSync(LOOK);
  document.adoptedStyleSheets = [...document.adoptedStyleSheets, look];
  customElements.define(NAME, FieldElement);
}
