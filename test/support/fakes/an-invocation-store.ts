import type { InvocationId, InvocationStore } from '../../../src/core/reactors/invocation-store.ts';
import type { Invocation } from '../../../src/core/reactors/invocation.ts';
import { at } from './by-tenant.ts';

/** The members that must be unchanged since the read for a write to succeed. */
const GUARDS = ['state', 'runner', 'sender', 'delivery', 'attempts', 'dueAt'] as const;

/** The contract of {@link InvocationStore} in memory; content has no end. */
export function anInvocationStore(
  invocations = new Map<string, Invocation>(),
  contents = new Map<string, Buffer>(),
): InvocationStore {
  const placeOf = ({ tenantId, id }: InvocationId) => at(tenantId, id);
  return {
    create(invocation) {
      const isNew = !invocations.has(placeOf(invocation));
      if (isNew) invocations.set(placeOf(invocation), invocation);
      return Promise.resolve(isNew);
    },
    find: (id) => Promise.resolve(invocations.get(placeOf(id))),
    update(previous, next) {
      const found = invocations.get(placeOf(previous));
      const isSame = found !== undefined && GUARDS.every((name) => found[name] === previous[name]);
      if (isSame) invocations.set(placeOf(next), next);
      return Promise.resolve(isSame);
    },
    remove(id) {
      for (const content of ['payload', 'result']) contents.delete(`${placeOf(id)}/${content}`);
      invocations.delete(placeOf(id));
      return Promise.resolve();
    },
    putContent: (id, content, encrypted) =>
      Promise.resolve(void contents.set(`${placeOf(id)}/${content}`, encrypted)),
    content: (id, content) => Promise.resolve(contents.get(`${placeOf(id)}/${content}`)),
    async *undelivered(state) {
      yield await Promise.resolve(
        [...invocations.values()]
          .filter(
            ({ delivery, attempts, sender }) =>
              delivery === state && attempts > (sender === undefined ? 0 : 1),
          )
          .toSorted((a, b) => a.dueAt - b.dueAt),
      );
    },
  };
}
