/**
 * A container: a path that names a logical grouping of tokens, such as `/pci/high/`. Starts and
 * ends with `/`, segments of up to 64 letters, digits, `_` and `-`, at most 8 levels, stored in
 * lower case (docs/contract.md#containers).
 */
export type Container = string;

/** Levels of a container, and the length of each in characters. */
export const CONTAINER_LIMITS = { levels: 8, segment: 64 } as const;

const FORM = new RegExp(`^/(?:[a-z0-9_-]{1,${String(CONTAINER_LIMITS.segment)}}/)*$`, 'i');

/** The stored form of a container path, or `undefined` if the text is not one. */
export function parseContainer(text: string): Container | undefined {
  return FORM.test(text) && text.split('/').length - 2 <= CONTAINER_LIMITS.levels
    ? text.toLowerCase()
    : undefined;
}

/** What a caller is told about a container path that is refused. */
export const CONTAINER_FORM = `must start and end with "/", with up to ${String(CONTAINER_LIMITS.levels)} segments of up to ${String(CONTAINER_LIMITS.segment)} letters, digits, "_" and "-"`;

/**
 * Whether `outer` is `inner` or one of its ancestors: `/pci/` covers `/pci/high/`, not `/pcix/`.
 */
export function covers(outer: Container, inner: Container): boolean {
  return inner.startsWith(outer);
}
