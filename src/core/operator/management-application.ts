import { generateApiKey } from '../crypto/api-key.ts';
import { orderedId } from '../shared/ordered-id.ts';
import type { Platform } from '../shared/platform.ts';
import type { Secret } from '../shared/secret.ts';
import { firstVersion, type Application } from '../applications/application.ts';
import { FOR_EVER, newKey, type ApplicationKey } from '../applications/application-key.ts';
import { isLegalFor, PERMISSION_NAMES } from '../access/permission.ts';

export interface NewManagementApplication {
  readonly application: Application;
  readonly key: ApplicationKey;
  /** It is returned here and never again. */
  readonly text: Secret<string>;
}

/** Makes a management application with every management permission, which no caller has created. */
export function newManagementApplication(
  deps: Platform & { readonly newId: () => string },
  choice: Pick<Application, 'tenantId' | 'name' | 'createdAt' | 'expiresAtMs'>,
): NewManagementApplication {
  const { createdAt } = choice;
  const id = orderedId(createdAt, deps.newId());
  const type = 'management' as const;
  const { key, text } = newKey(deps, generateApiKey(deps.random, type, choice.tenantId), {
    ...FOR_EVER,
    createdAt,
  });
  const application: Application = {
    ...choice,
    id,
    type,
    permissions: PERMISSION_NAMES.filter((permission) => isLegalFor(permission, type)),
    rules: [],
    keys: [key],
    revision: 1,
    version: firstVersion(deps.random),
  };
  return { application, key, text };
}
