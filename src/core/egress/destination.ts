import ipaddr from 'ipaddr.js';

/** Longest destination that is accepted, in characters (docs/contract.md#destination). */
export const DESTINATION_MAX_LENGTH = 400;

/**
 * Origins that the deployer allows although the rules exclude them: `host`, `host:port`, or with a
 * scheme.
 */
export type EgressAllowList = readonly string[];

/** A destination of the right form. Its address is checked when the connection is made. */
export interface Destination {
  readonly url: URL;
  /** True for a destination on the allow list, whose address is not checked. */
  readonly isAdmitted: boolean;
}

const DNS_NAME =
  /^(?=.{1,253}$)(?:[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?\.)*[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

function portOf(url: URL): string {
  if (url.port !== '') return url.port;
  return url.protocol === 'https:' ? '443' : '80';
}

/** An allowed origin in one spelling, `scheme://host:port`. An entry without a scheme is https. */
function originOf(entry: string): string {
  const withScheme = /^https?:\/\//.test(entry) ? entry : `https://${entry}`;
  const url = URL.canParse(withScheme) ? new URL(withScheme) : undefined;
  return url === undefined ? '' : `${url.protocol}//${url.hostname}:${portOf(url)}`;
}

/**
 * Whether a text is an entry of an allow list: `host`, `host:port`, or one with a scheme. The host
 * is a DNS name or an address, in the spelling of URLs, and never a pattern.
 */
export function isAllowListEntry(text: string): boolean {
  const host = /^(?:https?:\/\/)?([^\s/\\@?#,]+?)(?::\d{1,5})?$/i.exec(text)?.[1]?.toLowerCase() ?? '';
  const origin = originOf(text);
  if (origin === '' || new URL(origin).hostname !== host) return false;
  return host.startsWith('[') || ipaddr.isValid(host) || DNS_NAME.test(host);
}

/** The reason why a name cannot be a destination, for the error; `undefined` if it can be one. */
function nameProblem(host: string): string | undefined {
  if (host.startsWith('[') || ipaddr.isValid(host)) return 'must name its host, not an address';
  if (host.endsWith('.')) return 'must name its host without a trailing dot';
  const last = host.slice(host.lastIndexOf('.') + 1);
  if (!DNS_NAME.test(host) || /^(?:\d+|0x[\da-f]*)$/.test(last)) return 'must name its host as a DNS name';
  return undefined;
}

/** The reason why a text cannot be a destination, found before it is parsed. */
function textProblem(text: string): string | undefined {
  if (text.length > DESTINATION_MAX_LENGTH)
    return `must be at most ${String(DESTINATION_MAX_LENGTH)} characters`;
  if (text.includes('{{')) return 'must not contain expressions';
  // WHATWG URL drops tabs and line breaks and turns backslashes into slashes; a URL that needs that
  // is a mistake or an attack.
  if (/[\s\\\p{Cc}]/u.test(text) || !/^[a-z]+:\/\/[^/]/i.test(text) || !URL.canParse(text))
    return 'must be a URL that begins with https://';
  return undefined;
}

/** The reason why a URL cannot be a destination unless a deploy setting allows it. */
function urlProblem(url: URL, ownHosts: readonly string[] = []): string | undefined {
  if (url.protocol !== 'https:') return 'must be an https URL';
  if (portOf(url) !== '443')
    return 'must use port 443, unless the deploy setting egressAllowList names its host and port';
  if (ownHosts.some((own) => url.hostname === own.toLowerCase())) return 'must not be the service itself';
  return nameProblem(url.hostname);
}

/**
 * The destination, or the problem of its text (docs/contract.md#destination). `ownHosts` are the
 * names of the service itself, which are not allowed.
 */
export function parseDestination(
  text: string,
  options: { readonly allowList: EgressAllowList; readonly ownHosts?: readonly string[] },
): Destination | string {
  const problem = textProblem(text);
  if (problem !== undefined) return problem;
  const url = new URL(text);
  if (url.username !== '' || url.password !== '' || /^[a-z]+:\/\/[^/?#]*@/i.test(text))
    return 'must not have user information';
  url.hash = '';
  const origin = `${url.protocol}//${url.hostname}:${portOf(url)}`;
  if (options.allowList.some((entry) => originOf(entry) === origin)) return { url, isAdmitted: true };
  return urlProblem(url, options.ownHosts) ?? { url, isAdmitted: false };
}

/** Ports of allowed origins on this machine. Code that runs here may reach no other local port. */
export function admittedLocalPorts(allowList: EgressAllowList): readonly number[] {
  const origins = allowList.flatMap((entry) => (originOf(entry) === '' ? [] : [new URL(originOf(entry))]));
  const local = origins.filter(({ hostname }) => /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname));
  return [...new Set(local.map((url) => Number(portOf(url))))];
}
