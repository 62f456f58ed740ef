import { render } from 'preact';
import { App } from './app.tsx';
import { createSession, type Service, type Session } from './session/session.ts';
import './style.css';

const IDLE_CHECK_MS = 5_000;

/** The fragment of the address that `npm start` prints: `#code=...`. */
const CODE = /^#code=([\w-]+)$/;

/** Takes the code out of the address and of the history at once: it is worth a key. */
function takeCode(): string | undefined {
  const code = CODE.exec(location.hash)?.[1];
  if (code !== undefined) location.replace('#/');
  return code;
}

const USED = 'The address was used before. npm start has printed another one; or paste the key.';

/** Changes the one-time code for the management key of this machine, or says why it cannot. */
async function signInByCode(session: Session, code: string): Promise<void> {
  try {
    const response = await fetch('/_local/sign-in', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ code }),
    });
    if (!response.ok) throw new Error(USED);
    const { key } = (await response.json()) as { readonly key: string };
    const problem = session.signIn(key);
    if (problem !== undefined) session.note(problem);
  } catch {
    session.note(USED);
  }
}

/** A person who has left, and a page that the browser would preserve, lose the keys. */
function forgetInTime(session: Session): void {
  for (const event of ['pointerdown', 'keydown'])
    addEventListener(event, () => session.touch(), { capture: true, passive: true });
  const check = () => session.checkIdle();
  setInterval(check, IDLE_CHECK_MS);
  document.addEventListener('visibilitychange', check);
  addEventListener('pageshow', check);
  addEventListener('pagehide', () => session.signOut());
}

async function start(root: HTMLElement): Promise<void> {
  const code = takeCode();
  const response = await fetch('/config.json');
  const session = createSession((await response.json()) as Service, () => Date.now());
  forgetInTime(session);
  if (code !== undefined) await signInByCode(session, code);
  root.textContent = '';
  render(<App session={session} />, root);
  // The page is open already, and the person follows the address of the next code.
  addEventListener('hashchange', () => {
    const next = takeCode();
    if (next !== undefined) void signInByCode(session, next);
  });
}

const root = document.getElementById('root');
if (root !== null)
  start(root).catch(() => {
    root.textContent = 'The console cannot start: its server does not answer. Reload the page.';
  });
