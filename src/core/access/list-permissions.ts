import { PERMISSION_NAMES, PERMISSIONS, type ApplicationType, type Permission } from './permission.ts';

/** A permission as the API describes it. */
export interface PermissionInfo {
  readonly type: Permission;
  readonly description: string;
  readonly applicationTypes: readonly ApplicationType[];
}

/** Every permission, or those that an application of the type may have. */
export function listPermissions(type?: ApplicationType): readonly PermissionInfo[] {
  const all = PERMISSION_NAMES.map((name): PermissionInfo => ({ type: name, ...PERMISSIONS[name] }));
  return type === undefined ? all : all.filter(({ applicationTypes }) => applicationTypes.includes(type));
}
