import { brand } from '../../sdk/src/brand.ts';
import type {
  PLACEHOLDER,
  Failure,
  FieldKind,
  FieldPart,
  FieldsErrorCode,
  FieldState,
  FixedOptions,
} from './protocol.ts';
import type { PageOptions } from './surroundings.ts';

/** All options of a field. Those of {@link FixedOptions} cannot be changed later. */
export interface NewFieldOptions extends PageOptions, FixedOptions {}

/** Arguments that a listener of each event gets. */
export interface FieldEvents {
  /** The field can be filled in. A listener that comes later is called at once. */
  readonly ready: undefined;
  readonly change: FieldState;
  readonly focus: undefined;
  readonly blur: undefined;
  /** The person pressed Enter. */
  readonly enter: undefined;
  readonly error: FieldsError;
}

export type FieldEvent = keyof FieldEvents;

/** Means a part of an expiry date in a request. */
export interface FieldPlaceholder {
  readonly [PLACEHOLDER]: string;
  readonly part: FieldPart;
}

/** One field. In a request it means what a person typed into it. */
export interface Field {
  readonly kind: FieldKind;
  readonly state: FieldState;
  /** The month and the year of a `card_expiration` are numbers in a request. */
  readonly month: FieldPlaceholder;
  readonly year: FieldPlaceholder;
  /**
   * Shows the field in an element, or in the first one of a selector. Throws `TypeError` if there
   * is none, if it is not in the document or is in a shadow tree, and if the field is mounted.
   */
  mount(target: Element | string): void;
  /** Removes the field with what is in it. A request that runs rejects with `unmounted`. */
  unmount(): void;
  focus(): void;
  blur(): void;
  clear(): void;
  /**
   * Changes the options that are stated, also before the field is mounted. One that is `undefined`
   * has its default again. Throws `TypeError` for an unknown one, or for one that counts when the
   * field is made.
   */
  update(options: PageOptions): void;
  /** Returns a function that ends the calls. Throws `TypeError` for an unknown event. */
  on<E extends FieldEvent>(event: E, listener: (detail: FieldEvents[E]) => void): () => void;
}

/** A request that failed, or a field that does not work. It has nothing of what was typed. */
export class FieldsError extends Error {
  override readonly name: string = 'FieldsError';

  readonly code: FieldsErrorCode;

  /** The status of the service's response, if it sent one. */
  readonly status: number | undefined;

  /** The service's error has it as its `code`, such as `forbidden`. */
  readonly serviceCode: string | undefined;

  /** The service's logs have the request under this id. */
  readonly traceId: string | undefined;

  /** The fields that are not ready, in the order of the request. */
  readonly fields: readonly Field[];

  constructor(failure: Failure, fields: readonly Field[] = []) {
    super(failure.message);
    this.code = failure.code;
    this.status = failure.status;
    this.serviceCode = failure.serviceCode;
    this.traceId = failure.traceId;
    this.fields = fields;
  }
}

brand(FieldsError, 'FieldsError');
