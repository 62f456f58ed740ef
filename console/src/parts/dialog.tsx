import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';
import type { Action } from '../session/use-session.ts';
import { Button } from './button.tsx';
import { ProblemBox } from './problem-box.tsx';

interface DialogProps {
  readonly title: string;
  readonly onClose: () => void;
  /** Without it, Escape does not close the dialog either. */
  readonly mayClose?: boolean;
  readonly children: ComponentChildren;
}

/** The browser's own modal dialog: it traps the focus, and gives it back. */
export function Dialog({ title, onClose, mayClose = true, children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    const before = document.activeElement;
    dialog.current?.showModal();
    return () => {
      if (before instanceof HTMLElement) before.focus();
    };
  }, []);
  return (
    <dialog
      ref={dialog}
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault();
        if (mayClose) onClose();
      }}
      // A second Escape closes it without asking.
      onClose={() => {
        if (mayClose) onClose();
        else dialog.current?.showModal();
      }}
    >
      <h2 id={id}>{title}</h2>
      {children}
    </dialog>
  );
}

interface ConfirmProps {
  readonly title: string;
  /** Names what is lost. */
  readonly children: ComponentChildren;
  readonly words: string;
  readonly action: Action;
  readonly change: () => Promise<void>;
  readonly onClose: () => void;
}

/** Asks before something is lost. The safe choice has the focus. */
export const Confirm = ({ title, children, words, action, change, onClose }: ConfirmProps) => (
  <Dialog title={title} onClose={onClose}>
    {children}
    <ProblemBox problem={action.problem} />
    <div class="row-end">
      <button type="button" class="button button-plain" onClick={onClose} autofocus>
        Cancel
      </button>
      <Button look="danger" isBusy={action.isRunning} onClick={() => action.run(change)}>
        {words}
      </Button>
    </div>
  </Dialog>
);
