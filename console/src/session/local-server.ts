import type { Session } from './session.ts';

/** Asks the server of `npm start`, on the origin of this page, with the management key. */
export async function askLocal<T>(session: Session, path: string, signal: AbortSignal): Promise<T> {
  const headers = session.localHeaders() ?? {};
  const response = await fetch(`/_local/${path}`, { headers, signal });
  if (!response.ok) throw new Error((await response.text()).trim());
  return (await response.json()) as T;
}
