/**
 * A container: a path that names a logical grouping of tokens, such as `/pci/high/`. Starts and
 * ends with `/`, segments of up to 64 letters, digits, `_` and `-`, at most 8 levels, stored in
 * lower case (docs/contract.md#containers).
 */
export type Container = string;

const LEVELS = 8;
const FORM = /^\/(?:[a-z0-9_-]{1,64}\/)*$/i;

/** The stored form of a container path, or `undefined` if the text is not one. */
export function parseContainer(text: string): Container | undefined {
  return FORM.test(text) && text.split('/').length - 2 <= LEVELS ? text.toLowerCase() : undefined;
}

/** What a caller is told about a container path that is refused. */
export const CONTAINER_FORM =
  'must start and end with "/", with up to 8 segments of up to 64 letters, digits, "_" and "-"';

/** Whether `outer` is `inner` or one of its ancestors: `/pci/` covers `/pci/high/`, not `/pcix/`. */
export function covers(outer: Container, inner: Container): boolean {
  return inner.startsWith(outer);
}
