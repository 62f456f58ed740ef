import { Button, Copy } from './button.tsx';
import { Dialog } from './dialog.tsx';
import { useSession } from '../session/use-session.ts';
import { keyKindOf } from '../session/key-kind.ts';

interface NewKeyProps {
  readonly text: string;
  readonly title: string;
  readonly onClose: () => void;
}

/** Shows a new key once. A private key can open tokens here at once. */
export function NewKey({ text, title, onClose }: NewKeyProps) {
  const session = useSession();
  return (
    <Dialog title={title} onClose={onClose} mayClose={false}>
      <p>
        <strong>This is the only time that the key can be read.</strong> The service stores a hash of it. Put
        it where its program reads it.
      </p>
      <p class="new-key">
        <code class="text">{text}</code> <Copy text={text} what="the key" />
      </p>
      <div class="row-end">
        {keyKindOf(text) === 'private' && (
          <Button
            onClick={() => {
              session.signIn(text);
              onClose();
            }}
          >
            Open tokens with it
          </Button>
        )}
        <Button look="primary" onClick={onClose}>
          I have stored it
        </Button>
      </div>
    </Dialog>
  );
}
