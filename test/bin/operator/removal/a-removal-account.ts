import { createHash } from 'node:crypto';
import type { RemovalAccount, Stack } from '../../../../bin/operator/removal/removal-account.ts';

const TABLES = ['Tokens', 'Ephemeral', 'Access', 'Reactors', 'Audit', 'AuditIndex', 'AuditSeals'];
const STACKS = [
  ...['Data', 'Reactors', 'Api', 'Operations', 'Firewall-eu-west-1', 'Edge', 'Monitoring'],
  ...['Console-eu-west-1', 'Fields-eu-west-1'],
];

/** The last record of each trail expires at this time. */
export const EXPIRES = new Date('2027-12-30T00:00:00Z');
export const NOW = new Date('2026-11-25T12:00:00Z');
export const LATER = new Date(EXPIRES.getTime() + 1);

const digest = (text: string) => createHash('sha256').update(text).digest('hex');

export const keyIdOf = (owner: string, id: string) => `mrk-${digest(`${owner} ${id}`).slice(0, 32)}`;
export const keyArnOf = (owner = '') => `arn:key/${keyIdOf(owner, 'Key')}`;

interface Owned {
  readonly kind: 'stack' | 'function' | 'layer' | 'table' | 'backup' | 'key' | 'logs';
  readonly id: string;
  /** The service that made it. */
  readonly owner: string;
  /** The stack that ends it. */
  readonly stack?: string;
}

/** As lib/reactor-stack.ts names functions, written a second time. */
function reactorName(service: string, reactor: string): string {
  const cut = service.length <= 23 ? service : `${service.slice(0, 14)}-${digest(service).slice(0, 8)}`;
  return `${cut}-reactor-${digest(reactor).slice(0, 32)}`;
}

/** All that a deployment with an edge and two reactors has. */
function holdingsOf(owner: string): readonly Owned[] {
  const of = (kind: Owned['kind'], ids: readonly string[]): readonly Owned[] =>
    ids.map((id) => ({ kind, id, owner }));
  const operator = {
    kind: 'function',
    id: `${owner}-operator`,
    owner,
    stack: `${owner}-Operations`,
  } as const;
  const logs = ['Api-AccessLogD598EBE9', 'Operations-OperatorLog4C20A4DF', 'Reactors-SenderLogA8871550'];
  return [
    ...of(
      'stack',
      STACKS.map((id) => `${owner}-${id}`),
    ),
    ...of(
      'function',
      ['first', 'second'].map((reactor) => reactorName(owner, `${owner} ${reactor}`)),
    ),
    operator,
    ...of(
      'layer',
      [1, 3].map((version) => `${owner}-reactor-runtime:${String(version)}`),
    ),
    ...of(
      'table',
      TABLES.map((id) => `${owner}-${id}`),
    ),
    ...of(
      'backup',
      ['Tokens', 'Audit'].map((id) => `arn:${owner}-${id}/backup/1`),
    ),
    ...of(
      'key',
      ['Key', 'SealKey'].map((id) => keyIdOf(owner, id)),
    ),
    ...of(
      'logs',
      logs.map((id) => `${owner}-${id}-${digest(owner).slice(0, 12)}`),
    ),
  ];
}

/** An account in memory with some deployments, and every change that was made to it. */
export function aRemovalAccount(services: readonly string[], now: () => Date = () => NOW) {
  const owned = new Map(services.flatMap(holdingsOf).map((each) => [`${each.kind} ${each.id}`, each]));
  const idsOf = (kind: Owned['kind']) => [...owned.values()].filter((each) => each.kind === kind);
  const unprotected = new Set<string>();
  /** A table takes a while, as does a function with instances. */
  const updating = new Set<string>();
  const provisioned = new Set(idsOf('function').map(({ id }) => id));
  const changes: string[] = [];
  const end = (kind: Owned['kind'], id: string) => {
    changes.push(`${kind} ${id}`);
    owned.delete(`${kind} ${id}`);
  };
  const ended = (kind: Owned['kind'], id: string): Promise<void> => {
    end(kind, id);
    return Promise.resolve();
  };

  const described = (id: string): Stack => ({
    id: `arn:${id}`,
    description: 'Cloakroom: a part',
    isProtected: false,
    resources: id.endsWith('-Data')
      ? [{ logicalId: 'EdgeSecret1CC1469E', physicalId: 'arn:secret', type: 'AWS::SecretsManager::Secret' }]
      : [],
    template: {
      ...(id.endsWith('-Data') && { EdgeSecret1CC1469E: { Type: 'AWS::SecretsManager::Secret' } }),
      // This is a function behind the edge.
      ...(id.endsWith('-Api') && {
        Tokens: { Type: 'AWS::Lambda::Function', Properties: { S: '{{resolve:secretsmanager:arn}}' } },
      }),
    },
  });

  const account: RemovalAccount = {
    region: () => Promise.resolve('eu-west-1'),
    now: () => Promise.resolve(now()),
    stack: ({ name }) => Promise.resolve(owned.has(`stack ${name}`) ? described(name) : undefined),
    stackStatus: ({ name }) =>
      Promise.resolve({
        status: owned.has(`stack ${name.slice(4)}`) ? 'DELETE_IN_PROGRESS' : 'DELETE_COMPLETE',
      }),
    deleteStack: ({ name }) => {
      end('stack', name);
      for (const { kind, id, stack } of owned.values()) if (stack === name) owned.delete(`${kind} ${id}`);
      return Promise.resolve();
    },
    messages: () => Promise.resolve(0),
    functionNames: () => Promise.resolve(idsOf('function').map(({ id }) => id)),
    provisioned: (name) => Promise.resolve(provisioned.has(name) ? 1 : 0),
    endProvisioned: (name) => {
      changes.push(`function ${name}`);
      provisioned.delete(name);
      updating.add(name);
      return Promise.resolve();
    },
    deleteFunction: async (name) => {
      if (provisioned.has(name) || updating.delete(name)) return false;
      await ended('function', name);
      return true;
    },
    layerVersions: (layer) =>
      Promise.resolve(
        idsOf('layer').flatMap(({ id }) => (id.startsWith(`${layer}:`) ? Number(id.split(':')[1]) : [])),
      ),
    deleteLayerVersion: (layer, version) => ended('layer', `${layer}:${String(version)}`),
    tableNames: () => Promise.resolve(idsOf('table').map(({ id }) => id)),
    table: (name) =>
      Promise.resolve(
        owned.has(`table ${name}`)
          ? {
              items: 1_000,
              bytes: 1024 ** 3,
              isProtected: !unprotected.has(name),
              isRecoverable: true,
              isInfrequent: name.includes('Audit'),
              status: updating.delete(name) ? 'UPDATING' : 'ACTIVE',
              keyArn: keyArnOf(owned.get(`table ${name}`)?.owner),
              tags: { 'cloakroom:deployment': owned.get(`table ${name}`)?.owner ?? '' },
            }
          : undefined,
      ),
    unprotectTable: (name) => {
      unprotected.add(name);
      updating.add(name);
      changes.push(`table ${name}`);
      return Promise.resolve();
    },
    deleteTable: (name) => {
      if (!unprotected.has(name) || updating.has(name))
        return Promise.reject(new Error(`${name} cannot be deleted now`));
      return ended('table', name);
    },
    backups: (tableName) =>
      Promise.resolve(
        idsOf('backup')
          .filter(({ id }) => id.startsWith(`arn:${tableName}/`))
          .map(({ id }) => ({ arn: id, tableName, bytes: 1024 ** 3 })),
      ),
    deleteBackup: (arn) => ended('backup', arn),
    keys: (tag, value) => {
      const mine = idsOf('key').filter(({ owner }) => tag === 'cloakroom:deployment' && owner === value);
      const keys = mine.map(({ id }) => ({
        id,
        use: id === keyIdOf(value, 'SealKey') ? ('SIGN_VERIFY' as const) : ('ENCRYPT_DECRYPT' as const),
        replicas: [],
      }));
      return Promise.resolve({ keys, unreadable: 0 });
    },
    publicKey: (id) => Promise.resolve(`no PEM of ${id}`),
    scheduleKeyDeletion: (id) => {
      const { owner } = owned.get(`key ${id}`) ?? {};
      // A table without its key is lost, whatever else happens.
      if (idsOf('table').some((each) => each.owner === owner))
        return Promise.reject(new Error(`${id} encrypts a table`));
      return ended('key', id);
    },
    logGroups: (prefix) =>
      Promise.resolve(
        idsOf('logs')
          .filter(({ id }) => id.startsWith(prefix))
          .map(({ id, owner }) => ({ name: id, bytes: 1024 ** 2, keyArn: keyArnOf(owner) })),
      ),
    deleteLogGroup: (name) => ended('logs', name),
    hasUnexpired: (_name, seconds) => Promise.resolve(seconds * 1_000 < EXPIRES.getTime()),
    async *sealBodies() {
      yield await Promise.resolve(JSON.stringify({ from: 60_000, to: 120_000, entries: [] }));
      const expires = EXPIRES.getTime() / 1_000 - 60;
      yield JSON.stringify({ from: 0, to: 60_000, expires, entries: [['t', 1, 'root', '01']] });
    },
  };
  return {
    account,
    changes,
    now,
    /** Deletes a table as by hand. */
    drop: (name: string) => owned.delete(`table ${name}`),
    /** Adds a reactor, as a caller may during a removal. */
    addReactor: (service: string) => {
      const id = reactorName(service, `${service} new`);
      owned.set(`function ${id}`, { kind: 'function', id, owner: service });
    },
    left: (service: string): readonly string[] =>
      [...owned.values()].filter(({ owner }) => owner === service).map(({ kind, id }) => `${kind} ${id}`),
  };
}

export class Cut extends Error {}

/** The account, whose caller dies before or after the call of a number. */
export function cutAt(account: RemovalAccount, at: number, moment: 'before' | 'after') {
  const state = { calls: 0 };
  const cut = new Proxy(account, {
    get: (target, name) => {
      const method = Reflect.get(target, name) as (...args: readonly unknown[]) => unknown;
      if (name === 'sealBodies') return method;
      return async (...args: readonly unknown[]) => {
        const mine = (state.calls += 1);
        if (mine === at && moment === 'before') throw new Cut('cut');
        const result = await method(...args);
        if (mine === at) throw new Cut('cut');
        return result;
      };
    },
  });
  return { account: cut, state };
}
