import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ImportSurroundings } from '../../../bin/import/import-surroundings.ts';
import type { ImportService } from '../../../bin/import/service.ts';
import { commandLine } from '../../support/command-line.ts';

/** The instant of all runs. */
export const NOW = Date.UTC(2026, 11, 1);

export interface Report {
  readonly complete: boolean;
  readonly ignored_columns: readonly string[];
  readonly stopped?: string;
  readonly refused_rows: readonly {
    readonly row: number;
    readonly column?: string;
    readonly problem: string;
  }[];
  readonly [name: string]: unknown;
}

const CLASSES = ['imported', 'there', 'not_compared', 'different', 'expired', 'refused', 'customers'];

/** The sum of the classes of a report. */
export const sumOf = (report: Report): number => CLASSES.reduce((sum, name) => sum + Number(report[name]), 0);

/** A folder with the files of runs. */
export class RunFolder {
  readonly path = mkdtempSync(join(tmpdir(), 'cloakroom-import-test-'));

  #files = 0;

  remove(): void {
    rmSync(this.path, { recursive: true, force: true });
  }

  at(name: string): string {
    return join(this.path, name);
  }

  /** Writes a new file. */
  file(content: string | Uint8Array, name = 'input'): string {
    this.#files += 1;
    const file = this.at(`${String(this.#files)}-${name}`);
    writeFileSync(file, content);
    return file;
  }

  /** Runs an import over a service that a test has. */
  async run(
    importService: ImportService,
    file: string,
    args: readonly string[],
    more: Partial<ImportSurroundings> = {},
  ) {
    const path = this.at('report.json');
    rmSync(path, { force: true });
    const { exitCode, out, err } = await commandLine(['import', file, '--report', path, ...args], {
      environment: {
        CLOAKROOM_URL: 'https://vault.test',
        CLOAKROOM_API_KEY: 'key_of_a_test',
        XDG_CONFIG_HOME: this.path,
      },
      importService,
      clock: () => NOW,
      onInterrupt: () => () => undefined,
      ...more,
    });
    const report = (): Report => JSON.parse(readFileSync(path, 'utf8')) as Report;
    return { exitCode, out, err, report };
  }
}
