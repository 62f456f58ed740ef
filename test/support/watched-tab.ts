import { readFileSync } from 'node:fs';
import type { Tab } from './chromium.ts';

/** Lists violations of a page's policy, its errors and its dialogs, from its first script on. */
export const WATCH = `
  window.violations = [];
  addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI, sourceFile, columnNumber, lineNumber, sample }) => violations.push([violatedDirective, blockedURI, sourceFile, lineNumber, columnNumber, sample].join(' ')));
  addEventListener('error', ({ message }) => violations.push(message));
  addEventListener('unhandledrejection', ({ reason }) => violations.push(String(reason)));
  for (const name of ['alert', 'confirm', 'prompt']) window[name] = () => violations.push(name);
`;

const AXE = readFileSync('node_modules/axe-core/axe.min.js', 'utf8');

/** Lists what axe finds in a page, by rule. */
export async function axeFindings(tab: Tab): Promise<readonly string[]> {
  if (!(await tab.evaluate('window.axe !== undefined'))) await tab.evaluate(`${AXE}; true`);
  return (await tab.evaluate(
    `axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) => violations.map(({ id, nodes }) => id + ': ' + nodes.map(({ target, failureSummary }) => target + ' ' + failureSummary).join('; ')))`,
  )) as readonly string[];
}

/** Every origin that a page asked for anything. */
export const originsOf = (tab: Tab): readonly string[] => [
  ...new Set(
    tab
      .events('Network.requestWillBeSent')
      .map(({ request }) => String(request.url))
      .filter((url) => !url.startsWith('data:'))
      .map((url) => new URL(url).origin),
  ),
];
