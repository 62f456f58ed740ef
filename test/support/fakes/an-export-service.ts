import {
  CallFailed,
  type ExportedToken,
  type ExportService,
  type Self,
} from '../../../bin/export/service.ts';
import type { Grants } from '../../../src/core/access/access-rule.ts';
import type { JsonObject } from '../../../src/core/shared/json.ts';
import { formatTimestamp } from '../../../src/core/shared/timestamp.ts';

const START = Date.parse('2026-11-01T00:00:00Z');

/** They show every token in plaintext. */
export const REVEALING: Grants = {
  permissions: [],
  rules: [{ priority: 1, container: '/', transform: 'reveal', permissions: ['token:read'] }],
};

/** A token that was created `at` seconds after the first one. */
export function anExportedToken(at: number, members: JsonObject = {}): ExportedToken {
  const createdAt = START + at * 1_000;
  const body: JsonObject = {
    id: `token-${String(at)}`,
    type: 'token',
    data: `data ${String(at)}`,
    containers: ['/general/high/'],
    metadata: {},
    created_at: formatTimestamp(createdAt),
    ...members,
  };
  const { id, type, containers } = body as JsonObject & { id: string; type: string; containers: string[] };
  return { id, type, containers, createdAt, body };
}

/**
 * A service with pages of `pageSize` tokens. Cursors name a position, as those of the service do,
 * so a list may change between two pages.
 */
export function anExportService(
  initial: readonly ExportedToken[],
  { pageSize = 10, grants = REVEALING }: { readonly pageSize?: number; readonly grants?: Grants } = {},
) {
  let tokens = initial.toSorted((a, b) => b.createdAt - a.createdAt);
  let self: Self = { id: 'app', tenantId: 'tenant', name: 'Exporter', grants };
  /** Members that a page omits, by id. */
  const omitted = new Map<string, readonly string[]>();
  let pagesUntilFailure = Infinity;
  const listed = (token: ExportedToken): ExportedToken => {
    const names = omitted.get(token.id);
    if (names === undefined) return token;
    const shown = Object.entries(token.body).filter(([name]) => !names.includes(name));
    return { ...token, body: { ...Object.fromEntries(shown), _extras: { omitted: names } } };
  };
  const service: ExportService = {
    self: () => Promise.resolve(self),
    count: () => Promise.resolve({ tokens: tokens.length, isLowerBound: false }),
    page: (_filter, after) => {
      pagesUntilFailure -= 1;
      if (pagesUntilFailure < 0) return Promise.reject(new CallFailed(401, '401 Unauthorized'));
      const older = tokens.filter(({ createdAt }) => after === null || createdAt < Number(after));
      const page = older.slice(0, pageSize);
      const last = page.at(-1);
      const follows = older.length > page.length && last !== undefined;
      return Promise.resolve({
        tokens: page.map(listed),
        after: follows ? String(last.createdAt) : null,
      });
    },
    token: (id) => Promise.resolve(tokens.find((token) => token.id === id)),
  };
  return {
    service,
    self: () => self,
    add: (...more: readonly ExportedToken[]) => {
      tokens = [...tokens, ...more].toSorted((a, b) => b.createdAt - a.createdAt);
    },
    remove: (id: string) => {
      tokens = tokens.filter((token) => token.id !== id);
    },
    omit: (id: string, names: readonly string[]) => {
      omitted.set(id, names);
    },
    grant: (next: Grants) => {
      self = { ...self, grants: next };
    },
    /** The key is refused after so many further pages. */
    refuseAfter: (pages: number) => {
      pagesUntilFailure = pages;
    },
  };
}
