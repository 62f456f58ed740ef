import { Token } from 'aws-cdk-lib';
import { parseSettings, type Settings } from '../../../lib/settings.ts';

/**
 * The props that may be tokens of the CDK, such as the ARN of a certificate of the app, each with a
 * value that passes every check. Domain names must be known: policies have them, whose length is
 * checked.
 */
const MAY_BE_TOKENS = {
  certificateArn: 'arn:aws:acm:us-east-1:000000000000:certificate/token',
  consoleCertificateArn: 'arn:aws:acm:us-east-1:000000000000:certificate/token',
  fieldsCertificateArn: 'arn:aws:acm:us-east-1:000000000000:certificate/token',
  alarmEmail: 'token@example.com',
  alarmTopicArn: 'arn:aws:sns:us-east-1:000000000000:token',
} as const;

/** Parses props, whose tokens pass as they are. Throws an Error that names each wrong one. */
export function settingsOfProps(props: Readonly<Record<string, unknown>>): Settings {
  const tokens = Object.entries(MAY_BE_TOKENS).filter(([name]) => Token.isUnresolved(props[name]));
  const settings = parseSettings({ ...props, ...Object.fromEntries(tokens) });
  return { ...settings, ...Object.fromEntries(tokens.map(([name]) => [name, props[name]])) };
}
