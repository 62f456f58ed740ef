/** Matches the heading of a version. */
const headingOf = (version: string) =>
  new RegExp(`^## \\[${version.replaceAll('.', '\\.')}\\] - (\\d{4}-\\d{2}-\\d{2})$`, 'm');

const UNRELEASED = /^## \[Unreleased\]$/m;

/** Whether "Unreleased" would become the second entry of this version. */
export const hasTwoEntries = (changelog: string, version: string): boolean =>
  headingOf(version).test(changelog) && UNRELEASED.test(changelog);

/** Gives the version its date, and puts the entries of "Unreleased" below it. */
export function datedEntry(changelog: string, version: string, date: string): string {
  const heading = `## [${version}] - ${date}`;
  const own = headingOf(version);
  if (own.test(changelog)) return changelog.replace(own, heading);
  if (UNRELEASED.test(changelog)) return changelog.replace(UNRELEASED, heading);
  const section = `${heading}\n\nNothing in this package changed.\n\n`;
  return changelog.replace(/^(?=## \[)/m, section);
}

/** The text below the heading of a version; `undefined` if there is no such heading. */
export function entryOf(
  changelog: string,
  version: string,
): { readonly date: string; readonly text: string } | undefined {
  const heading = headingOf(version).exec(changelog);
  if (heading === null) return undefined;
  const below = changelog.slice(heading.index + heading[0].length);
  const end = below.search(/^## /m);
  return { date: heading[1] ?? '', text: (end === -1 ? below : below.slice(0, end)).trim() };
}

/**
 * Makes notes of the entry. Links lead into the repository at `address`, and each paragraph is one
 * line, because GitHub shows each end of a line.
 */
export const notesOf = (entry: string, address: string): string => {
  const lines = entry.replaceAll(/(?<=\S)\n *(?=[^\s#|>-])/g, ' ');
  return `${lines.replaceAll(/\]\((?![a-z]+:|#)([^)]+)\)/g, (_link, path: string) => `](${address}/${path})`)}\n`;
};
