import type { RunReactor, Transform } from './stored-proxy.ts';

/** A reactor transform as a request has it: without a hash, it means the code of now. */
export type DraftReactor = Omit<RunReactor, 'codeHash'> & { readonly codeHash?: string };

/** The same as transforms of a side that a request has. */
export type Draft<Any> = Exclude<Any, RunReactor> | DraftReactor;

/** A transform as a request has it, whose shape is checked. */
export type DraftTransform = Draft<Transform>;
