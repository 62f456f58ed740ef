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
