import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands';
import { javascript } from '@codemirror/lang-javascript';
import { bracketMatching, HighlightStyle, indentOnInput, syntaxHighlighting } from '@codemirror/language';
import { setDiagnostics } from '@codemirror/lint';
import { EditorState } from '@codemirror/state';
import {
  EditorView,
  highlightActiveLine,
  highlightSpecialChars,
  keymap,
  lineNumbers,
} from '@codemirror/view';
import { tags } from '@lezer/highlight';
import { SPECIAL_CHARACTERS, visibleText } from './visible-text.ts';

export interface EditorHandle {
  setProblem(problem: { readonly line: number; readonly message: string } | undefined): void;
  destroy(): void;
}

interface EditorOptions {
  readonly label: string;
  readonly text: string;
  readonly onChange: (text: string) => void;
}

/** The properties of the style sheet, for light and dark: they reach into a shadow root. */
const HIGHLIGHT = HighlightStyle.define([
  { tag: [tags.keyword, tags.controlKeyword, tags.operatorKeyword], color: 'var(--mask)', fontWeight: '600' },
  { tag: [tags.string, tags.special(tags.string), tags.regexp], color: 'var(--good)' },
  { tag: [tags.number, tags.bool, tags.null], color: 'var(--reveal)' },
  { tag: [tags.comment, tags.lineComment, tags.blockComment], color: 'var(--muted)', fontStyle: 'italic' },
]);

const SELECTION = 'color-mix(in srgb, var(--accent) 25%, transparent) !important';

const THEME = EditorView.theme({
  '&': {
    backgroundColor: 'var(--surface)',
    border: '1px solid var(--line-strong)',
    borderRadius: 'var(--radius)',
    color: 'var(--ink)',
    maxHeight: '32rem',
  },
  '&.cm-focused': { outline: '3px solid var(--accent)', outlineOffset: '2px' },
  '.cm-scroller': { fontFamily: 'var(--machine)', fontSize: '0.88rem', minHeight: '8rem' },
  '.cm-content': { caretColor: 'var(--ink)', minHeight: '8rem' },
  '.cm-gutter': { minHeight: '8rem' },
  '.cm-cursor': { borderLeftColor: 'var(--ink)' },
  '.cm-gutters': {
    backgroundColor: 'var(--sunken)',
    borderRight: '1px solid var(--line)',
    color: 'var(--muted)',
  },
  '.cm-activeLine': { backgroundColor: 'color-mix(in srgb, var(--sunken) 60%, transparent)' },
  '.cm-activeLineGutter': { backgroundColor: 'var(--line)' },
  '.cm-selectionBackground': { backgroundColor: SELECTION },
  '.cm-specialChar': { backgroundColor: 'var(--bad-soft)', color: 'var(--bad)' },
  '.cm-tooltip': {
    backgroundColor: 'var(--surface)',
    borderColor: 'var(--line-strong)',
    color: 'var(--ink)',
  },
});

/** Shows by its number what cannot be seen: it could make code look like other code. */
function renderSpecial(code: number): HTMLElement {
  const shown = document.createElement('span');
  shown.textContent = visibleText(String.fromCodePoint(code));
  shown.className = 'cm-specialChar';
  return shown;
}

/**
 * Creates the editor in a shadow root, where it adds its rules as style sheets of the script: a
 * `style` element would be against the policy of the page. Loaded on demand, since most visits edit
 * no code.
 */
export function createEditor(parent: HTMLElement, { label, text, onChange }: EditorOptions): EditorHandle {
  const root = parent.attachShadow({ mode: 'open' });
  const view = new EditorView({
    parent: root,
    root,
    state: EditorState.create({
      doc: text,
      extensions: [
        lineNumbers(),
        highlightSpecialChars({ specialChars: SPECIAL_CHARACTERS, render: renderSpecial }),
        history(),
        bracketMatching(),
        indentOnInput(),
        highlightActiveLine(),
        THEME,
        syntaxHighlighting(HIGHLIGHT),
        javascript(),
        keymap.of([...defaultKeymap, ...historyKeymap, indentWithTab]),
        EditorView.contentAttributes.of({ 'aria-label': label }),
        EditorView.updateListener.of((update) => {
          if (update.docChanged) onChange(update.state.doc.toString());
        }),
      ],
    }),
  });
  return {
    setProblem: (problem) => {
      const { doc } = view.state;
      if (problem === undefined || problem.line > doc.lines) {
        view.dispatch(setDiagnostics(view.state, []));
        return;
      }
      const { from, to } = doc.line(problem.line);
      view.dispatch(setDiagnostics(view.state, [{ from, to, severity: 'error', message: problem.message }]));
    },
    destroy: () => view.destroy(),
  };
}
