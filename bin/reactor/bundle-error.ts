/** The code cannot be bundled. Each line of the message names a place and what helps. */
export class BundleError extends Error {}
