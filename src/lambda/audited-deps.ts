import { createAuditedPorts } from '../core/audit/audited-ports.ts';
import type { AuditScope, Sightings } from '../core/audit/audit-scope.ts';
import { PORT_EFFECTS } from './port-effects.ts';

type Ports = typeof PORT_EFFECTS;

/** Dependencies that do not leave the process, or that reach nothing that a request changes. */
type Plain =
  | 'auditLog'
  | 'checkCursor'
  | 'clientCompatibility'
  | 'clock'
  | 'worldClock'
  | 'coldReactors'
  | 'cvcLifetimeMs'
  | 'docsUrl'
  | 'edgeSecret'
  | 'egressAllowList'
  | 'headerPrefixes'
  | 'hotConcurrency'
  | 'hotInstances'
  | 'images'
  | 'indexPages'
  | 'indexReader'
  | 'recordsAt'
  | 'keyRotationMs'
  | 'log'
  | 'newId'
  | 'onAuditChecked'
  | 'oldestDue'
  | 'onCold'
  | 'onFailure'
  | 'onManagementKeyCreated'
  | 'onReleased'
  | 'onRetiredKeyUsed'
  | 'onSecretGuessed'
  | 'onSecretsForgotten'
  | 'onSent'
  | 'onDataProtection'
  | 'onTrailProtection'
  | 'outdatedReactors'
  | 'parkedDeliveries'
  | 'pause'
  | 'parseTokenInput'
  | 'presentFailure'
  | 'presentLayers'
  | 'presentResult'
  | 'proxyRedirects'
  | 'publicUrl'
  | 'random'
  | 'reactorPackages'
  | 'reactorsPerTenant'
  | 'referredIds'
  | 'sealHead'
  | 'sealPublicKey'
  | 'sealReader'
  | 'startTimer'
  | 'trailPages'
  | 'dataProtection'
  | 'trailProtection'
  | 'trailReader'
  | 'waiting'
  | 'writeLog';

/** Dependencies before they serve a request. `audit` is added for each request. */
export type Unaudited<Deps> = Omit<Deps, 'audit'>;

/** The calls of a port, also of one that may be absent, and of each of several alternatives. */
type CallsOf<Port> = Port extends undefined ? never : keyof Port;

/** Names of dependencies that no table classifies, or that have a call that none classifies. */
type Unclassified<Deps> = {
  [Name in keyof Deps]: Name extends keyof Ports
    ? CallsOf<Deps[Name]> extends keyof Ports[Name]
      ? never
      : Name
    : Name extends Plain | 'audit'
      ? never
      : Name;
}[keyof Deps];

/** Compiles only if each dependency is in `PORT_EFFECTS` with all of its calls, or in `Plain`. */
export type Classified<Deps> = { readonly [Name in Unclassified<Deps>]: never };

const auditedPorts = createAuditedPorts(PORT_EFFECTS);

/**
 * The dependencies for one request. Every effect of a port is recorded before it happens, and
 * `audit` receives the tokens that are shown.
 */
export function auditedDeps<Deps extends { readonly audit: Sightings }>(
  deps: Unaudited<Deps> & Classified<Unaudited<Deps>>,
  scope: AuditScope,
): Deps {
  const audited: object = { ...auditedPorts(deps, scope), audit: scope };
  // TypeScript cannot see that the unaudited part of a generic type, with `audit`, is the whole.
  return audited as Deps;
}
