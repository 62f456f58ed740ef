#!/usr/bin/env node
// `npx cloakroom-app [--out DIR] [-c NAME=VALUE]...`: the app of the service alone, for projects in
// other languages: as `app` of a cdk.json, or into a folder for `cdk deploy --app DIR`.
import { existsSync, rmSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { App } from 'aws-cdk-lib';
import { buildService, settingsOf } from '../../../lib/service.ts';
import { SettingsError } from '../../../lib/settings.ts';
import { setFeatureFlags } from './feature-flags.ts';

const USAGE = 'cloakroom-app [--out DIR] [-c NAME=VALUE]...';

class UsageError extends Error {}

function readArguments() {
  const options = {
    out: { type: 'string', multiple: true, default: [] as string[] },
    context: { type: 'string', short: 'c', multiple: true, default: [] as string[] },
    help: { type: 'boolean', short: 'h', default: false },
  } as const;
  try {
    const { out, context, help } = parseArgs({ options }).values;
    if (out.length > 1) throw new UsageError('--out appears twice');
    return { out: out[0], context, help };
  } catch (error) {
    // Node.js explains an unknown option in several sentences; the first is enough.
    throw new UsageError(messageOf(error).split('. ', 1)[0]);
  }
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

function settingsIn(context: readonly string[]): Record<string, string> {
  const settings = new Map<string, string>();
  for (const entry of context) {
    const equals = entry.indexOf('=');
    if (equals < 1) throw new UsageError(`-c needs NAME=VALUE, not ${entry}`);
    const name = entry.slice(0, equals);
    if (settings.has(name)) throw new UsageError(`-c ${name} appears twice`);
    settings.set(name, entry.slice(equals + 1));
  }
  return Object.fromEntries(settings);
}

/** Writes the app into a folder, which a failure does not leave behind. */
function writeApp(out: string, context: Record<string, string>): void {
  const isNew = !existsSync(out);
  try {
    const app = new App({ context, outdir: out });
    setFeatureFlags(app);
    const { CDK_DEFAULT_REGION: region, CDK_DEFAULT_ACCOUNT: account } = process.env;
    buildService(app, settingsOf(app), { region, account });
    app.synth();
  } catch (error) {
    if (isNew) rmSync(out, { recursive: true, force: true });
    throw error;
  }
}

try {
  const { out, context, help } = readArguments();
  // The command line of the CDK names the folder by this variable.
  if (help) console.log(USAGE);
  else writeApp(out ?? process.env['CDK_OUTDIR'] ?? 'cdk.out', settingsIn(context));
} catch (error) {
  const isUsage = error instanceof SettingsError || error instanceof UsageError;
  console.error(isUsage ? `${error.message}\n${USAGE}` : messageOf(error));
  process.exitCode = isUsage ? 2 : 1;
}
