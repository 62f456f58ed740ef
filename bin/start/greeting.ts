import { styleText } from 'node:util';
import { START } from './local-app.ts';
import { firstCalls, type Called } from './first-calls.ts';

export interface Greeted extends Called {
  readonly tenantId: string;
  readonly awsEndpointUrl: string;
  readonly credentialsFile: string;
  /** Such as `http://localhost:8788/`. */
  readonly consoleUrl: string;
  /** Such as `http://localhost:8789`. */
  readonly fieldsUrl: string;
  /** Such as `http://localhost:8790`. */
  readonly docsUrl: string;
  /** Such as `http://localhost:8791/`. */
  readonly startUrl: string;
  /** Signs in once, on the console or by way of the start page. */
  readonly codeFragment: string;
  /** `undefined` if logs are printed. */
  readonly logDirectory: string | undefined;
  /** `undefined` if reactor output is only printed. */
  readonly reactorOutputFile: string | undefined;
  /** `undefined` if state is in memory. */
  readonly dataDirectory: string | undefined;
  /** A key that sees the sample data; `undefined` if the vault has none. */
  readonly sampleKey: string | undefined;
}

type Style = Parameters<typeof styleText>[0];

/**
 * The text that `npm start` prints when the service is ready. `stream` decides about colour: a
 * terminal has it, unless `NO_COLOR` is set.
 */
export function greeting(greeted: Greeted, stream: NodeJS.WritableStream): string {
  const { baseUrl, tenantId, managementKey, awsEndpointUrl, credentialsFile } = greeted;
  const styled = (style: Style, text: string): string => styleText(style, text, { stream });
  const row = (name: string, value: string): string => `  ${styled('dim', name.padEnd(16))}${value}`;
  const heading = (text: string): string => `\n${styled('bold', text)}`;
  return [
    heading('Cloakroom runs on this machine, from the templates that you deploy.'),
    '',
    row('API', styled('cyan', baseUrl)),
    row('start page', styled('cyan', greeted.startUrl + greeted.codeFragment)),
    row('console', styled('cyan', greeted.consoleUrl + greeted.codeFragment)),
    row('', styled('dim', 'either address signs in once, with the management key')),
    row('card fields', styled('cyan', `${greeted.fieldsUrl}/fields.js`)),
    row('documentation', styled('cyan', greeted.docsUrl)),
    row('tenant', tenantId),
    row('management key', managementKey),
    row('credentials', credentialsFile),
    heading('To paste: create an application, create a card token, read it'),
    '',
    ...firstCalls(greeted),
    heading('More'),
    '',
    row(
      'sample data',
      greeted.sampleKey === undefined
        ? `${START} --sample`
        : `the key ${greeted.sampleKey} sees it in the console`,
    ),
    row('all options', `${START} --help`),
    row('AWS endpoint', awsEndpointUrl),
    row('state', greeted.dataDirectory ?? 'in memory, gone at the end (--data DIR keeps it)'),
    ...(greeted.logDirectory === undefined ? [] : [row('logs', greeted.logDirectory)]),
    row('reactors print', ['here', greeted.reactorOutputFile].filter(Boolean).join(' and to ')),
    '',
    `${styled('green', 'Ready.')} Ctrl-C stops everything.`,
    '',
  ].join('\n');
}
