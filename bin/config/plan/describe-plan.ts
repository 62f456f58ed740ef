import { printable, show } from '../../command-line/show.ts';
import type {
  Difference,
  Gives,
  KeyTarget,
  Plan,
  PlannedAccess,
  PlannedEffect,
  PlannedKey,
  PlannedResource,
} from '../model.ts';
import { hasDifference, hasDifferences, isKeyDifference, placesThatGiveMore } from './outcome.ts';

const MORE = 'gives more';
/** The whole line, and the part of it before {@link MORE}. */
const WIDTH = 100;
const TEXT_WIDTH = WIDTH - MORE.length - 2;
const INDENT = 4;

/** Cuts a text into lines, between words where it can. It is printable already. */
function wrapped(text: string, width: number): readonly string[] {
  const lines: string[] = [];
  let rest = Array.from(text);
  while (rest.length > width) {
    const space = rest.slice(0, width + 1).lastIndexOf(' ');
    const at = space > width / 2 ? space : width;
    lines.push(rest.slice(0, at).join(''));
    rest = rest.slice(rest[at] === ' ' ? at + 1 : at);
  }
  return [...lines, rest.join('')];
}

/** Lines of one text, the first one with a mark on the right if it gives more. */
function row(
  text: string,
  { indent, gives }: { readonly indent: number; readonly gives?: Gives },
): readonly string[] {
  const isMore = gives === 'more';
  const [first = '', ...others] = wrapped(printable(text), TEXT_WIDTH - indent - INDENT);
  const line = `${' '.repeat(indent)}${first}`;
  return [
    isMore ? `${line.padEnd(TEXT_WIDTH)}  ${MORE}` : line,
    ...others.map((each) => `${' '.repeat(indent + INDENT)}${each}`),
  ];
}

const wordsOfAccess = ({ shown, through }: PlannedAccess): string =>
  through === undefined ? shown : `${shown}, through ${through.join(', ')}`;

/** Aligns the columns of a block: each row has the same number of cells. */
function aligned(rows: readonly { readonly cells: readonly string[]; readonly gives: Gives }[]) {
  const widths = (rows[0]?.cells ?? []).map((_, column) =>
    Math.max(...rows.map(({ cells }) => printable(cells[column] ?? '').length)),
  );
  return rows.flatMap(({ cells, gives }) => {
    const text = cells.map((cell, column) => printable(cell).padEnd(widths[column] ?? 0)).join('  ');
    return row(text.trimEnd(), { indent: INDENT, gives });
  });
}

const cellsOfEffect = ({ container, permission, before, after, gives }: PlannedEffect) => ({
  cells: [container ?? 'without a token', permission, `${wordsOfAccess(before)} -> ${wordsOfAccess(after)}`],
  gives,
});

const cellsOfDifference = ({ path, words, gives }: Difference) => ({ cells: [path, words], gives });

const wordsOfTarget = ({ kind, name }: KeyTarget): string => `${kind}:${name}`;

const STEPS: Readonly<Record<PlannedKey['step'], string>> = {
  create: 'is created',
  replace: 'is replaced',
  change: 'changes',
  delete: 'is deleted',
  none: 'is as in the file',
  unknown: 'is unknown',
};

function linesOfKey(key: PlannedKey): readonly string[] {
  const { step, name, id, title: living, to, replaces, differences, gives } = key;
  const target = to === undefined ? '' : `, to ${wordsOfTarget(to)}`;
  const gone = replaces.length === 0 ? '' : `, and ${replaces.map((each) => each.id).join(', ')} is deleted`;
  const title = `key ${name ?? id ?? ''} ${STEPS[step]}${step === 'delete' ? '' : target}${gone}`;
  // A new key gives more as a whole.
  const members = step === 'change' ? differences : differences.filter(({ path }) => path !== 'name');
  return [
    ...row(title, { indent: INDENT, gives }),
    // Who may create keys can give one this name.
    ...(living === undefined
      ? []
      : row(`its target cannot be read; it may be ${living}, if that is in the target`, {
          indent: 2 * INDENT,
        })),
    ...members.flatMap(({ path, words }) => row(`${path}  ${words}`, { indent: 2 * INDENT })),
  ];
}

const MARKS: Readonly<Record<PlannedResource['action'], string>> = {
  create: '+',
  update: '~',
  adopt: '~',
  rename: '~',
  delete: '-',
  none: ' ',
};

function titleOf({ action, address, from, id, keys }: PlannedResource): string {
  const mark = action === 'none' && keys.some(isKeyDifference) ? '~' : MARKS[action];
  const how = action === 'adopt' ? `  adopts ${id ?? ''}` : action === 'rename' ? `  was ${from ?? ''}` : '';
  return `${mark} ${address}${how}`;
}

const notesOf = (notes: readonly string[], indent: number): readonly string[] =>
  notes.flatMap((note) => row(`note: ${note}`, { indent }));

function linesOfResource(resource: PlannedResource): readonly string[] {
  const { differences, effects, keys, notes, action } = resource;
  const shownKeys = keys.filter(({ step }) => step !== 'none');
  if (!hasDifference(resource) && notes.length === 0 && shownKeys.length === 0) return [];
  return [
    ...row(titleOf(resource), { indent: 0, ...(action === 'create' && { gives: 'more' as const }) }),
    ...aligned(differences.map(cellsOfDifference)),
    ...aligned(effects.map(cellsOfEffect)),
    ...shownKeys.flatMap(linesOfKey),
    ...notesOf(notes, INDENT),
  ];
}

function linesOfTenant({ tenant: { action, differences } }: Plan): readonly string[] {
  return action === 'none' ? [] : ['~ tenant', ...aligned(differences.map(cellsOfDifference))];
}

const CHANGES: readonly PlannedResource['action'][] = ['update', 'adopt', 'rename', 'none'];

function summaryOf(plan: Plan): string {
  const count = (isCounted: (resource: PlannedResource) => boolean) =>
    plan.resources.filter(isCounted).length;
  const changed =
    count((each) => CHANGES.includes(each.action) && hasDifference(each)) +
    (plan.tenant.action === 'update' ? 1 : 0);
  const places = placesThatGiveMore(plan);
  const counts = [
    `${String(count(({ action }) => action === 'create'))} to create`,
    `${String(changed)} to change`,
    `${String(count(({ action }) => action === 'delete'))} to remove`,
  ];
  return `${counts.join(', ')}; ${String(places)} ${places === 1 ? 'place gives' : 'places give'} more`;
}

/** A plan for people: at most 100 columns, and nothing that a terminal acts on. */
export function describePlan(plan: Plan): string {
  const lines = [
    ...linesOfTenant(plan),
    ...plan.resources.flatMap(linesOfResource),
    ...notesOf(plan.notes, 0),
    hasDifferences(plan) ? summaryOf(plan) : 'the tenant is as the file says',
    ...(plan.lockout === undefined ? [] : row(`lockout: ${plan.lockout}`, { indent: 0 })),
    ...plan.problems.flatMap(({ address, words }) =>
      row(`problem: ${address === undefined ? '' : `${address}: `}${words}`, { indent: 0 }),
    ),
  ];
  return lines.map((line) => `${line}\n`).join('');
}

/** Shows a plan to programs, as one line of JSON. */
export const planAsJson = (plan: Plan): string => show({ ...plan }, true);
