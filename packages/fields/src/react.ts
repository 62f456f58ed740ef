import {
  createElement,
  forwardRef,
  useEffect,
  useImperativeHandle,
  useLayoutEffect,
  useRef,
  useState,
  type CSSProperties,
  type ForwardRefExoticComponent,
  type RefAttributes,
} from 'react';
import {
  createFields,
  type Field,
  type FieldKind,
  type Fields,
  type FieldsError,
  type FieldsOptions,
  type FieldState,
  type NewFieldOptions,
  type PageOptions,
} from './index.ts';
import { NO_OPTIONS } from './surroundings.ts';
import { writeUnheard } from './unheard.ts';

export interface CloakroomFieldProps extends NewFieldOptions {
  /** The result of {@link useFields}. The box is empty while it is `undefined`. */
  readonly fields: Fields | undefined;
  readonly kind: FieldKind;
  /** The box around the frame has it, as it has `className` and `boxStyle`. */
  readonly id?: string | undefined;
  readonly className?: string | undefined;
  readonly boxStyle?: CSSProperties | undefined;
  readonly onReady?: (() => void) | undefined;
  readonly onChange?: ((state: FieldState) => void) | undefined;
  readonly onFocus?: (() => void) | undefined;
  readonly onBlur?: (() => void) | undefined;
  readonly onEnter?: (() => void) | undefined;
  readonly onError?: ((error: FieldsError) => void) | undefined;
}

/** React 18 warns about a layout effect on a server, where no effect runs. */
const useEarlyEffect = typeof document === 'undefined' ? useEffect : useLayoutEffect;

/** Holds the value of the last rendering that is on the page, for listeners and later effects. */
function useLatest<T>(value: T): { readonly current: T } {
  const latest = useRef(value);
  useEarlyEffect(() => {
    latest.current = value;
  });
  return latest;
}

/**
 * Returns the fields of one form, from the first effect until the component goes. On a server there
 * are none. Another `fieldsUrl`, `baseUrl`, `apiKey` or text as `session` makes new ones, which are
 * empty.
 * @example const fields = useFields({ fieldsUrl: FIELDS_URL, apiKey: PUBLIC_KEY });
 */
export function useFields(options: FieldsOptions): Fields | undefined {
  const { fieldsUrl, baseUrl, apiKey, session, loadTimeoutMs } = options;
  const { locale, style, colorScheme, direction } = options;
  const [fields, setFields] = useState<Fields>();
  const latest = useLatest(options);
  const isFunction = typeof session === 'function';
  useEffect(() => {
    const currentSession = () => {
      const { session: current = '' } = latest.current;
      return typeof current === 'function' ? current() : current;
    };
    const { current } = latest;
    const made = createFields(isFunction ? { ...current, session: currentSession } : current);
    setFields(made);
    return () => {
      made.unmount();
      setFields(undefined);
    };
  }, [fieldsUrl, baseUrl, apiKey, isFunction ? '' : session, isFunction, loadTimeoutMs]);
  // Options are compared by their content, since they may be written in place.
  const shared = { locale, style, colorScheme, direction };
  useEffect(() => fields?.configure(shared), [fields, JSON.stringify(shared)]);
  return fields;
}

const pageOptions = (props: NewFieldOptions): PageOptions =>
  Object.fromEntries(Object.keys(NO_OPTIONS).map((name) => [name, props[name as keyof typeof NO_OPTIONS]]));

/**
 * Shows one field. Its `ref` is the field while it is on the page, for `createToken` and `focus`.
 * Options may be written in place: they are compared by their content. Those of `FixedOptions`
 * count when the field is made.
 * @example <CloakroomField fields={fields} kind="card_number" ref={numberRef} onChange={setState} />
 */
export const CloakroomField: ForwardRefExoticComponent<CloakroomFieldProps & RefAttributes<Field>> =
  // React 18 has no `ref` among the props of a function.
  forwardRef<Field, CloakroomFieldProps>(function CloakroomField(props, ref) {
    const { fields, kind, id, className, boxStyle } = props;
    const box = useRef<HTMLDivElement>(null);
    const field = useRef<Field | null>(null);
    const latest = useLatest(props);
    const options = pageOptions(props);

    useEarlyEffect(() => {
      const element = box.current;
      if (fields === undefined || element === null) return undefined;
      const { required, maxLength, inputMode, autocomplete } = props;
      const fixed = { required, maxLength, inputMode, autocomplete };
      const made = fields.field(kind, { ...options, ...fixed });
      made.on('ready', () => latest.current.onReady?.());
      made.on('change', (state) => latest.current.onChange?.(state));
      made.on('focus', () => latest.current.onFocus?.());
      made.on('blur', () => latest.current.onBlur?.());
      made.on('enter', () => latest.current.onEnter?.());
      made.on('error', (error) => (latest.current.onError ?? writeUnheard)(error));
      made.mount(element);
      field.current = made;
      return () => {
        field.current = null;
        made.unmount();
      };
    }, [fields, kind]);
    useEarlyEffect(() => field.current?.update(options), [JSON.stringify(options)]);
    // After the effect that makes the field: a `ref` has it before any handler runs.
    useImperativeHandle<Field | null, Field | null>(ref, () => field.current, [fields, kind]);
    return createElement('div', { ref: box, id, className, style: boxStyle });
  });
