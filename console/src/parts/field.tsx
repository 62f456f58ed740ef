import { h, type ComponentChildren, type InputHTMLAttributes } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';

interface Labelled {
  readonly label: string;
  readonly hint?: string | undefined;
  readonly problem?: string | undefined;
}

interface Described {
  readonly id: string;
  readonly 'aria-describedby': string | undefined;
  readonly 'aria-invalid': boolean;
}

/** A label, a hint and a problem around an input, all connected to it. */
function Field({
  label,
  hint,
  problem,
  input,
}: Labelled & { readonly input: (described: Described) => ComponentChildren }) {
  const id = useId();
  const hintId = hint === undefined ? undefined : `${id}-hint`;
  const problemId = problem === undefined ? undefined : `${id}-problem`;
  const described = [problemId, hintId].filter(Boolean).join(' ');
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {input({
        id,
        'aria-describedby': described === '' ? undefined : described,
        'aria-invalid': problem !== undefined,
      })}
      {problem !== undefined && (
        <p class="field-problem" id={problemId}>
          {problem}
        </p>
      )}
      {hint !== undefined && (
        <p class="field-hint" id={hintId}>
          {hint}
        </p>
      )}
    </div>
  );
}

interface TextFieldProps extends Labelled {
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly placeholder?: string;
  readonly lines?: number;
  readonly isRequired?: boolean;
  readonly isMachineText?: boolean;
  /** Hides what is typed, as the field of a key does. */
  readonly isSecret?: boolean;
  readonly hasFocus?: boolean;
  readonly type?: 'text' | 'search' | 'datetime-local' | 'number';
}

/**
 * An input whose text the browser neither corrects nor stores. A secret is hidden by its font and
 * is no `password`, which browsers offer to store.
 */
export function TextField({
  value,
  onChange,
  placeholder,
  lines,
  isRequired,
  isMachineText,
  isSecret,
  hasFocus,
  type = 'text',
  ...labelled
}: TextFieldProps) {
  const place = useRef<HTMLInputElement & HTMLTextAreaElement>(null);
  useEffect(() => {
    if (hasFocus === true) place.current?.focus();
  }, []);
  const common = {
    ref: place,
    value,
    placeholder,
    required: isRequired,
    autocomplete: 'off',
    autocapitalize: 'off',
    spellcheck: false,
    dir: 'auto',
    class: `${isMachineText === true ? 'machine' : ''} ${isSecret === true ? 'secret' : ''}`,
    onInput: ({ currentTarget }: { readonly currentTarget: HTMLInputElement | HTMLTextAreaElement }) =>
      onChange(currentTarget.value),
  } as const;
  return (
    <Field
      {...labelled}
      input={(described) =>
        lines === undefined ? (
          h('input', { type, ...common, ...described } as InputHTMLAttributes)
        ) : (
          <textarea rows={lines} {...common} {...described} />
        )
      }
    />
  );
}

interface FileFieldProps extends Labelled {
  readonly accept: string;
  readonly onChoose: (file: File) => void;
  /** Whether the form uses a file of the field: without one the field shows none. */
  readonly isChosen: boolean;
}

/** Lets a person choose a file of their machine. */
export function FileField({ accept, onChoose, isChosen, ...labelled }: FileFieldProps) {
  const place = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (!isChosen && place.current !== null) place.current.value = '';
  }, [isChosen]);
  return (
    <Field
      {...labelled}
      input={(described) => (
        <input
          {...described}
          ref={place}
          type="file"
          accept={accept}
          // Without this no event comes for the same file, which may have changed on the disk.
          onClick={({ currentTarget }) => {
            currentTarget.value = '';
          }}
          onChange={({ currentTarget }) => {
            const file = currentTarget.files?.[0];
            if (file !== undefined) onChoose(file);
          }}
        />
      )}
    />
  );
}

interface ChoiceProps<T extends string> extends Labelled {
  readonly value: T;
  readonly onChange: (value: T) => void;
  /** Options of one group follow each other. */
  readonly options: readonly (readonly [value: T, words: string, group?: string])[];
}

function Options<T extends string>({ options }: Pick<ChoiceProps<T>, 'options'>) {
  const groups = [...new Set(options.map(([, , group]) => group))];
  return groups.map((group) => {
    const inside = options
      .filter(([, , own]) => own === group)
      .map(([name, words]) => (
        <option value={name} key={name}>
          {words}
        </option>
      ));
    return group === undefined ? inside : <optgroup label={group}>{inside}</optgroup>;
  });
}

export const Choice = <T extends string>({ value, onChange, options, ...labelled }: ChoiceProps<T>) => (
  <Field
    {...labelled}
    input={(described) => (
      <select
        {...described}
        value={value}
        onChange={({ currentTarget }) => onChange(currentTarget.value as T)}
      >
        <Options options={options} />
      </select>
    )}
  />
);

interface CheckProps {
  readonly label: ComponentChildren;
  readonly isChecked: boolean;
  readonly onChange: (isChecked: boolean) => void;
}

export const Check = ({ label, isChecked, onChange }: CheckProps) => (
  <label class="check">
    <input
      type="checkbox"
      checked={isChecked}
      onChange={({ currentTarget }) => onChange(currentTarget.checked)}
    />
    <span>{label}</span>
  </label>
);
