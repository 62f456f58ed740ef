import { App } from 'aws-cdk-lib';
import { buildService, settingsOf } from '../lib/service.ts';
import { SettingsError } from '../lib/settings.ts';

const app = new App();
try {
  const { CDK_DEFAULT_REGION: region, CDK_DEFAULT_ACCOUNT: account } = process.env;
  buildService(app, settingsOf(app), { region, account });
  app.synth();
} catch (error) {
  if (!(error instanceof SettingsError)) throw error;
  console.error(error.message);
  process.exitCode = 2;
}
