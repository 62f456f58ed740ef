/**
 * A path that names a logical group of tokens, such as `/pci/high/`, in lower case
 * (docs/contract.md#containers).
 */
export type Container = string;

/** Most levels that a container may have, and the maximum length of each in characters. */
export const CONTAINER_LIMITS = { levels: 8, segment: 64 } as const;

const FORM = new RegExp(`^/(?:[a-z0-9_-]{1,${String(CONTAINER_LIMITS.segment)}}/)*$`, 'i');

/** The stored form of a container path, or `undefined` if the text is not one. */
export function parseContainer(text: string): Container | undefined {
  return FORM.test(text) && text.split('/').length - 2 <= CONTAINER_LIMITS.levels
    ? text.toLowerCase()
    : undefined;
}

/** The error message for a text that is not a container. */
export const CONTAINER_FORM = `must start and end with "/", with up to ${String(CONTAINER_LIMITS.levels)} segments of up to ${String(CONTAINER_LIMITS.segment)} letters, digits, "_" and "-"`;

/**
 * Whether `outer` is `inner` or one of its ancestors: `/pci/` covers `/pci/high/`, not `/pcix/`.
 */
export function covers(outer: Container, inner: Container): boolean {
  return inner.startsWith(outer);
}
