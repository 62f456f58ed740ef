import type { Image, LayerVersion, PresentLayer } from '../reactors/layer.ts';
import type { ReactorId } from '../reactors/reactor-functions.ts';
import type { StayReason } from '../reactors/reactor.ts';

/** The version of a reactor's function that is in force, and the hash of its code. */
export interface VersionInForce extends ReactorId {
  readonly functionVersion: string;
  readonly codeHash: string;
}

/**
 * Moves functions of reactors to another layer. It never has their code. Rejects with
 * `dependency_unavailable` if Lambda is down, or busy for too long.
 */
export interface LayerMover {
  /**
   * Sets the layer of the function of the service itself for its image, and returns whether all
   * packages of the layer load on it.
   */
  prove(layer: LayerVersion): Promise<boolean>;
  /**
   * Publishes the code in force on a layer, and returns the version, or why it does not. `live`
   * does not change. Nothing is published into a function with the tags of another reactor, or
   * whose latest code is not the code in force.
   */
  publish(
    inForce: VersionInForce,
    layer: LayerVersion,
  ): Promise<{ readonly functionVersion: string } | StayReason>;
  /** Points `live` at a version; `gone` if the function has no `live`. */
  pointLive(reactorId: string, functionVersion: string): Promise<'moved' | 'gone'>;
  /** Whether a version loads its code; no handler starts. `stale` if it has other code. */
  probe(version: VersionInForce): Promise<'loaded' | 'not_loaded' | 'stale'>;
}

/** Finds versions of the layer of an image; `undefined` if there is none. */
export interface LayerFinder {
  /** Finds the newest version with the content of the deployment. */
  present(layer: PresentLayer): Promise<LayerVersion | undefined>;
  generation(image: Image, number: number): Promise<LayerVersion | undefined>;
}
