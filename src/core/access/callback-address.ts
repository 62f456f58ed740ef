/**
 * Segments that every receiver reads in the same way. One that decodes `%2F`, or drops what follows
 * `;`, would find `..` in a path that is below an address only by its text.
 */
export const PLAIN_PATH = /^(?:\/[\w~-][\w.~-]*)*\/?$/;

/** An address without its query. Two are the same place if their texts are equal. */
export const addressOf = ({ protocol, host, pathname }: URL): string => `${protocol}//${host}${pathname}`;

/** Whether a place is an address of `callbacks`, or below it. */
export function isAtOrBelow(address: string, place: string): boolean {
  if (place === address) return true;
  const above = address.replace(/\/$/, '');
  const rest = place.slice(above.length);
  return place.startsWith(above) && rest.startsWith('/') && PLAIN_PATH.test(rest);
}

/**
 * The way of an invocation: its result goes to the `callback_url`, or the caller itself gets it. A
 * text that is no URL is no place, so no rule permits it.
 */
export function wayOf(
  reactor: string,
  callbackUrl: string | undefined,
): { readonly reactor: string; readonly callback?: string } {
  if (callbackUrl === undefined) return { reactor };
  return { reactor, callback: URL.canParse(callbackUrl) ? addressOf(new URL(callbackUrl)) : '' };
}
