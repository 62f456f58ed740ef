import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Spectral, type RulesetDefinition } from '@stoplight/spectral-core';
import { oas } from '@stoplight/spectral-rulesets';

const run = promisify(execFile);
const ROOT = join(import.meta.dirname, '../..');
const REDOCLY = join(ROOT, 'node_modules/@redocly/cli/bin/cli.js');

/** Nothing of this may leave the machine. */
const OFFLINE = { REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };

/** What Redocly's rules find, as text. Which of them are off, and why: redocly.yaml. */
async function findingsOfRedocly(file: string): Promise<readonly string[]> {
  try {
    await run(process.execPath, [REDOCLY, 'lint', file], { cwd: ROOT, env: { ...process.env, ...OFFLINE } });
    return [];
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { readonly stdout?: string; readonly stderr?: string };
    return [`Redocly: ${stdout}${stderr}`];
  }
}

/** What the recommended rules of Spectral find. None of them is off. */
async function findingsOfSpectral(document: object): Promise<readonly string[]> {
  const linter = new Spectral();
  linter.setRuleset({ extends: [[oas as RulesetDefinition, 'recommended']] });
  const findings = await linter.run(document as Record<string, unknown>);
  return findings.map(
    ({ code, message, path }) => `Spectral: ${String(code)}: ${message} (${path.join('/')})`,
  );
}

/**
 * What two linters find in an OpenAPI document: `file` and `document` are the same one. Rejects if
 * one of them cannot run.
 */
export async function lintDocument(file: string, document: object): Promise<readonly string[]> {
  const found = await Promise.all([findingsOfRedocly(file), findingsOfSpectral(document)]);
  return found.flat();
}
