import { useState } from 'preact/hooks';
import { TOKEN_PERMISSIONS } from '../access.ts';
import { Button } from '../parts/button.tsx';
import { Check, Choice, TextField } from '../parts/field.tsx';
import { Loading } from '../parts/page.tsx';
import type { AccessRule, Application, ApplicationType, PermissionName, Transform } from '../sdk.ts';
import { useLoad } from '../session/use-session.ts';

/** Members of an application that a person edits. */
export interface EditedGrants {
  readonly name: string;
  readonly permissions: readonly PermissionName[];
  readonly rules: readonly AccessRule[];
}

export const grantsOf = ({ name, permissions, rules }: Application): EditedGrants => ({
  name,
  permissions,
  rules,
});

const toggled = <T,>(all: readonly T[], one: T, isIn: boolean): readonly T[] =>
  isIn ? [...all, one] : all.filter((other) => other !== one);

const TRANSFORMS: readonly (readonly [Transform, string])[] = [
  ['reveal', 'reveal: the plaintext'],
  ['mask', 'mask: the masked value'],
  ['redact', 'redact: no data'],
];

const FOR_PUBLIC: readonly PermissionName[] = ['token:create', 'token:update'];

/** The ids, or addresses, in a text with commas. Nothing in it is no limit at all. */
function idsOf(text: string): readonly string[] {
  return text
    .split(',')
    .map((id) => id.trim())
    .filter((id) => id !== '');
}

/** Edits ids, or addresses, with commas. The text stays as it was typed. */
function IdsField({
  label,
  hint = 'Ids with commas.',
  ids,
  onChange,
}: {
  readonly label: string;
  readonly hint?: string;
  readonly ids: readonly string[];
  readonly onChange: (ids: readonly string[]) => void;
}) {
  const [text, setText] = useState(ids.join(', '));
  return (
    <TextField
      label={label}
      hint={hint}
      value={text}
      onChange={(next) => {
        setText(next);
        onChange(idsOf(next));
      }}
      isMachineText
    />
  );
}

/** The destinations of `token:use` that a rule names. */
function ThroughFields({ rule, onChange }: RuleProps) {
  const { through, ...open } = rule;
  if (through === undefined)
    return (
      <Button look="quiet" onClick={() => onChange({ ...rule, through: { proxies: [], reactors: [] } })}>
        Limit where plaintext may go
      </Button>
    );
  const change = (part: 'proxies' | 'reactors' | 'callbacks') => (ids: readonly string[]) =>
    onChange({ ...rule, through: { ...through, [part]: ids } });
  return (
    <fieldset class="through">
      <legend>Plaintext may go only through</legend>
      <IdsField label="Stored proxies" ids={through.proxies ?? []} onChange={change('proxies')} />
      <IdsField label="Reactors" ids={through.reactors ?? []} onChange={change('reactors')} />
      <IdsField
        label="Callbacks of these reactors"
        hint="Addresses with commas, such as https://shop.example.com/hooks. What is below them is permitted too."
        ids={through.callbacks ?? []}
        onChange={change('callbacks')}
      />
      <Button look="quiet" onClick={() => onChange(open)}>
        Remove this limit
      </Button>
    </fieldset>
  );
}

interface RuleProps {
  readonly rule: AccessRule;
  readonly onChange: (rule: AccessRule) => void;
}

function RuleFields({
  rule,
  onChange,
  onRemove,
  type,
}: RuleProps & { readonly onRemove: () => void; readonly type: ApplicationType }) {
  const possible = TOKEN_PERMISSIONS.filter((name) => type !== 'public' || FOR_PUBLIC.includes(name));
  return (
    <fieldset class="rule">
      <legend>Rule {rule.priority}</legend>
      <div class="rule-fields">
        <TextField
          label="Priority"
          type="number"
          value={String(rule.priority)}
          onChange={(text) => onChange({ ...rule, priority: Number(text) })}
        />
        <TextField
          label="Container"
          value={rule.container ?? ''}
          onChange={(container) => onChange({ ...rule, container })}
          isMachineText
        />
        <Choice
          label="Shows"
          value={rule.transform}
          onChange={(transform) => onChange({ ...rule, transform })}
          options={TRANSFORMS}
        />
      </div>
      <div class="checks" role="group" aria-label={`Permissions of rule ${String(rule.priority)}`}>
        {possible.map((name) => (
          <Check
            key={name}
            label={<code>{name}</code>}
            isChecked={rule.permissions.includes(name)}
            onChange={(isIn) => onChange({ ...rule, permissions: toggled(rule.permissions, name, isIn) })}
          />
        ))}
      </div>
      <TextField
        label="Description"
        value={rule.description ?? ''}
        onChange={(description) => {
          const { description: _, ...others } = rule;
          onChange(description === '' ? others : { ...rule, description });
        }}
      />
      <div class="row-end">
        {rule.permissions.includes('token:use') && <ThroughFields rule={rule} onChange={onChange} />}
        <Button look="quiet" onClick={onRemove} label={`Remove rule ${String(rule.priority)}`}>
          Remove rule
        </Button>
      </div>
    </fieldset>
  );
}

interface GrantsEditorProps {
  readonly type: ApplicationType;
  readonly value: EditedGrants;
  readonly onChange: (value: EditedGrants) => void;
}

/** The permissions that a type of application may have, with what each one means. */
function Permissions({ type, value, onChange }: GrantsEditorProps) {
  const [loaded, reload] = useLoad(
    'management',
    (client, signal) => client.permissions.list(type, { signal }),
    [type],
  );
  return (
    <fieldset>
      <legend>Top-level permissions</legend>
      <p class="field-hint">
        {type === 'management'
          ? 'They apply to the whole tenant.'
          : 'They apply to all containers where no rule decides; data is masked.'}
      </p>
      <Loading of={loaded} onRetry={reload}>
        {(permissions) => (
          <div class="checks is-wide">
            {permissions.map(({ type: name, description }) => (
              <Check
                key={name}
                label={
                  <>
                    <code>{name}</code> <span class="muted">{description}</span>
                  </>
                }
                isChecked={value.permissions.includes(name)}
                onChange={(isIn) =>
                  onChange({ ...value, permissions: toggled(value.permissions, name, isIn) })
                }
              />
            ))}
          </div>
        )}
      </Loading>
    </fieldset>
  );
}

/** Edits name, permissions and rules. It saves nothing. */
export function GrantsEditor({ type, value, onChange }: GrantsEditorProps) {
  // Rules have no id, and their priority is edited: each gets a name that stays.
  const [names, setNames] = useState(() => value.rules.map((_, index) => index));
  const { rules } = value;
  const add = () => {
    const priority = Math.max(0, ...rules.map((rule) => rule.priority)) + 1;
    setNames([...names, Math.max(-1, ...names) + 1]);
    const rule: AccessRule = { priority, container: '/', transform: 'mask', permissions: ['token:create'] };
    onChange({ ...value, rules: [...rules, rule] });
  };
  return (
    <>
      <TextField
        label="Name"
        value={value.name}
        onChange={(name) => onChange({ ...value, name })}
        isRequired
        hasFocus
      />
      <Permissions type={type} value={value} onChange={onChange} />
      {type !== 'management' && (
        <fieldset>
          <legend>Access rules</legend>
          <p class="field-hint">
            The first rule in order of priority that grants the permission and covers the container decides.
          </p>
          {rules.map((rule, index) => (
            <RuleFields
              key={names[index] ?? index}
              rule={rule}
              type={type}
              onChange={(next) =>
                onChange({ ...value, rules: rules.map((old, at) => (at === index ? next : old)) })
              }
              onRemove={() => {
                setNames(names.filter((_, at) => at !== index));
                onChange({ ...value, rules: rules.filter((_, at) => at !== index) });
              }}
            />
          ))}
          <Button onClick={add}>Add a rule</Button>
        </fieldset>
      )}
    </>
  );
}
