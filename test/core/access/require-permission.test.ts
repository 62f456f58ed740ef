import { requireAccess, requirePermission } from '../../../src/core/access/require-permission.ts';
import type { Caller } from '../../../src/core/access/caller.ts';
import { aCaller } from '../../support/builders/a-caller.ts';

const refusal = (act: () => unknown): string => {
  try {
    act();
  } catch (error) {
    return (error as Error).message;
  }
  return 'nothing was thrown';
};

describe('the error for a missing permission', () => {
  it.each([
    [
      'token:read',
      { type: 'management' },
      'A management application cannot hold it: use the key of a private application.',
    ],
    [
      'application:read',
      { type: 'private' },
      'A private application cannot hold it: use the key of a management application.',
    ],
    ['token:read', { type: 'private', actsBy: 'own_key' }, 'This application was not granted it.'],
    [
      'token:read',
      { type: 'private', actsBy: 'invocation' },
      "The reactor's application was not granted it.",
    ],
    ['token:create', { type: 'private', actsBy: 'reactor' }, 'The invoking application was not granted it.'],
    ['token:create', { type: 'session', actsBy: 'reactor' }, 'This session was not granted it.'],
    ['token:read', { type: 'session', actsBy: 'session' }, 'This session was not granted it.'],
  ] as const)(
    'the error for the missing permission %s of %j names who could have it',
    (permission, who, words) => {
      const caller: Caller = aCaller({ ...who, permissions: [], rules: [] });
      expect(refusal(() => requirePermission(caller, permission))).toBe(
        `The permission ${permission} is required. ${words}`,
      );
    },
  );

  it('names nothing of the token if no rule covers that token', () => {
    const rules = [
      { priority: 1, container: '/a/', transform: 'mask', permissions: ['token:read'] },
    ] as const;
    const caller = aCaller({ type: 'private', permissions: [], rules: [...rules] });
    expect(refusal(() => requireAccess(caller, 'token:read', { id: 'x', containers: ['/secret/'] }))).toBe(
      'The permission token:read is required. No rule of the caller covers every container of the token.',
    );
  });
});
