import {
  accessSync,
  closeSync,
  constants,
  fsyncSync,
  lstatSync,
  openSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { errorCode } from '../../../packages/local-aws/src/error-code.ts';
import { isUuid } from '../../../src/core/shared/is-uuid.ts';
import type { Secret } from '../../../src/core/shared/secret.ts';
import { NamedFileError, placeBelow, readRegularFile } from '../file/named-files.ts';
import type { KeyTarget, TargetState } from '../model.ts';
import { codeOf, type Secrets } from '../secrets.ts';

/** A new key, whose text only its target gets. */
export interface NewKey {
  readonly id: string;
  readonly key: Secret<string>;
}

/** The places where keys go. A key leaves them only by {@link KeyTargets.write}. */
export interface KeyTargets {
  readonly stateOf: (target: KeyTarget) => Promise<TargetState>;
  /**
   * Proves that a target can be written, before there is a key that could be lost. Rejects with
   * {@link TargetError}.
   */
  readonly prove: (target: KeyTarget) => Promise<void>;
  /** Puts the key in the place of the one before, or leaves that one. */
  readonly write: (target: KeyTarget, key: NewKey) => Promise<void>;
}

/** The reason why a target cannot be written. It has nothing of a key. */
export class TargetError extends Error {}

export const shownTarget = ({ kind, name }: KeyTarget): string => `${kind}:${name}`;

const CONTENT_MAX_BYTES = 100_000;

const content = z.object({ key: z.string(), key_id: z.string() });

/** Finds the id of a key in what a target has. Anything else than a key is not to be replaced. */
function stateIn(text: string): TargetState {
  if (text.trim() === '' || text.trim() === '{}') return { state: 'empty' };
  try {
    const { key_id: keyId } = content.parse(JSON.parse(text));
    return isUuid(keyId) ? { state: 'stored', key_id: keyId } : { state: 'unknown' };
  } catch {
    return { state: 'unknown' };
  }
}

const contentOf = ({ id, key }: NewKey): string => `${JSON.stringify({ key: key.reveal(), key_id: id })}\n`;

/** Replaces a file by another one at once: a reader sees the old content or the new one. */
function replaceFile(file: string, text: string): void {
  const next = join(dirname(file), `.${basename(file)}.${randomUUID()}`);
  const descriptor = openSync(next, 'wx', 0o600);
  try {
    try {
      writeFileSync(descriptor, text);
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
    renameSync(next, file);
  } catch (error) {
    rmSync(next, { force: true });
    throw error;
  }
}

function fileTargets(folder: string): KeyTargets {
  const stateAt = (file: string): TargetState => {
    try {
      lstatSync(file);
    } catch (error) {
      if (errorCode(error) === 'ENOENT') return { state: 'empty' };
    }
    return stateIn(readRegularFile(file, CONTENT_MAX_BYTES).toString('utf8'));
  };
  const stateOf = ({ name }: KeyTarget): TargetState => {
    try {
      return stateAt(placeBelow(folder, name));
    } catch (error) {
      if (error instanceof NamedFileError) return { state: 'unknown' };
      throw error;
    }
  };
  const prove = (target: KeyTarget): void => {
    try {
      const file = placeBelow(folder, target.name);
      if (stateAt(file).state === 'unknown') throw new TargetError('is a file that has no key');
      accessSync(dirname(file), constants.W_OK);
    } catch (error) {
      if (error instanceof TargetError) throw error;
      const why =
        error instanceof NamedFileError ? error.message : `cannot be written (${String(errorCode(error))})`;
      throw new TargetError(why);
    }
  };
  return {
    stateOf: (target) => Promise.resolve(stateOf(target)),
    prove: (target) =>
      new Promise((resolve) => {
        prove(target);
        resolve();
      }),
    write: (target, key) =>
      new Promise((resolve) => {
        replaceFile(placeBelow(folder, target.name), contentOf(key));
        resolve();
      }),
  };
}

function secretTargets(secrets: Secrets): KeyTargets {
  const stateOf = async ({ name }: KeyTarget): Promise<TargetState> => {
    try {
      const found = await secrets.read(name);
      return found === undefined ? { state: 'empty' } : stateIn(found.text);
    } catch {
      // A pull request has no credentials.
      return { state: 'unknown' };
    }
  };
  return {
    stateOf,
    prove: async (target) => {
      try {
        const found = await secrets.read(target.name);
        if (found !== undefined && stateIn(found.text).state === 'unknown')
          throw new TargetError('is a secret that has no key');
        if (found !== undefined) return;
        await secrets.create(target.name).catch((error: unknown) => {
          if (codeOf(error) !== 'ResourceExistsException') throw error;
        });
        // The right to make a secret is none to write one.
        await secrets.put(target.name, '{}');
      } catch (error) {
        throw error instanceof TargetError ? error : new TargetError(`cannot be written (${codeOf(error)})`);
      }
    },
    write: (target, key) => secrets.put(target.name, contentOf(key)),
  };
}

/** Makes the targets below a folder, and in Secrets Manager. */
export function createKeyTargets(folder: string, secrets: Secrets): KeyTargets {
  const targets = { file: fileTargets(folder), 'aws-secret': secretTargets(secrets) };
  return {
    stateOf: (target) => targets[target.kind].stateOf(target),
    prove: (target) => targets[target.kind].prove(target),
    write: (target, key) => targets[target.kind].write(target, key),
  };
}
