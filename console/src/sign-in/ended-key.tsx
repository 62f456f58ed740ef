import { Button } from '../parts/button.tsx';
import { Dialog } from '../parts/dialog.tsx';
import type { KeyKind } from '../session/key-kind.ts';
import { useSession, useSessionState } from '../session/use-session.ts';
import { KeyForm } from './sign-in.tsx';

/**
 * Asks for another key above the work that the earlier one began, so that nothing typed is lost.
 */
export function EndedKey({ kind }: { readonly kind: KeyKind }) {
  const session = useSession();
  const access = useSessionState().access[kind];
  if (access?.ended === undefined) return null;
  return (
    <Dialog title={`The service no longer accepts your ${kind} key`} onClose={() => {}} mayClose={false}>
      <p>
        It is the key <code>{access.hint}</code>. {access.ended} With another {kind} key you go on where you
        are: nothing that you typed is lost.
      </p>
      <KeyForm words="Go on" hint={`A ${kind} key of the same tenant.`} kind={kind} />
      <Button look="quiet" onClick={() => session.signOut()}>
        Sign out
      </Button>
    </Dialog>
  );
}
