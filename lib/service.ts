import type { App } from 'aws-cdk-lib';
import { ApiStack } from './api-stack.ts';
import { DataStack } from './data-stack.ts';
import { OperationsStack } from './operations-stack.ts';
import { parseSettings, type Settings } from './settings.ts';

/** Settings are the context entries with a plain name; those of the CDK itself have `:`, `@` or `-` in theirs. */
export function settingsOf(app: App): Settings {
  const context = app.node.getAllContext() as Readonly<Record<string, unknown>>;
  return parseSettings(
    Object.fromEntries(Object.entries(context).filter(([name]) => /^[a-zA-Z]+$/.test(name))),
  );
}

/** All stacks of one deployment of the service. */
export function buildService(app: App, settings: Settings): void {
  const name = settings.serviceName;
  const data = new DataStack(app, `${name}-Data`, { description: 'Cloakroom: tables and key' });
  new ApiStack(app, `${name}-Api`, { description: 'Cloakroom: HTTP API and functions', settings, data });
  new OperationsStack(app, `${name}-Operations`, { description: 'Cloakroom: operator', settings, data });
}
