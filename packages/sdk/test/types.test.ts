import { readFileSync } from 'node:fs';
import {
  type Permission as ServicePermission,
  PERMISSION_NAMES,
} from '../../../src/core/access/permission.ts';
import { FORMS, OUTCOMES, type Form, type Outcome as Ending } from '../../../src/core/audit/audit-record.ts';
import { TOKEN_TYPE_NAMES, type TokenTypeName } from '../../../src/core/tokens/token-type.ts';
import type { Outcome, PermissionName, TokenForm, TokenType } from '../src/index.ts';

describe('the types of the SDK', () => {
  it('list exactly the permissions and the token types of the service', () => {
    // Each list compiles only if each side has every name of the other.
    const permissions: Record<PermissionName, true> & Record<ServicePermission, true> = Object.fromEntries(
      PERMISSION_NAMES.map((name) => [name, true]),
    ) as Record<ServicePermission, true>;
    const types = Object.fromEntries(TOKEN_TYPE_NAMES.map((name) => [name, true])) as Record<
      TokenTypeName,
      true
    > satisfies Record<TokenType, true>;
    const back: Record<TokenType, true> = types;
    const forth: Record<TokenTypeName, true> = back;
    expect(Object.keys(permissions)).toEqual(PERMISSION_NAMES);
    expect(Object.keys(forth)).toEqual(TOKEN_TYPE_NAMES);
  });

  it('list exactly the outcomes and the forms of the audit trail', () => {
    const outcomes = Object.fromEntries(OUTCOMES.map((name) => [name, true])) as Record<
      Ending,
      true
    > satisfies Record<Outcome, true>;
    const forms = Object.fromEntries(FORMS.map((name) => [name, true])) as Record<
      Form,
      true
    > satisfies Record<TokenForm, true>;
    const back: readonly [Record<Outcome, true>, Record<TokenForm, true>] = [outcomes, forms];
    const forth: readonly [Record<Ending, true>, Record<Form, true>] = back;
    expect(forth.map((names) => Object.keys(names))).toEqual([OUTCOMES, FORMS]);
  });
});

it('the package has the version of the service, its licence, and no dependency', () => {
  const read = (file: string) => JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>;
  const [service, sdk] = [read('package.json'), read('packages/sdk/package.json')];
  expect([sdk['version'], sdk['license']]).toEqual([service['version'], service['license']]);
  for (const name of ['dependencies', 'peerDependencies', 'optionalDependencies', 'scripts', 'bin'])
    expect(sdk).not.toHaveProperty(name);
});
