import { entryOf, hasTwoEntries } from './changelog.ts';

/** A release is made from this. Commits are their digests. */
export interface ReleaseState {
  readonly version: string;
  /** Each key is the file of a text. */
  readonly changelogs: ReadonlyMap<string, string>;
  /** The files that differ from the commit, as `git status --porcelain` prints them. */
  readonly changed: readonly string[];
  readonly branch: string;
  readonly head: string;
  /** The commit that the tag of the version names. */
  readonly tagged: string | undefined;
  /** Whether `main` of the origin contains the commit. A workflow has no other branch. */
  readonly isOnMain: boolean;
  /** Has the form YYYY-MM-DD, in UTC. */
  readonly today: string;
}

function commitProblem({ version, changed, branch, head, tagged, isOnMain }: ReleaseState) {
  if (changed.length > 0)
    return `The working tree differs from its commit (${changed.slice(0, 3).join(', ')}): commit or remove that`;
  if (branch !== '' && branch !== 'main') return `A release is made from main, and this is ${branch}`;
  if (tagged !== undefined && tagged !== head)
    return `v${version} is the tag of another commit: run npm run build -- version with the next version`;
  // A workflow has the commit of a tag without a branch.
  if (branch === '' && !(tagged === head && isOnMain))
    return `A release is made from main, and this is a commit that main lacks, or that v${version} does not name`;
  return undefined;
}

function changelogProblem(file: string, text: string, { version, tagged, today }: ReleaseState) {
  const remedy = `run npm run build -- version ${version}, and commit`;
  const entry = entryOf(text, version);
  if (entry === undefined) return `${file} has no entry of ${version}: ${remedy}`;
  if (hasTwoEntries(text, version))
    return `${file} has "Unreleased" beside ${version}: make one entry of both`;
  // The tag may be older than the run of its workflow.
  if (tagged === undefined && entry.date !== today)
    return `${file} dates ${version} ${entry.date}, and today is ${today}: ${remedy}`;
  return undefined;
}

/** Says why no release can be made, and what to do; `undefined` if one can. */
export function releaseProblem(state: ReleaseState): string | undefined {
  const problem = commitProblem(state);
  if (problem !== undefined) return problem;
  const problems = [...state.changelogs].map(([file, text]) => changelogProblem(file, text, state));
  return problems.find((each) => each !== undefined);
}
