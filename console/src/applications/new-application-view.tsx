import { useState } from 'preact/hooks';
import { Button } from '../parts/button.tsx';
import { Choice, TextField } from '../parts/field.tsx';
import { NewKey } from '../parts/new-key.tsx';
import { View } from '../parts/page.tsx';
import { ProblemBox } from '../parts/problem-box.tsx';
import { linkTo } from '../route.ts';
import { leaveTo } from '../unsaved.ts';
import type { ApplicationType, ApplicationWithKey } from '../sdk.ts';
import { useAction, useClient, useIdempotencyKey, useUnsaved } from '../session/use-session.ts';
import { Effects } from './effects.tsx';
import { GrantsEditor, type EditedGrants } from './grants-editor.tsx';

const TYPES: readonly (readonly [ApplicationType, string])[] = [
  ['private', 'private: a backend that can protect its key'],
  ['public', 'public: a browser or app that collects data'],
  ['management', 'management: manages applications, reactors and the tenant'],
];

const NOTHING: EditedGrants = { name: '', permissions: [], rules: [] };

export function NewApplicationView() {
  const client = useClient('management');
  const [type, setType] = useState<ApplicationType>('private');
  const [grants, setGrants] = useState(NOTHING);
  const [expires, setExpires] = useState('');
  const [created, setCreated] = useState<ApplicationWithKey | undefined>();
  const idempotencyKey = useIdempotencyKey([type, grants, expires]);
  const action = useAction();
  useUnsaved(created === undefined && (grants.name !== '' || grants.rules.length > 0));
  const create = async () => {
    const end = expires === '' ? {} : { expires_at: new Date(expires).toISOString() };
    setCreated(await client.applications.create({ ...grants, ...end, type }, { idempotencyKey }));
  };
  return (
    <View title="New application" up={['#/applications', 'Applications']}>
      <form
        class="form"
        onSubmit={(event) => {
          event.preventDefault();
          action.run(create);
        }}
      >
        <Choice
          label="Type"
          value={type}
          onChange={(next) => {
            setType(next);
            setGrants({ ...NOTHING, name: grants.name });
          }}
          options={TYPES}
        />
        <GrantsEditor key={type} type={type} value={grants} onChange={setGrants} />
        <TextField
          label="Ends"
          type="datetime-local"
          value={expires}
          onChange={setExpires}
          hint="Optional. From then on the service rejects its keys."
        />
        {type !== 'management' && <Effects before={NOTHING} after={grants} />}
        <ProblemBox problem={action.problem} />
        <Button look="primary" isBusy={action.isRunning}>
          Create application
        </Button>
      </form>
      {created !== undefined && (
        <NewKey
          title={`The key of ${created.name}`}
          text={created.key}
          onClose={() => leaveTo(linkTo(['applications', created.id]))}
        />
      )}
    </View>
  );
}
