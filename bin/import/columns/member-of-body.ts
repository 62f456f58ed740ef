import { TOKEN_TYPE_NAMES, tokenType } from '../../../src/core/tokens/token-type.ts';

/** Members of the data of all types. */
const KNOWN: ReadonlySet<string> = new Set(
  TOKEN_TYPE_NAMES.flatMap((name) => tokenType(name).dataMembers ?? []),
);

/**
 * A member of a body, as a message shows it: `data.number`, and `metadata` alone. A file names
 * what is in metadata, masks and other data itself, and such a name may be a value.
 */
export function memberOfBody(path: string): string {
  const [member = '', name] = path.replaceAll(/\[\d+\]/g, '').split('.');
  if (!/^[a-z_]{1,40}$/.test(member)) return 'a member';
  return member === 'data' && name !== undefined && KNOWN.has(name) ? `${member}.${name}` : member;
}
