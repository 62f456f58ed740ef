import { resolve } from 'node:path';
import type { Stack } from 'aws-cdk-lib';
import type { FieldsConfig } from '../packages/fields/headers.ts';
import { assetFolder } from './asset-folder.ts';
import { writeFieldsSite, type FieldsScript } from './fields-site.ts';
import type { Settings } from './settings.ts';
import { siteFolder } from './site-folder.ts';

/** A template has these outputs in an app without code. */
const NOT_BUILT: FieldsScript = { script: 'assets/not-built.js', integrity: 'not built' };

export const fieldsConfig = ({
  domainName,
  headerPrefixes: [headerPrefix = ''],
  fieldsOrigins,
  fieldsDigits,
}: Settings): FieldsConfig => ({
  apiUrl: `https://${domainName}`,
  headerPrefix,
  origins: fieldsOrigins,
  digits: fieldsDigits,
});

/** Writes the files of card fields into a folder, and names the script of a page in it. */
export function fieldsFiles(stack: Stack, settings: Settings): FieldsScript & { readonly folder: string } {
  const { fieldsFonts } = settings;
  const { folder, written = NOT_BUILT } = siteFolder(stack, (output) => {
    const fonts = fieldsFonts === '' ? undefined : resolve(fieldsFonts);
    return writeFieldsSite(assetFolder('fields'), output, fieldsConfig(settings), fonts);
  });
  return { folder, ...written };
}
