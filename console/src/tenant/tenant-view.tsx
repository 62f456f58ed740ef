import { useState } from 'preact/hooks';
import { Button, Copy } from '../parts/button.tsx';
import { Confirm } from '../parts/dialog.tsx';
import { Check, TextField } from '../parts/field.tsx';
import { Loading, View } from '../parts/page.tsx';
import { ProblemBox } from '../parts/problem-box.tsx';
import { Code, Instant } from '../parts/text.tsx';
import type { Tenant } from '../sdk.ts';
import { useAction, useClient, useLoad, useUnsaved } from '../session/use-session.ts';

function Form({ tenant, onSaved }: { readonly tenant: Tenant; readonly onSaved: () => void }) {
  const client = useClient('management');
  const [name, setName] = useState(tenant.name);
  const [settings, setSettings] = useState(tenant.settings);
  const [isConfirming, setConfirming] = useState(false);
  const action = useAction();
  const save = async () => {
    // A PUT needs the name; what was not edited may have changed in another tab.
    const now = await client.tenants.retrieve();
    const changed = (['deduplicate_tokens', 'ephemeral_proxy'] as const).filter(
      (setting) => settings[setting] !== tenant.settings[setting],
    );
    await client.tenants.update({
      name: name === tenant.name ? now.name : name,
      settings: Object.fromEntries(changed.map((setting) => [setting, settings[setting]])),
    });
    setConfirming(false);
    onSaved();
  };
  const isProxyChanged = tenant.settings.ephemeral_proxy !== settings.ephemeral_proxy;
  useUnsaved(name !== tenant.name || JSON.stringify(settings) !== JSON.stringify(tenant.settings));
  return (
    <form
      class="form"
      onSubmit={(event) => {
        event.preventDefault();
        if (isProxyChanged) setConfirming(true);
        else action.run(save);
      }}
    >
      <TextField label="Name" value={name} onChange={setName} isRequired />
      <Check
        label="Deduplicate tokens by default: an equal token is returned, and no second one created"
        isChecked={settings.deduplicate_tokens}
        onChange={(isOn) => setSettings({ ...settings, deduplicate_tokens: isOn })}
      />
      <Check
        label="Ephemeral proxy: callers with token:use may send plaintext to addresses that they name"
        isChecked={settings.ephemeral_proxy}
        onChange={(isOn) => setSettings({ ...settings, ephemeral_proxy: isOn })}
      />
      {!isConfirming && <ProblemBox problem={action.problem} />}
      <Button look="primary" isBusy={action.isRunning}>
        Save
      </Button>
      {isConfirming && (
        <Confirm
          title={settings.ephemeral_proxy ? 'Turn the ephemeral proxy on?' : 'Turn the ephemeral proxy off?'}
          words={settings.ephemeral_proxy ? 'Turn it on' : 'Turn it off'}
          action={action}
          change={save}
          onClose={() => setConfirming(false)}
        >
          <p>
            {settings.ephemeral_proxy
              ? 'Callers with token:use may then send plaintext to any address that they name, at once.'
              : 'Every call of /proxy without the key of a stored proxy gets 403, for all applications, at once.'}
          </p>
        </Confirm>
      )}
    </form>
  );
}

export function TenantView() {
  const [loaded, reload] = useLoad('management', (client, signal) => client.tenants.retrieve({ signal }), []);
  return (
    <View title="Tenant">
      <Loading of={loaded} onRetry={reload}>
        {(tenant) => (
          <>
            <dl class="pairs">
              <dt>Id</dt>
              <dd>
                <Code>{tenant.id}</Code> <Copy text={tenant.id} what="the id" />
              </dd>
              {tenant.recovered_at !== null && (
                <>
                  <dt>Last recovery</dt>
                  <dd>
                    <Instant iso={tenant.recovered_at} /> An operator made a management key then: the trail
                    has who did it.
                  </dd>
                </>
              )}
            </dl>
            <Form key={JSON.stringify(tenant)} tenant={tenant} onSaved={reload} />
          </>
        )}
      </Loading>
    </View>
  );
}
