import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Spectral, type RulesetDefinition } from '@stoplight/spectral-core';
import { oas } from '@stoplight/spectral-rulesets';

const run = promisify(execFile);
const ROOT = join(import.meta.dirname, '../..');
const REDOCLY = join(ROOT, 'node_modules/@redocly/cli/bin/cli.js');

/** No linter may send anything from this machine. */
const OFFLINE = { REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };

/**
 * The findings of Redocly's rules, as text. redocly.yaml lists the disabled rules with the reasons.
 */
async function findingsOfRedocly(file: string): Promise<readonly string[]> {
  try {
    const args = [REDOCLY, 'lint', file, '--config', join(import.meta.dirname, 'redocly.yaml')];
    await run(process.execPath, args, { cwd: ROOT, env: { ...process.env, ...OFFLINE } });
    return [];
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { readonly stdout?: string; readonly stderr?: string };
    return [`Redocly: ${stdout}${stderr}`];
  }
}

/**
 * The findings of Spectral's recommended rules. One is off, which compiles each schema again for
 * each example: test/tools/openapi/document.test.ts compiles each once.
 */
async function findingsOfSpectral(document: object): Promise<readonly string[]> {
  const linter = new Spectral();
  linter.setRuleset({
    extends: [[oas as RulesetDefinition, 'recommended']],
    rules: { 'oas3-valid-media-example': 'off' },
  });
  const findings = await linter.run(document as Record<string, unknown>);
  return findings.map(
    ({ code, message, path }) => `Spectral: ${String(code)}: ${message} (${path.join('/')})`,
  );
}

/**
 * The findings of two linters in an OpenAPI document: `file` and `document` are the same one.
 * Rejects if one of them cannot run.
 */
export async function lintDocument(file: string, document: object): Promise<readonly string[]> {
  const found = await Promise.all([findingsOfRedocly(file), findingsOfSpectral(document)]);
  return found.flat();
}
