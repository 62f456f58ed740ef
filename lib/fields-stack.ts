import { CfnOutput, Stack, type StackProps } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { fieldsHeaders } from '../packages/fields/headers.ts';
import { FOR_EVER, HASHED, StaticSite } from './constructs/static-site.ts';
import { fieldsConfig, fieldsFiles } from './fields-files.ts';
import { forwardCertificateEvents } from './certificate-events.ts';
import type { Settings } from './settings.ts';

export interface FieldsStackProps extends StackProps {
  readonly settings: Settings;
  /** The Region of the service, where its alarms are. */
  readonly serviceRegion: string;
}

const PAGE_SCRIPT = 'fields.js';

/** The frames of card fields, and the script that puts them into a page. It has no rights. */
export class FieldsStack extends Stack {
  constructor(scope: Construct, id: string, { settings, serviceRegion, ...props }: FieldsStackProps) {
    super(scope, id, props);
    forwardCertificateEvents(this, settings.fieldsCertificateArn, serviceRegion);
    const { folder, script, integrity } = fieldsFiles(this, settings);
    new StaticSite(this, 'Default', {
      name: 'Fields',
      domain: settings.fields,
      certificateArn: settings.fieldsCertificateArn,
      folder,
      uploads: [
        { id: 'Assets', only: HASHED, cacheControl: FOR_EVER },
        { id: 'Frame', except: [HASHED, PAGE_SCRIPT], cacheControl: 'no-cache' },
        { id: 'Script', only: PAGE_SCRIPT, cacheControl: 'public, max-age=300' },
      ],
      // A shop may have written down the address and the checksum of any earlier script.
      prune: false,
      headers: fieldsHeaders(fieldsConfig(settings)),
      logRetentionDays: settings.logRetentionDays,
      findings: {
        'AwsSolutions-CFR1': 'Shops have customers everywhere.',
        'AwsSolutions-CFR2':
          'Everyone may read the files, which are part of the published source and take no input. A card goes to the API, which has a firewall with the setting edge.',
      },
    });
    new CfnOutput(this, 'FieldsScript', {
      value: `https://${settings.fields}/${script}`,
      description: 'The script of this version: its content never changes',
    });
    new CfnOutput(this, 'FieldsIntegrity', {
      value: integrity,
      description: 'The checksum of FieldsScript, for the attribute integrity',
    });
  }
}
