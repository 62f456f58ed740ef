import { parseSettings } from '../../lib/settings.ts';
import { readFileSync } from 'node:fs';
import { RULE_LIMITS } from '../../src/core/access/access-rule.ts';
import { SESSION_LIMITS } from '../../src/core/access/session.ts';
import { NAME_MAX_LENGTH } from '../../src/core/applications/application.ts';
import { DESTINATION_MAX_LENGTH } from '../../src/core/egress/destination.ts';
import { TEMPLATE_MAX_LENGTH } from '../../src/core/expressions/template.ts';
import { FAILURES_MAX } from '../../src/core/stored-proxies/proxy-failure-store.ts';
import { STORED_PROXY_LIMITS } from '../../src/core/stored-proxies/stored-proxy.ts';
import { PROXY_LIMITS } from '../../src/core/proxy-expressions/forward.ts';
import { REACTOR_LIMITS } from '../../src/core/reactors/reactor.ts';
import { LABEL_MAX_LENGTH } from '../../src/core/shared/configuration-labels.ts';
import { EXTERNAL_ID_MAX_LENGTH } from '../../src/core/shared/external-id.ts';
import { CONTAINER_LIMITS } from '../../src/core/shared/container.ts';
import { EXPRESSIONS_MAX, PATHS_MAX } from '../../src/core/shared/field-reporter.ts';
import { DEPTH_MAX, MEMBERS_MAX } from '../../src/core/shared/json-extent.ts';
import { COUNT_MAX, PAGE_SIZE_DEFAULT, PAGE_SIZE_MAX } from '../../src/core/lists/pagination.ts';
import { TOKEN_LIMITS } from '../../src/core/tokens/token-details.ts';
import { CVC_LIFETIME_SECONDS } from '../../src/core/tokens/cvc-lifetime.ts';
import { DETOKENIZED_MAX_BYTES } from '../../src/core/tokens/detokenize.ts';
import { DATA_MAX_BYTES, DETAILS_MAX_BYTES } from '../../src/core/tokens/prepare-content.ts';
import { DETOKENIZED_MAX } from '../../src/core/tokens/resolve-tokens.ts';
import { SEARCH_LIMITS } from '../../src/core/tokens/search-query.ts';
import { ID_LENGTH } from '../../src/core/tokens/token-id.ts';
import { TOKENIZED_MAX } from '../../src/core/tokens/tokenize.ts';
import { KEY_MAX_LENGTH } from '../../src/http/idempotency.ts';
import { TIMEOUT } from '../../src/wire/invocation.ts';
import { EXTERNAL_IDS_MAX, IDS_MAX } from '../../src/wire/page.ts';
import { REVISION_MAX_LENGTH } from '../../src/wire/tenant.ts';
import { BODY_MAX_BYTES } from '../../src/http/parse-input.ts';
import { LIST_MAX } from '../../src/wire/parts.ts';
import { PATTERN_MAX_LENGTH } from '../../src/wire/named-list.ts';

const minutes = 60_000;
const hours = 3_600_000;

/** The numbers have the order of their row in docs/contract.md. MB are in bytes. */
const LIMITS: Readonly<Record<string, readonly number[]>> = {
  Body: [BODY_MAX_BYTES, REACTOR_LIMITS.invocationBytes],
  'Nesting of objects and arrays in a body': [DEPTH_MAX],
  'Elements of arrays and members of objects in a body, all together': [MEMBERS_MAX],
  'The same in the data of a token, also after an update': [MEMBERS_MAX],
  'The same in all tokens that a request detokenizes': [MEMBERS_MAX],
  'Id of a token': [ID_LENGTH.least, ID_LENGTH.most],
  'Data of a token': [DATA_MAX_BYTES],
  "Life of a card's `cvc`": [CVC_LIFETIME_SECONDS.default, CVC_LIFETIME_SECONDS.most],
  'Metadata, mask and expressions of a token': [DETAILS_MAX_BYTES],
  'Containers of a token': [TOKEN_LIMITS.containers, CONTAINER_LIMITS.levels, CONTAINER_LIMITS.segment],
  'Metadata of a token': [TOKEN_LIMITS.metadata, TOKEN_LIMITS.metadataKey, TOKEN_LIMITS.metadataValue],
  'Search indexes of a token': [TOKEN_LIMITS.searchIndexes],
  'Fingerprint expression of a token': [TOKEN_LIMITS.fingerprintExpression],
  'Text with expressions': [TEMPLATE_MAX_LENGTH],
  'Expressions of a request': [EXPRESSIONS_MAX],
  'Tokens that a request creates': [TOKENIZED_MAX],
  'Tokens that a request detokenizes': [DETOKENIZED_MAX],
  'Data of the tokens that a request detokenizes': [DETOKENIZED_MAX_BYTES, REACTOR_LIMITS.invocationBytes],
  'Search query': [SEARCH_LIMITS.terms, SEARCH_LIMITS.query],
  'Items of a page': [PAGE_SIZE_MAX, PAGE_SIZE_DEFAULT],
  'Items that numbered pages reach': [COUNT_MAX],
  'Ids that a list is narrowed to': [IDS_MAX],
  'Name of an application, a reactor, a proxy or a tenant': [NAME_MAX_LENGTH],
  'Name that a list of applications, reactors or proxies is narrowed to': [PATTERN_MAX_LENGTH],
  'Rules of an application or a session': [
    RULE_LIMITS.rules,
    RULE_LIMITS.description,
    RULE_LIMITS.conditionValue,
  ],
  'Reactors of a tenant': [parseSettings({}).reactorsPerTenant],
  'External id of an application, a reactor or a proxy': [EXTERNAL_ID_MAX_LENGTH],
  'External ids that a list is narrowed to': [EXTERNAL_IDS_MAX],
  'Label of a value of a configuration': [LABEL_MAX_LENGTH],
  'Revision of the configuration of a tenant': [REVISION_MAX_LENGTH],
  'Stored proxies of a tenant': [STORED_PROXY_LIMITS.proxies],
  'Conditions of the rules of a session': [RULE_LIMITS.conditions, RULE_LIMITS.conditionsInAll],
  'Permissions and rules of a session': [SESSION_LIMITS.grantsBytes],
  'Life of a session': [SESSION_LIMITS.lifetimeMs / minutes, SESSION_LIMITS.longestLifetimeMs / hours],
  'Code of a reactor': [REACTOR_LIMITS.code, REACTOR_LIMITS.codeBytes],
  'Configuration of a reactor': [
    REACTOR_LIMITS.configuration,
    REACTOR_LIMITS.configurationKey,
    REACTOR_LIMITS.configurationValue,
  ],
  'Keys of a stored proxy': [STORED_PROXY_LIMITS.keys],
  'Versions of a stored proxy': [STORED_PROXY_LIMITS.versions],
  'Failures of transforms that can be read': [FAILURES_MAX],
  'Versions of a stored proxy that are retained beside them': [STORED_PROXY_LIMITS.retainedVersions],
  'Paths of a stored proxy': [STORED_PROXY_LIMITS.paths, STORED_PROXY_LIMITS.path],
  'Configuration of a stored proxy': [
    STORED_PROXY_LIMITS.configuration,
    STORED_PROXY_LIMITS.configurationName,
    STORED_PROXY_LIMITS.configurationValue,
  ],
  'The same, all together': [STORED_PROXY_LIMITS.configurationBytes],
  'A stored proxy without its configuration': [STORED_PROXY_LIMITS.definitionBytes],
  'Transforms of a stored proxy, of requests and of answers': [
    STORED_PROXY_LIMITS.transforms,
    STORED_PROXY_LIMITS.transforms,
  ],
  'Bytes that the transforms of one call read': [STORED_PROXY_LIMITS.transformedBytes],
  'Tokens that the transforms of one call make': [STORED_PROXY_LIMITS.tokens],
  'Header value, replacement, regular expression of a transform': [
    STORED_PROXY_LIMITS.headerValue,
    STORED_PROXY_LIMITS.replacement,
    STORED_PROXY_LIMITS.expression,
  ],
  'Time of an asynchronous invocation': [TIMEOUT.least, TIMEOUT.most],
  'Idempotency key': [KEY_MAX_LENGTH],
  'Destination of the proxy': [DESTINATION_MAX_LENGTH],
  'Response of a destination': [PROXY_LIMITS.bodyMaxBytes],
  'Time of a destination': [PROXY_LIMITS.timeoutMs / 1000],
  'Elements of a list that a member of the interface takes': [LIST_MAX],
  'Members that a 400 reports': [PATHS_MAX],
};

/** Rows of the table below the heading "Limits": what is limited, and the numbers of its limit. */
function documentedLimits(): Readonly<Record<string, readonly number[]>> {
  const text = readFileSync('docs/contract.md', 'utf8');
  const [section = ''] = text.slice(text.indexOf('\n## Limits\n') + 1).split(/\n(?=###? )/);
  const rows = section.split('\n').filter((line) => line.startsWith('| '));
  return Object.fromEntries(
    rows.slice(2).map((row) => {
      const [, what = '', limit = ''] = row.split('|').map((cell) => cell.trim());
      const numbers = [...limit.matchAll(/(\d[\d,.]*\d|\d)( MB)?/g)].map(
        ([, number = '', unit]) => Number(number.replaceAll(',', '')) * (unit === undefined ? 1 : 1_000_000),
      );
      return [what, numbers];
    }),
  );
}

it('docs/contract.md states exactly the limits of the code', () => {
  expect(documentedLimits()).toEqual(LIMITS);
});
