export { browserTransport as send } from './fetch-transport.ts';

/** No browser sends one. */
export const SENDS_BODY_OF_GET: boolean = false;

/** A page has no environment: an absent option is a `TypeError`. */
export function settingOf(option: 'baseUrl' | 'apiKey'): never {
  throw new TypeError(`Set the option ${option}`);
}

/** WebCrypto, which browsers offer only in secure contexts. */
export function webCrypto(): Promise<(typeof crypto)['subtle']> {
  const { subtle } = crypto as Partial<typeof crypto>;
  if (subtle === undefined) throw new TypeError('WebCrypto needs a secure context (https)');
  return Promise.resolve(subtle);
}
