import { App } from 'aws-cdk-lib';
import { buildService, settingsOf } from '../lib/service.ts';
import { SettingsError } from '../lib/settings.ts';

const app = new App();
try {
  buildService(app, settingsOf(app), process.env['CDK_DEFAULT_REGION']);
  app.synth();
} catch (error) {
  if (!(error instanceof SettingsError)) throw error;
  console.error(error.message);
  process.exitCode = 2;
}
