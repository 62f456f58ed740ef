import type { InvocationId, InvocationStore } from '../../../src/core/reactors/invocation-store.ts';
import { positionOf, type Invocation } from '../../../src/core/reactors/invocation.ts';
import { at } from './by-tenant.ts';

/** The members that must be unchanged since the read for a write to succeed. */
const GUARDS = ['state', 'runner', 'sender', 'delivery', 'attempts', 'dueAt'] as const;

/** The contract of {@link InvocationStore} in memory; content has no end. */
export function anInvocationStore(
  invocations = new Map<string, Invocation>(),
  contents = new Map<string, Buffer>(),
): InvocationStore {
  const placeOf = ({ tenantId, id }: InvocationId) => at(tenantId, id);
  function update(previous: Invocation, next: Invocation): Promise<boolean> {
    const found = invocations.get(placeOf(previous));
    const isSame = found !== undefined && GUARDS.every((name) => found[name] === previous[name]);
    if (isSame) invocations.set(placeOf(next), next);
    return Promise.resolve(isSame);
  }
  return {
    create(invocation) {
      const isNew = !invocations.has(placeOf(invocation));
      if (isNew) invocations.set(placeOf(invocation), invocation);
      return Promise.resolve(isNew);
    },
    find: (id) => Promise.resolve(invocations.get(placeOf(id))),
    update,
    resend: update,
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
    async *parked({ tenantId, reactorId }, after = '', size) {
      const found = [...invocations.values()]
        .filter((each) => each.tenantId === tenantId && each.reactorId === reactorId)
        .filter(
          (each) => (each.delivery === 'parked' || each.delivery === 'forbidden') && positionOf(each) > after,
        )
        .toSorted((a, b) => (positionOf(a) < positionOf(b) ? -1 : 1));
      for (let from = 0; from < found.length; from += size)
        yield await Promise.resolve(found.slice(from, from + size));
    },
  };
}
