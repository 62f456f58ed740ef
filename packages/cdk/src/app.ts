#!/usr/bin/env node
// `npx cloakroom-app [--out DIR] [-c NAME=VALUE]...`: the app of the service alone, for projects in
// other languages: as `app` of a cdk.json, or into a folder for `cdk deploy --app DIR`.
import { parseArgs } from 'node:util';
import { App } from 'aws-cdk-lib';
import { buildService, settingsOf } from '../../../lib/service.ts';
import { SettingsError } from '../../../lib/settings.ts';
import { setFeatureFlags } from './feature-flags.ts';

const USAGE = 'cloakroom-app [--out DIR] [-c NAME=VALUE]...';

class UsageError extends Error {}

function readArguments() {
  const options = {
    out: { type: 'string' },
    context: { type: 'string', short: 'c', multiple: true, default: [] as string[] },
    help: { type: 'boolean', short: 'h' },
  } as const;
  try {
    return parseArgs({ options }).values;
  } catch (error) {
    // Node.js explains an unknown option in several sentences; the first is enough.
    throw new UsageError(String(error instanceof Error ? error.message : error).split('. ', 1)[0]);
  }
}

function settingOf(entry: string): readonly [name: string, value: string] {
  const equals = entry.indexOf('=');
  if (equals < 1) throw new UsageError(`-c needs NAME=VALUE, not ${entry}`);
  return [entry.slice(0, equals), entry.slice(equals + 1)];
}

try {
  const { out, context, help } = readArguments();
  if (help === true) console.log(USAGE);
  else {
    const settings = Object.fromEntries(context.map(settingOf));
    const app = new App({ context: settings, ...(out !== undefined && { outdir: out }) });
    setFeatureFlags(app);
    const { CDK_DEFAULT_REGION: region, CDK_DEFAULT_ACCOUNT: account } = process.env;
    buildService(app, settingsOf(app), { region, account });
    app.synth();
  }
} catch (error) {
  if (!(error instanceof SettingsError || error instanceof UsageError)) throw error;
  console.error(`${error.message}\n${USAGE}`);
  process.exitCode = 2;
}
