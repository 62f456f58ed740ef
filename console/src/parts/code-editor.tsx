import { useEffect, useRef, useState } from 'preact/hooks';
import { counted } from '../counted.ts';
import type { EditorHandle } from './codemirror.ts';
import { countDeceiving } from './visible-text.ts';

interface CodeEditorProps {
  readonly label: string;
  /** The text of the first moment; from then on the editor has its own. */
  readonly value: string;
  readonly onChange: (value: string) => void;
  /** The problem that the service found in a line, counted from 1. */
  readonly problem?: { readonly line: number; readonly message: string } | undefined;
}

/** A text area until the editor has arrived, and where it cannot. */
export function CodeEditor({ label, value, onChange, problem }: CodeEditorProps) {
  const place = useRef<HTMLDivElement>(null);
  const handle = useRef<EditorHandle | undefined>(undefined);
  const latest = useRef({ value, onChange, problem });
  latest.current = { value, onChange, problem };
  const [isReady, setReady] = useState(false);
  const hidden = countDeceiving(value);
  useEffect(() => {
    let isGone = false;
    void import('./codemirror.ts').then(
      ({ createEditor }) => {
        if (isGone || place.current === null) return;
        handle.current = createEditor(place.current, {
          label,
          text: latest.current.value,
          onChange: (text) => latest.current.onChange(text),
        });
        handle.current.setProblem(latest.current.problem);
        setReady(true);
      },
      // Without the chunk the text area below goes on.
      () => undefined,
    );
    return () => {
      isGone = true;
      handle.current?.destroy();
    };
  }, []);
  useEffect(() => handle.current?.setProblem(problem), [problem]);
  return (
    <div class="code">
      <span class="code-label" aria-hidden="true">
        {label}
      </span>
      <div ref={place} class="code-place" />
      {!isReady && (
        <textarea
          class="machine"
          rows={14}
          aria-label={label}
          spellcheck={false}
          autocomplete="off"
          value={value}
          onInput={({ currentTarget }) => onChange(currentTarget.value)}
        />
      )}
      {hidden > 0 && (
        <p class="field-problem">
          This text has {counted(hidden, 'character')} that cannot be seen or that change how others look.
        </p>
      )}
      {isReady && <p class="field-hint">Escape, then Tab leaves the editor.</p>}
    </div>
  );
}
