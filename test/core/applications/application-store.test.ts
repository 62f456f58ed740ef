import type { Effect } from '../../../src/core/audit/effect.ts';
import { APPLICATION_STORE_EFFECTS } from '../../../src/core/applications/application-store.ts';
import { aKey, anApplication } from '../../support/builders/an-application.ts';

describe('a change of an application', () => {
  const application = anApplication({ permissions: ['token:read', 'token:create'], rules: [] });

  it('is recorded by the names of members and of permissions granted or withdrawn', () => {
    const rule = {
      description: 'x',
      priority: 1,
      container: '/',
      transform: 'mask',
      permissions: ['token:use'],
    } as const;
    const next = { ...application, name: 'another', permissions: ['token:create'] as const, rules: [rule] };
    expect(APPLICATION_STORE_EFFECTS.update).toBeInstanceOf(Function);
    const effect = (APPLICATION_STORE_EFFECTS.update as (...args: unknown[]) => Effect)(application, next);
    expect(effect).toEqual({
      resource: `application:${application.id}`,
      change: {
        members: ['name', 'permissions', 'rules'],
        granted: ['token:use'],
        withdrawn: ['token:read'],
      },
    });
  });

  it('is recorded by the id of each key that is added, changed or removed', () => {
    const same = aKey();
    const named = aKey();
    const removed = aKey();
    const added = aKey();
    const previous = { ...application, keys: [same, named, removed] };
    const next = { ...application, keys: [same, { ...named, name: 'x' }, added] };
    const effect = (APPLICATION_STORE_EFFECTS.update as (...args: unknown[]) => Effect)(previous, next);
    expect(effect.change).toEqual({
      members: [`keys.${named.id}.name`, `keys.${removed.id}`, `keys.${added.id}`],
    });
  });
});
