import type { AuditScope } from './audit-scope.ts';
import type { CallEffect, NamedToken } from './effect.ts';

type Call = (...args: readonly unknown[]) => unknown;
type Port = Readonly<Record<string, Call>>;

/** The effects that the calls of each port have, by the name of the dependency. */
export type EffectsByPort = Readonly<Record<string, Readonly<Record<string, CallEffect<never>>>>>;

/** Makes a call of a port for the scope of one request. */
type Audited = (scope: AuditScope) => Call;

/** The calls of a port that need no scope, and those that each request needs its own of. */
interface Wrapped {
  readonly plain: Port;
  readonly audited: readonly (readonly [name: string, call: Audited])[];
}

/** A call that records its effect first; `undefined` if it needs no record. */
function auditedCall(call: Call, effect: CallEffect<never>): Audited | undefined {
  if (effect === 'none') return undefined;
  if (effect === 'finds')
    return (scope) =>
      async (...args) => {
        const found = (await call(...args)) as NamedToken | readonly NamedToken[] | undefined;
        scope.found([found ?? []].flat());
        return found;
      };
  return (scope) =>
    async (...args) => {
      // The interface of the port has checked the arguments.
      await scope.ahead(effect(...(args as never)));
      return call(...args);
    };
}

function wrap(port: Port, effects: EffectsByPort[string]): Wrapped {
  const plain: Record<string, Call> = {};
  const audited: [string, Audited][] = [];
  for (const [name, effect] of Object.entries(effects)) {
    if (!(name in port)) continue;
    const call: Call = (...args) => (port[name] as Call).apply(port, [...args]);
    const withScope = auditedCall(call, effect);
    if (withScope === undefined) plain[name] = call;
    else audited.push([name, withScope]);
  }
  return { plain, audited };
}

/** Makes a port for one request, whose effects are recorded before they happen. */
function portFor(scope: AuditScope, { plain, audited }: Wrapped): Port {
  if (audited.length === 0) return plain;
  const port = { ...plain };
  for (const [name, call] of audited) port[name] = call(scope);
  return port;
}

/**
 * Returns a function that wraps the dependencies of one request, so that every effect of a port is
 * recorded before it happens. It passes on a dependency that the table does not have.
 */
export function createAuditedPorts(
  effectsByPort: EffectsByPort,
): (deps: object, scope: AuditScope) => Readonly<Record<string, unknown>> {
  // Ports are wrapped by the name of the dependency, since one object may be two of them.
  const ports = Object.entries(effectsByPort).map(([name, effects]) => ({
    name,
    effects,
    wrapped: new WeakMap<Port, Wrapped>(),
  }));
  return (deps, scope) => {
    const audited: Record<string, unknown> = { ...deps };
    for (const { name, effects, wrapped } of ports) {
      const port = audited[name] as Port | undefined;
      if (port === undefined) continue;
      const known = wrapped.get(port) ?? wrap(port, effects);
      wrapped.set(port, known);
      audited[name] = portFor(scope, known);
    }
    return audited;
  };
}
