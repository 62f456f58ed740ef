import type { PortEffects } from '../audit/effect.ts';
import { reactorEffect } from './reactor-effect.ts';
import type { Secret } from '../shared/secret.ts';
import type { PackageBundle } from './package-bundle.ts';
import type { MadeVersion, ReactorRecord } from './reactor.ts';

/** A reactor, by which its function is found. Tags of the function have both ids. */
export type ReactorId = Pick<ReactorRecord, 'tenantId' | 'id'>;

/** The function of a reactor runs this. */
export interface ReactorArchive {
  readonly code: Secret<string>;
  /** It is absent for a reactor without packages of its own. */
  readonly packages?: Secret<PackageBundle>;
}

/** A reactor whose function is made: its image decides the layer. */
export type ReactorToMake = ReactorId & Pick<ReactorRecord, 'image'>;

/**
 * Repairs functions of reactors. Every call may be repeated: it is no error that something exists
 * or is missing already. Rejects with `dependency_unavailable` if Lambda is down, or busy for too
 * long.
 */
export interface ReactorRepairs {
  /**
   * Points `live` at a version. Returns `made` if there was no `live`, and `gone` if the version or
   * the function does not exist.
   */
  pointLive(reactorId: string, version: string): Promise<'moved' | 'made' | 'gone'>;
  /** Removes all versions except this one. */
  removeOtherVersions(reactorId: string, version: string): Promise<void>;
  remove(reactorId: string): Promise<void>;
}

/**
 * Creates functions and new versions of them, on the layer that this deployment has for the image.
 * Rejects if a function's tags are those of another reactor.
 */
export interface ReactorFunctions extends ReactorRepairs {
  /** Creates the function of a reactor, with `live`; returns its version once it can run. */
  create(reactor: ReactorToMake, archive: ReactorArchive): Promise<MadeVersion>;
  /**
   * Creates a version with other code and returns it once it can run. If the function does not
   * exist, creates the function. `live` does not change.
   */
  publish(reactor: ReactorToMake, archive: ReactorArchive): Promise<MadeVersion>;
  /** Whether `live` points at this version, and it runs on the present layer of the image. */
  isCurrent(reactor: Pick<ReactorToMake, 'id' | 'image'>, version: string): Promise<boolean>;
}

export const REACTOR_FUNCTIONS_EFFECTS: PortEffects<ReactorFunctions> = {
  create: ({ id }) => reactorEffect(id),
  publish: ({ id }) => reactorEffect(id),
  pointLive: (id) => reactorEffect(id),
  removeOtherVersions: (id) => reactorEffect(id),
  remove: (id) => reactorEffect(id),
  isCurrent: 'none',
};
