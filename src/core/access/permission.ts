/** The types that an application may have (docs/contract.md#application-types). */
export const APPLICATION_TYPES = ['private', 'public', 'management'] as const;
export type ApplicationType = (typeof APPLICATION_TYPES)[number];

interface PermissionDefinition {
  readonly description: string;
  /** The application types that may have the permission (docs/contract.md#permissions). */
  readonly applicationTypes: readonly ApplicationType[];
}

/** Every permission, with its effect and the application types that may have it. */
export const PERMISSIONS = {
  'token:create': { description: 'Create tokens', applicationTypes: ['private', 'public'] },
  'token:read': { description: 'Read tokens', applicationTypes: ['private'] },
  'token:search': { description: 'Search tokens', applicationTypes: ['private'] },
  'token:update': { description: 'Update tokens', applicationTypes: ['private', 'public'] },
  'token:delete': { description: 'Delete tokens', applicationTypes: ['private'] },
  'token:use': { description: 'Use tokens in the proxy and in reactors', applicationTypes: ['private'] },
  'application:create': {
    description: 'Create applications, and so grant any right',
    applicationTypes: ['management'],
  },
  'application:read': { description: 'Read applications', applicationTypes: ['management'] },
  'application:update': {
    description: 'Update applications, and so grant any right',
    applicationTypes: ['management'],
  },
  'application:delete': { description: 'Delete applications', applicationTypes: ['management'] },
  'reactor:create': {
    description: 'Create reactors, whose code has the rights of any application',
    applicationTypes: ['management'],
  },
  'reactor:read': { description: 'Read reactors', applicationTypes: ['management'] },
  'reactor:review': {
    description: 'Read reactors without their code and the values of their configuration',
    applicationTypes: ['management'],
  },
  'reactor:update': {
    description: 'Update reactors, whose code has the rights of any application',
    applicationTypes: ['management'],
  },
  'reactor:delete': { description: 'Delete reactors', applicationTypes: ['management'] },
  'proxy:create': {
    description: 'Create proxies, whose transforms have the rights of any application',
    applicationTypes: ['management'],
  },
  'proxy:read': { description: 'Read proxies', applicationTypes: ['management'] },
  'proxy:review': {
    description: 'Read proxies without the failures of their calls',
    applicationTypes: ['management'],
  },
  'proxy:update': {
    description: 'Update proxies, whose transforms have the rights of any application',
    applicationTypes: ['management'],
  },
  'proxy:delete': { description: 'Delete proxies', applicationTypes: ['management'] },
  'tenant:read': { description: 'Read the tenant and its settings', applicationTypes: ['management'] },
  'tenant:update': { description: 'Update the tenant and its settings', applicationTypes: ['management'] },
  'log:read': { description: 'Read logs', applicationTypes: ['management'] },
} as const satisfies Record<string, PermissionDefinition>;

export type Permission = keyof typeof PERMISSIONS;

export const PERMISSION_NAMES = Object.keys(PERMISSIONS) as readonly Permission[];

/** Some permissions contain others, and so need not be granted beside them. */
const CONTAINED_IN: Readonly<Partial<Record<Permission, Permission>>> = {
  'reactor:review': 'reactor:read',
  'proxy:review': 'proxy:read',
};

/** The permission itself, and the one that contains it. */
export const satisfying = (permission: Permission): readonly Permission[] => {
  const larger = CONTAINED_IN[permission];
  return larger === undefined ? [permission] : [permission, larger];
};

/** The types of application that may have the permission, in words for a message. */
export const holdersOf = (permission: Permission): string =>
  PERMISSIONS[permission].applicationTypes.join(' or ');

export function isLegalFor(permission: Permission, type: ApplicationType): boolean {
  const types: readonly ApplicationType[] = PERMISSIONS[permission].applicationTypes;
  return types.includes(type);
}
