import type { LocalService } from '../assembly/local-service.ts';
import { definedIn } from '../assembly/resource-type.ts';
import { iamResources } from './iam-resources.ts';
import { createRoleRegistry, type RoleRegistry } from './role-registry.ts';

/** IAM: the roles of the app, whose policies the AWS endpoint and other services ask for. */
export interface LocalIam extends LocalService {
  readonly roles: RoleRegistry;
}

export function createLocalIam(): LocalIam {
  const roles = createRoleRegistry();
  return { roles, resources: definedIn(roles, iamResources) };
}
