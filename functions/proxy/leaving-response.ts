import { isListedField } from '../../src/core/proxy-expressions/listed-fields.ts';
import type { ApiRequest } from '../../src/http/api-request.ts';
import type { ApiResponse } from '../../src/http/api-response.ts';
import { makesNoPage } from './browser-call.ts';
import type { ProxyDeps } from './dependencies.ts';

/** These fields tell a browser that a response must make no page. */
const NO_PAGE: Readonly<Record<string, string>> = {
  'Content-Security-Policy': 'sandbox',
  'X-Content-Type-Options': 'nosniff',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
};
const OURS = new Set(Object.keys(NO_PAGE).map((name) => name.toLowerCase()));

/**
 * Whether a field may stay in a response that must make no page. A browser opens a password prompt
 * for `WWW-Authenticate`, and a second policy would send reports with the address.
 */
const mayStay = (name: string): boolean =>
  isListedField(name) &&
  name !== 'www-authenticate' &&
  !name.startsWith('content-security-policy') &&
  !OURS.has(name);

const isRedirect = (status: number): boolean => status >= 300 && status <= 399;

/**
 * The last step of a response of `/proxy`, after every transform, also of a failure
 * (docs/contract.md#redirects-and-browsers). The address of a redirect gets a name that no client
 * follows, so that none takes a key there. Nothing that a link asks for becomes a page of the
 * service.
 */
export function leavingResponse(
  request: ApiRequest,
  response: ApiResponse,
  { headerPrefixes, proxyRedirects }: Pick<ProxyDeps, 'headerPrefixes' | 'proxyRedirects'>,
): ApiResponse {
  const { reserved } = request;
  const { cookies, headers = {}, ...rest } = response;
  const isBare = makesNoPage(request, headerPrefixes);
  const isRenamed = isRedirect(response.statusCode ?? 200) && (isBare || proxyRedirects === 'told');
  const left = Object.entries(headers).flatMap(
    ([name, value]): readonly (readonly [string, typeof value])[] => {
      const lower = name.toLowerCase();
      if (lower === 'refresh') return [];
      if (lower === 'location' && isRenamed) return [[reserved.nameOf('proxy-location'), value]];
      return !isBare || reserved.isReserved(lower) || mayStay(lower) ? [[name, value]] : [];
    },
  );
  return isBare
    ? { ...rest, headers: { ...Object.fromEntries(left), ...NO_PAGE } }
    : { ...rest, headers: Object.fromEntries(left), ...(cookies !== undefined && { cookies }) };
}
