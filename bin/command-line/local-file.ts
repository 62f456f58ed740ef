import { resolve } from 'node:path';
import { Option } from 'commander';

/** A start writes its credentials there, if no other one has. */
const DEFAULT_FILE = '.local/credentials.json';

/** `--local [FILE]` selects a running service by its credentials file. */
export const localOption = (check: (text: string) => string = (text) => text): Option =>
  new Option('--local [FILE]', 'the service of cloakroom start, by its credentials file')
    .preset(DEFAULT_FILE)
    .argParser((text: string) => {
      const file = check(text);
      return file === DEFAULT_FILE ? file : resolve(file);
    });
