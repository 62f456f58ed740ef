import type { Stack } from '../assembly/read-assembly.ts';
import type { Finding } from './finding.ts';
import {
  addressFindings,
  changesOf,
  findingOf,
  physicalNameOf,
  tableFindings,
  versionFindings,
  type ResourceChange,
} from './resource-changes.ts';
import { exportsOf, outputName, readsOf, type StackRead } from './stack-reads.ts';

/** Resources that exist in the account while the stacks are deployed one after the other. */
interface Account {
  readonly stacks: Map<string, Stack>;
  /** `type name` of retained resources that belong to no stack any more. */
  readonly leftBehind: Set<string>;
}

/** Readers for which an old value is harmless: an alarm or a graph of something that is gone. */
const WATCHERS = ['AWS::CloudWatch::Alarm', 'AWS::CloudWatch::Dashboard', 'AWS::Events::Rule'];

const namesOf = (reads: readonly StackRead[], by: StackRead['by']): readonly string[] =>
  reads.filter((read) => read.by === by).map(({ name }) => name);

/** Stacks of the account, other than this one, that read a value by a name. */
function readersOf(account: Account, own: string, by: StackRead['by'], name: string): readonly Stack[] {
  return [...account.stacks.values()].filter(
    (stack) => stack.name !== own && namesOf(readsOf(stack), by).includes(name),
  );
}

/** Values of other stacks that this one reads and that nothing has produced yet. */
function missingReads(account: Account, stack: Stack): readonly Finding[] {
  const others = [...account.stacks.values()].filter(({ name }) => name !== stack.name);
  const produced = new Set([
    ...others.flatMap((other) => [...exportsOf(other).keys()]),
    ...others.flatMap((other) =>
      Object.keys(other.template.Outputs).map((output) => outputName(other.name, output)),
    ),
  ]);
  return [...new Set(readsOf(stack).map(({ name }) => name))]
    .filter((name) => !produced.has(name))
    .map((subject) => ({
      kind: 'refused',
      stack: stack.name,
      subject,
      what: 'No stack that is deployed has this value.',
      remedy: 'Deploy the stack that has it first: a stack depends on those whose values it reads.',
    }));
}

/** Exports that vanish or change while another stack imports them. */
function exportFindings(account: Account, old: Stack, next: Stack): readonly Finding[] {
  const remaining = exportsOf(next);
  return [...exportsOf(old)].flatMap(([subject, value]): readonly Finding[] => {
    const users = readersOf(account, next.name, 'export', subject).map(({ name }) => name);
    if (users.length === 0 || remaining.get(subject) === value) return [];
    const verb = remaining.has(subject) ? 'updated' : 'deleted';
    return [
      {
        kind: 'refused',
        stack: next.name,
        subject,
        what: `Export ${subject} cannot be ${verb} as it is in use by ${users.join(' and ')}.`,
        remedy: `Keep the export for one release (Stack.exportValue), or deploy ${users.join(' and ')} first: npx cdk deploy -e ${users.join(' ')}.`,
      },
    ];
  });
}

/** Outputs that vanish while a stack whose update is yet to come reads them. */
function outputFindings(account: Account, old: Stack, next: Stack): readonly Finding[] {
  return Object.keys(old.template.Outputs)
    .filter((output) => !(output in next.template.Outputs))
    .flatMap((output) =>
      readersOf(account, next.name, 'output', outputName(next.name, output)).map((reader): Finding => ({
        kind: 'rollback_fails',
        stack: next.name,
        subject: output,
        what: `${reader.name} reads it. If the update of ${reader.name} fails, CloudFormation cannot find the value again.`,
        remedy: 'Keep the output for one release (CfnOutput).',
      })),
    );
}

/** Whether a value contains a reference to a resource. */
const refersTo = (value: unknown, logicalId: string): boolean =>
  JSON.stringify(value).includes(`"${logicalId}"`);

/** Other stacks that use a resource which this update deletes or replaces. */
function interruptions(
  account: Account,
  old: Stack,
  { logicalId, kind }: ResourceChange,
): readonly Finding[] {
  if (kind === 'created') return [];
  const outputs = Object.entries(old.template.Outputs)
    .filter(([, { Value }]) => refersTo(Value, logicalId))
    .map(([output]) => outputName(old.name, output));
  return [...account.stacks.values()]
    .filter((stack) => stack.name !== old.name)
    .flatMap((stack): readonly Finding[] => {
      const users = readsOf(stack).filter(
        ({ name, reader }) =>
          outputs.includes(name) && !WATCHERS.includes(stack.template.Resources[reader]?.Type ?? ''),
      );
      if (users.length === 0) return [];
      return [
        {
          kind: 'interrupted',
          stack: old.name,
          subject: logicalId,
          what: `${stack.name} uses it until its own update, which follows only if its template changes.`,
          remedy: 'Keep the resource for one release, and remove it in the next one.',
        },
      ];
    });
}

/** Names that exist already: CloudFormation creates before it deletes. */
function nameFindings(account: Account, next: Stack, created: readonly string[]): readonly Finding[] {
  const taken = new Set(
    [...account.stacks.values()].flatMap(({ template }) =>
      Object.values(template.Resources).flatMap((resource) => physicalNameOf(resource) ?? []),
    ),
  );
  return created.flatMap((subject): readonly Finding[] => {
    const name = physicalNameOf(next.template.Resources[subject]);
    if (name === undefined) return [];
    const what = `${name} already exists.`;
    const about = { kind: 'refused', stack: next.name, subject, what } as const;
    if (taken.has(name))
      return [{ ...about, remedy: 'Keep its logical id, or move it to this one: npx cdk refactor.' }];
    if (account.leftBehind.has(name))
      return [{ ...about, remedy: 'Adopt it: npx cdk deploy --import-existing-resources.' }];
    return [];
  });
}

function update(account: Account, old: Stack, next: Stack): readonly Finding[] {
  const changes = changesOf(old, next);
  const findings = [
    ...exportFindings(account, old, next),
    ...outputFindings(account, old, next),
    ...changes.flatMap((change) => findingOf(next.name, change) ?? []),
    ...changes.flatMap((change) => interruptions(account, old, change)),
    ...tableFindings(old, next),
    ...addressFindings(old, next),
    ...versionFindings(old, next, changes),
    ...nameFindings(
      account,
      next,
      changes.filter(({ kind }) => kind === 'created').map(({ logicalId }) => logicalId),
    ),
  ];
  const leftHere = findings.filter(({ kind }) => kind === 'left_behind');
  for (const { subject } of leftHere) {
    const name = physicalNameOf(old.template.Resources[subject]);
    if (name !== undefined) account.leftBehind.add(name);
  }
  return findings;
}

/**
 * Plays a deployment by the rules of CloudFormation: the stacks one after the other, in the order
 * of the assembly, over the deployed ones. Stacks that only exist in the account stay as they are.
 * `leftBehind` has the physical names of earlier findings of that kind, as `type "name"`.
 */
export function playDeployment(
  deployed: readonly Stack[],
  next: readonly Stack[],
  leftBehind: Iterable<string> = [],
): readonly Finding[] {
  const account: Account = {
    stacks: new Map(deployed.map((stack) => [stack.name, stack])),
    leftBehind: new Set(leftBehind),
  };
  return next.flatMap((stack) => {
    const old = account.stacks.get(stack.name);
    const findings = [
      ...missingReads(account, stack),
      ...(old === undefined
        ? nameFindings(account, stack, Object.keys(stack.template.Resources))
        : update(account, old, stack)),
    ];
    account.stacks.set(stack.name, stack);
    return findings;
  });
}
