import type { ApiRequest } from '../../src/http/api-request.ts';
import { hasProxyKey } from '../../src/http/read-proxy-key.ts';

type BrowserRequest = Pick<ApiRequest, 'headers' | 'rawQuery'>;

/** The words of a field, in lower case. Fields of one name are joined by commas. */
const words = (value: string): readonly string[] =>
  value
    .toLowerCase()
    .split(',')
    .map((word) => word.trim());

/**
 * Whether a browser sends a request for something else than the `fetch` of a script: for a page, a
 * frame, a picture, a script (Fetch Metadata Request Headers, W3C).
 */
export function isOfPage({ headers }: BrowserRequest): boolean {
  const { 'sec-fetch-mode': mode = '', 'sec-fetch-dest': destination = 'empty' } = headers;
  return words(mode).includes('navigate') || words(destination).some((word) => word !== 'empty');
}

/**
 * Whether the response must make no page: the address has the key, so that anyone makes a link of
 * it, or a browser asks for something that acts on the origin of the service.
 */
export const makesNoPage = (request: BrowserRequest, prefixes: readonly string[]): boolean =>
  isOfPage(request) || hasProxyKey(request.rawQuery, prefixes);

/** Every kind of worker: `serviceworker`, `sharedworker`, `audioworklet`, and those to come. */
const WORKER = /work(?:er|let)/;

/** Whether a browser asks for the script of a worker, which would act on later requests. */
export const isForWorker = ({ headers }: BrowserRequest): boolean =>
  headers['service-worker'] !== undefined || WORKER.test((headers['sec-fetch-dest'] ?? '').toLowerCase());

/**
 * Fields that describe the browser, and the encodings that it reads: the response has no field that
 * names one.
 */
const OF_BROWSER = ['cookie', 'referer', 'accept-encoding'];

/** The fields of such a request that a destination may get. */
export function withoutBrowserFields({ headers }: BrowserRequest): Readonly<Record<string, string>> {
  const dropped = isOfPage({ headers, rawQuery: '' }) ? [...OF_BROWSER, 'authorization'] : OF_BROWSER;
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !dropped.includes(name)));
}
