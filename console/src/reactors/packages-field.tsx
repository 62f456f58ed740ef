import { useRef, useState } from 'preact/hooks';
import { counted } from '../counted.ts';
import { Button } from '../parts/button.tsx';
import { FileField } from '../parts/field.tsx';
import { Code, Text } from '../parts/text.tsx';
import { visibleText } from '../parts/visible-text.ts';
import type { ReactorRuntime } from '../sdk.ts';
import { readBundleFile, type EditedPackages } from './packages.ts';

/** The packages that code can require by name. */
export const DeclaredPackages = ({
  dependencies,
}: {
  readonly dependencies: NonNullable<ReactorRuntime['dependencies']>;
}) => (
  <ul class="plain">
    {Object.entries(dependencies).map(([name, version]) => (
      <li key={name}>
        <Code>{name}</Code> <Text>{version}</Text>
      </li>
    ))}
  </ul>
);

interface PackagesFieldProps {
  /** The reactor has these; it may have none. */
  readonly before: ReactorRuntime | undefined;
  readonly edited: EditedPackages;
  readonly onChange: (edited: EditedPackages) => void;
  readonly problem: string | undefined;
}

/** Shows the packages that the reactor will have. */
function State({ before, edited }: Pick<PackagesFieldProps, 'before' | 'edited'>) {
  if (edited === 'none') return <p>They are taken away when you save. Code that requires them fails then.</p>;
  if (edited !== 'same')
    return (
      <>
        <p>
          When you save, these of <Text>{edited.fileName}</Text>:
        </p>
        <DeclaredPackages dependencies={edited.dependencies} />
      </>
    );
  if (before?.dependencies === undefined)
    return <p>None: code can require the packages of its image alone.</p>;
  return <p>{counted(Object.keys(before.dependencies).length, 'package')}, listed above.</p>;
}

/** Puts packages of its own into a reactor, replaces them, or takes them away. */
export function PackagesField({ before, edited, onChange, problem }: PackagesFieldProps) {
  const [unread, setUnread] = useState<string | undefined>();
  const newest = useRef<File | undefined>(undefined);
  const read = async (file: File) => {
    newest.current = file;
    setUnread(undefined);
    try {
      const chosen = await readBundleFile(file);
      if (newest.current === file) onChange(chosen);
    } catch (error) {
      if (newest.current === file) setUnread(error instanceof Error ? error.message : 'It cannot be read.');
    }
  };
  const change = (next: EditedPackages) => {
    newest.current = undefined;
    setUnread(undefined);
    onChange(next);
  };
  const has = before?.dependencies !== undefined;
  const shown = unread ?? problem;
  return (
    <fieldset class="packages">
      <legend>Packages of its own</legend>
      <p class="field-hint">
        They run with the data that the code gets. The service cannot check that the text of a bundle is that
        of the packages that it names.
      </p>
      <State before={before} edited={edited} />
      <FileField
        label={has ? 'Replace them by a bundle' : 'Bundle'}
        accept=".json,application/json"
        onChoose={(file) => void read(file)}
        isChosen={typeof edited === 'object'}
        problem={shown === undefined ? undefined : visibleText(shown)}
        hint="A file that the command cloakroom reactor bundle made. Other packages stop stored proxies that run this code, until they are written again."
      />
      {edited === 'same' && has && (
        <Button look="quiet" onClick={() => change('none')}>
          Take them away
        </Button>
      )}
      {edited !== 'same' && (
        <Button look="quiet" onClick={() => change('same')}>
          {edited === 'none' ? 'Leave them' : 'Discard this file'}
        </Button>
      )}
    </fieldset>
  );
}
