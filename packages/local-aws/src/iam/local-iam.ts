import type { Account } from '../assembly/account.ts';
import type { LocalService } from '../assembly/local-service.ts';
import { definedIn } from '../assembly/resource-type.ts';
import { iamResources } from './iam-resources.ts';
import { createRoleRegistry, type RoleRegistry } from './role-registry.ts';
import { createSts } from './sts.ts';

/** IAM defines the roles of the app, and STS returns whose credentials a caller has. */
export interface LocalIam extends LocalService {
  readonly roles: RoleRegistry;
}

export function createLocalIam(account: Account): LocalIam {
  const roles = createRoleRegistry();
  return { roles, resources: definedIn(roles, iamResources), deploy: () => createSts(account) };
}
