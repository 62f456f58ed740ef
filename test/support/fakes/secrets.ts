import type { Secrets } from '../../../bin/config/secrets.ts';

/** Secrets Manager in memory. A version is the number of writes. */
export function aSecretsManager(initial: Readonly<Record<string, string>> = {}) {
  const values = new Map<string, { text: string | undefined; version: number }>(
    Object.entries(initial).map(([name, text]) => [name, { text, version: 1 }]),
  );
  const secrets: Secrets = {
    read: (name) => {
      const { text, version = 0 } = values.get(name) ?? {};
      return Promise.resolve(text === undefined ? undefined : { text, version: `v${String(version)}` });
    },
    version: (name) => {
      const found = values.get(name);
      return found === undefined
        ? Promise.reject(Object.assign(new Error(name), { name: 'ResourceNotFoundException' }))
        : Promise.resolve(`v${String(found.version)}`);
    },
    create: (name) => {
      values.set(name, { text: undefined, version: 0 });
      return Promise.resolve();
    },
    put: (name, text) => {
      values.set(name, { text, version: (values.get(name)?.version ?? 0) + 1 });
      return Promise.resolve();
    },
  };
  return { secrets, textOf: (name: string) => values.get(name)?.text };
}
