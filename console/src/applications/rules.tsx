import { Code, Seen, Text } from '../parts/text.tsx';
import type { AccessRule, Application } from '../sdk.ts';
import { Destinations } from './destinations.tsx';

function Rule({ rule }: { readonly rule: AccessRule }) {
  const { priority, container = '', transform, permissions, through, description } = rule;
  return (
    <tr>
      <th scope="row">{priority}</th>
      <td data-label="Container">
        <Code>{container}</Code>
      </td>
      <td data-label="Shows">
        <Seen shown={transform} />
      </td>
      <td data-label="Permissions">
        {permissions.join(', ')}
        {through !== undefined && ' through'}
        <Destinations through={through} />
      </td>
      <td data-label="Description">{description !== undefined && <Text>{description}</Text>}</td>
    </tr>
  );
}

/** Shows what was granted, as it was written; the tree below it shows what comes of it. */
export const Rules = ({ application }: { readonly application: Application }) => (
  <>
    <p>
      Top-level permissions:{' '}
      {application.permissions.length === 0 ? (
        <span class="muted">none</span>
      ) : (
        <span class="tags">
          {application.permissions.map((name) => (
            <code key={name}>{name}</code>
          ))}
        </span>
      )}
    </p>
    {application.rules.length > 0 && (
      <table class="list">
        <thead>
          <tr>
            <th scope="col">Priority</th>
            <th scope="col">Container</th>
            <th scope="col">Shows</th>
            <th scope="col">Permissions</th>
            <th scope="col">Description</th>
          </tr>
        </thead>
        <tbody>
          {application.rules
            .toSorted((one, other) => one.priority - other.priority)
            .map((rule) => (
              <Rule key={rule.priority} rule={rule} />
            ))}
        </tbody>
      </table>
    )}
  </>
);
