import type { TokenType } from './definition.ts';

/** Accepts any JSON except `null`. */
export const anyJson = {
  name: 'token',
  check(data, report) {
    if (data === null) report('data', 'must not be null');
    return data;
  },
  containers: ['/general/high/'],
  mask: null,
  fingerprintExpression: '{{ data | stringify }}',
  searchIndexes: [],
  identifying: 'unknown',
} as const satisfies TokenType;
