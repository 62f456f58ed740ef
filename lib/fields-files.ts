import { resolve } from 'node:path';
import type { Stack } from 'aws-cdk-lib';
import { z } from 'zod';
import type { FieldsConfig } from '../packages/fields/headers.ts';
import { buildSite, ROOT, runBuild } from './built-site.ts';
import type { Settings } from './settings.ts';

/** The script for pages that check what they load: its path never has other content. */
const builtScript = z.object({
  script: z.string().regex(/^assets\/[\w.-]+\.js$/),
  integrity: z.string().regex(/^sha384-[A-Za-z0-9+/]{64}$/),
});

/** The outputs of a template whose files are not built, as in tests of templates. */
const NOT_BUILT = { script: 'assets/not-built.js', integrity: 'not built' };

export interface FieldsFiles {
  readonly folder: string;
  /** The path of the script that a page may load with the checksum. */
  readonly script: string;
  readonly integrity: string;
}

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

/** The files of card fields, built when their stack is. */
export function fieldsFiles(stack: Stack, settings: Settings): FieldsFiles {
  const { fieldsFonts } = settings;
  const { folder, built = NOT_BUILT } = buildSite(stack, (output) => {
    const fonts = fieldsFonts === '' ? [] : [resolve(ROOT, fieldsFonts)];
    const config = JSON.stringify(fieldsConfig(settings));
    return builtScript.parse(JSON.parse(runBuild('tools/build-fields-site.ts', [output, config, ...fonts])));
  });
  return { folder, ...built };
}
