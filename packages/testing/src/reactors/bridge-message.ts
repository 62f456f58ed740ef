import type { Image } from '../../../../src/core/reactors/layer.ts';
import type { RunnableCode } from '../aws/memory-lambda.ts';

/** The thread of a reactor and its vault send each other these messages. */

/** The thread of one run, at its start. */
export interface WorkerInput extends RunnableCode {
  /** The event that the runtime gets (docs/reactors.md#the-runtime). */
  readonly event: string;
  /** Its globals are those of this image. */
  readonly image: Image;
  /** The folder in which packages are looked for. */
  readonly folder: string;
}

/** A request that the code sends. */
export interface AskedRequest {
  readonly url: string;
  readonly method: string;
  /** Names and values alternate. */
  readonly headers: readonly string[];
  readonly body: Uint8Array;
}

export interface AskedResponse {
  readonly status: number;
  readonly headers: readonly string[];
  readonly body: Uint8Array;
}

export type FromWorker =
  /** A message as reactor-runtime/worker-message.ts describes it. */
  | { readonly said: string }
  | { readonly asked: AskedRequest; readonly id: number }
  | { readonly printed: string }
  /** A package that a reactor may require, and that the test has not installed. */
  | { readonly missing: string }
  /** Replies to `reach`. */
  | 'reached';

/**
 * The response to a request of the code, or why nothing can be reached there. `reach` asks for a
 * reply as soon as the event loop of the thread gets to it.
 */
export type ToWorker =
  | 'reach'
  | { readonly id: number; readonly response: AskedResponse }
  | { readonly id: number; readonly failure: string };
