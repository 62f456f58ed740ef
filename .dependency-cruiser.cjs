/**
 * The arrows between the rooms (docs/architecture.md), each with its reason.
 * @type {import('dependency-cruiser').IConfiguration}
 */
const own = '^(bin|console|lib|functions|site|src|reactor-runtime|packages|test|tools|examples)/';

/**
 * The folders of src/core from the lowest to the highest: each imports only those before it.
 * `audit` records what the folders above it report; `trail` seals, reads and verifies the records;
 * `operator` has the use cases of an operator, which concern several folders at once.
 */
const CORE_LAYERS = [
  'shared',
  'crypto',
  'expressions',
  'lists',
  'sweep',
  'audit',
  'idempotency',
  'egress',
  'access',
  'applications',
  'tenants',
  'tokens',
  'proxy-expressions',
  'reactors',
  'republish',
  'stored-proxies',
  'webhooks',
  'trail',
  'operator',
];

/**
 * The folders of packages/local-aws/src from the lowest to the highest. `assembly` has what every
 * service implements (`LocalService`); `faults` and those after it concern several services.
 */
const LOCAL_AWS_LAYERS = [
  'assembly',
  'deployment',
  'iam',
  'dynamodb',
  'kms',
  'lambda',
  'sqs',
  'gateway',
  'schedules',
  'backup',
  'logs',
  'faults',
  'cloudwatch',
  'aws-endpoint',
  'cloudformation',
];

/** The folders of console/src from the lowest to the highest: each view knows those before it. */
const CONSOLE_LAYERS = [
  'session',
  'parts',
  'sign-in',
  'health',
  'tenant',
  'tokens',
  'applications',
  'reactors',
  'proxies',
  'trail',
];

/** The files above the folders of console/src; the other files are below all folders. */
const CONSOLE_TOP = '^console/src/(app|main)\\.tsx$';

/** The files above the folders of packages/local-aws/src; the other files are below all folders. */
const LOCAL_AWS_TOP =
  '^packages/local-aws/src/(cloud|cloud-options|compile-functions|open-app|services)\\.ts$';

/** Each folder of a room imports only those before it, and all of its folders are in the list. */
const layerRules = (room, root, list, layers) => {
  const folders = (names) => `^${root}/(${names.join('|')})/`;
  return [
    ...layers.slice(0, -1).map((name, at) => ({
      name: `${room}-in-layers-${name}`,
      comment: `A reader of ${root}/${name} needs to know only the folders before it in ${list}.`,
      severity: 'error',
      from: { path: folders([name]) },
      to: { path: folders(layers.slice(at + 1)) },
    })),
    {
      name: `${room}-layers-are-listed`,
      comment: `A folder of ${root} that has no place in ${list} could import any other.`,
      severity: 'error',
      from: { path: `^${root}/[^/]+/`, pathNot: folders(layers) },
      to: {},
    },
  ];
};

module.exports = {
  forbidden: [
    {
      name: 'no-cycles',
      comment: 'Two files that need each other are one file, or hide a third.',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'small-schemas-in-bundles',
      comment:
        'A function builds its schemas at every cold start: zod/mini, which is made of zod/v4/core, does so with far less code (docs/decisions/0013#use-zodmini).',
      severity: 'error',
      from: { path: '^(functions|src)/' },
      to: { path: 'node_modules/zod/', pathNot: 'node_modules/zod/(v4/)?(mini|core)/' },
    },
    {
      name: 'openapi-is-not-bundled',
      comment:
        'Summaries and examples of operations are read by the tool that writes the OpenAPI document, and by nothing that ships. The words of members in src/wire stay out of the bundles by a test (test/tools/bench/bundle-size.test.ts).',
      severity: 'error',
      from: {
        path: own,
        pathNot: ['^functions/[^/]+/([^/]+/describe|words)\\.ts$', '^tools/openapi/', '^test/'],
      },
      to: {
        path: [
          '^functions/[^/]+/([^/]+/describe|words)\\.ts$',
          '^src/wire/(token-data|operation-description)\\.ts$',
        ],
      },
    },
    {
      name: 'core-is-alone',
      comment: 'What the product is must be readable, and testable, without cloud and HTTP.',
      severity: 'error',
      from: { path: '^src/core/' },
      to: { path: own, pathNot: '^src/core/' },
    },
    ...layerRules('core', 'src/core', 'CORE_LAYERS', CORE_LAYERS),
    {
      name: 'core-without-cloud',
      comment: 'No SDK, no cloud, no HTTP in core: what it needs of them is a port.',
      severity: 'error',
      from: { path: '^src/core/' },
      to: {
        path: [
          'node_modules/@(aws-sdk|aws-lambda-powertools|middy)',
          'node_modules/aws-cdk-lib',
          '^(node:)?(child_process|cluster|dgram|dns|fs|http|http2|https|net|tls|worker_threads)(/|$)',
        ],
      },
    },
    {
      name: 'requests-are-recorded',
      comment:
        'What begins a record decides what the audit trail says: two files do so, around all that runs (docs/security.md#invariants-between-callers). Types are free.',
      severity: 'error',
      from: {
        path: own,
        pathNot: ['^src/http/record-request\\.ts$', '^src/lambda/with-audit\\.ts$', '^test/'],
      },
      to: {
        path: ['^src/core/audit/audit-scope\\.ts$', '^src/lambda/audited-deps\\.ts$'],
        dependencyTypesNot: ['type-only'],
      },
    },
    {
      name: 'ports-are-audited-in-one-place',
      comment:
        'Ports that were wrapped with another table of effects would act without a record (docs/audit.md). Types are free.',
      severity: 'error',
      from: { path: own, pathNot: ['^src/lambda/audited-deps\\.ts$', '^test/'] },
      to: { path: '^src/core/audit/audited-ports\\.ts$', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'only-core-proves',
      comment:
        'What makes a proven MAC decides which clear fields are believed (docs/security.md#the-encrypted-record). Types are free.',
      severity: 'error',
      from: { path: own, pathNot: ['^src/core/', '^test/'] },
      to: { path: '^src/core/tokens/encrypt-content\\.ts$', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'lambda-knows-core',
      comment: 'The same for every function, HTTP or not: it knows no route, no function and no adapter.',
      severity: 'error',
      from: { path: '^src/lambda/' },
      to: { path: own, pathNot: '^src/(lambda|core)/' },
    },
    {
      name: 'operator-knows-lambda-and-core',
      comment:
        'The same for both functions of the operator, which run one table of commands: it knows neither of them, and no adapter.',
      severity: 'error',
      from: { path: '^src/operator/' },
      to: { path: own, pathNot: '^src/(operator|lambda|core)/' },
    },
    {
      name: 'commands-are-read-without-code',
      comment: 'The command line, the stacks and the packages read the table of commands, and no code of it.',
      severity: 'error',
      from: { path: '^src/operator/command-names\\.ts$' },
      to: { path: own },
    },
    {
      name: 'wire-knows-core',
      comment:
        'The shape of a resource in requests and responses: it knows neither routes nor functions, and core never needs it.',
      severity: 'error',
      from: { path: '^src/wire/' },
      to: { path: own, pathNot: '^src/(wire|core)/' },
    },
    {
      name: 'http-knows-lambda-wire-and-core',
      comment: 'The same for every route: it knows no function and no adapter.',
      severity: 'error',
      from: { path: '^src/http/' },
      to: { path: own, pathNot: '^src/(http|lambda|wire|core)/' },
    },
    {
      name: 'adapters-know-core',
      comment: 'An adapter fulfils a port of core and knows nothing else of ours.',
      severity: 'error',
      from: { path: '^src/adapters/' },
      to: { path: own, pathNot: '^src/(adapters|core)/' },
    },
    {
      name: 'functions-stay-apart',
      comment: 'One folder is one Lambda: what two of them share belongs to src.',
      severity: 'error',
      from: { path: '^functions/([^/]+)/' },
      to: { path: '^functions/', pathNot: '^functions/$1/' },
    },
    {
      name: 'functions-know-src',
      comment: 'A function is a table over core.',
      severity: 'error',
      from: { path: '^functions/' },
      to: { path: own, pathNot: '^(functions|src)/' },
    },
    {
      name: 'only-dependencies-compose',
      comment: 'One place per function wires adapters; the rest of it cannot tell what is behind a port.',
      severity: 'error',
      from: { path: '^functions/', pathNot: '^functions/[^/]+/dependencies\\.ts$' },
      to: { path: '^src/adapters/', pathNot: '^src/adapters/(egress/egress-)?instance\\.ts$' },
    },
    {
      name: 'only-index-takes-the-machine',
      comment:
        'Everything else takes clock, timers, random values and connections from its instance, so that a simulation can run many instances in one process. Types are free.',
      severity: 'error',
      from: {
        path: '^(functions|src)/',
        pathNot: ['^functions/[^/]+/index\\.ts$', '^src/adapters/(egress/egress-)?instance\\.ts$'],
      },
      to: {
        path: '^src/adapters/((egress/egress-)?instance|machine-platform)\\.ts$',
        dependencyTypesNot: ['type-only'],
      },
    },
    {
      name: 'aws-only-in-adapters',
      comment:
        "The only callers of anything outside the process. bin/operator is an AWS client of its own, on the operator's machine.",
      severity: 'error',
      from: {
        path: '^(src/(core|http|lambda)|functions|lib)/',
      },
      to: { path: 'node_modules/@aws-sdk' },
    },
    {
      name: 'lib-knows-what-it-deploys',
      comment:
        'The environment of the functions, the commands of the operator, the names of the indexes that the adapters query, what makes a table append-only, what goes into the layer, and the function on which it is tried, the headers that browsers may read, and that of the edge: names shared through one file. And the life of a cvc, which is a setting here and words of the interface there. And the headers of the console and of card fields, which a local server sends too. And how files are hashed, to compare what was built with its sources, and which name a misspelt one may mean. And the form of an address that the allow list names: a setting is refused here as it is read there.',
      severity: 'error',
      from: { path: '^lib/' },
      to: {
        path: own,
        pathNot: [
          '^lib/',
          '^functions/[^/]+/config\\.ts$',
          '^src/operator/command-names\\.ts$',
          '^src/adapters/dynamodb/(keys|append-only)\\.ts$',
          '^src/core/(reactors/(author-packages|layer)|republish/own-function)\\.ts$',
          '^src/http/(edge-secret|reserved-headers)\\.ts$',
          '^src/core/tokens/cvc-lifetime\\.ts$',
          '^src/core/(egress/destination|shared/known-names)\\.ts$',
          '^packages/local-aws/src/assembly/files-key\\.ts$',
          '^(console|packages/fields)/headers\\.ts$',
        ],
      },
    },
    {
      name: 'bin-starts-things',
      comment:
        'The entry points start the app, or its local account, or are clients of a service; they are nothing themselves. Of the functions they know what the operator can ask for.',
      severity: 'error',
      from: {
        path: '^bin/',
        pathNot: '^bin/(operator/restore|reactor|config|export|import|check-(account|upgrade))/',
      },
      to: {
        path: own,
        pathNot: [
          '^(bin|lib|packages/(local-aws|sdk)/src)/',
          // `npm start` is `cloakroom start`.
          '^packages/cli/bin/cloakroom\\.cjs$',
          '^src/operator/command-names\\.ts$',
          '^(console|packages/fields)/headers\\.ts$',
        ],
      },
    },
    {
      name: 'restore-knows-stored-formats',
      comment:
        'A restore compares and writes items of the tables. One definition of their keys and formats serves it and the adapters; names of the deployment lead to its backups.',
      severity: 'error',
      from: { path: '^bin/operator/restore/' },
      to: {
        path: own,
        pathNot: [
          '^(bin/(operator|command-line)|packages/local-aws/src)/',
          '^src/adapters/dynamodb/(keys|token-item|tenant-item|token-tables)\\.ts$',
          '^src/core/(tokens/service-id|tenants/tenant|crypto/key-ring)\\.ts$',
          '^lib/deployment-names\\.ts$',
        ],
      },
    },
    {
      name: 'reactor-command-runs-the-runtime',
      comment: 'It runs code like the service, and prints the problem that a caller would get.',
      severity: 'error',
      from: { path: '^bin/reactor/' },
      to: {
        path: own,
        pathNot: [
          '^(bin/(reactor|command-line)|lib|packages/local-aws/src|src/(core|wire|adapters/lambda))/',
          '^(reactor-runtime/worker/built-ins|bin/start/built-assets)\\.ts$',
        ],
      },
    },
    {
      name: 'rows-are-checked-by-the-code-of-the-service',
      comment:
        'A dry run accepts what the service would accept. A map is YAML, which is read as a configuration is.',
      severity: 'error',
      from: { path: '^bin/import/' },
      to: {
        path: own,
        pathNot: '^(bin/(import|config/file|command-line)|packages/(local-aws|sdk)/src|src/(core|wire))/',
      },
    },
    {
      name: 'plans-are-made-by-the-code-of-the-service',
      comment:
        'A plan compares what the service would store, and says who sees what by the code that decides.',
      severity: 'error',
      from: { path: '^bin/config/' },
      to: {
        path: own,
        pathNot: [
          '^(bin/(config|command-line)|packages/(local-aws|sdk)/src|src/(core|wire))/',
          '^src/http/(parse-(input|token-input)|report-unknown-members)\\.ts$',
        ],
      },
    },
    {
      name: 'exports-are-judged-by-the-code-of-the-service',
      comment: 'An export says which values are masked by the code that decides it.',
      severity: 'error',
      from: { path: '^bin/export/' },
      to: {
        path: own,
        pathNot: '^(bin/(export|command-line)/|packages/(local-aws|sdk)/src/|src/core/|lib/prices\\.ts$)',
      },
    },
    {
      name: 'upgrades-are-checked-by-rules-of-core',
      comment: 'A check of stored proxies says what the new version refuses, which core decides.',
      severity: 'error',
      from: { path: '^bin/check-upgrade/' },
      to: {
        path: own,
        pathNot: '^(bin/(check-upgrade|command-line)|packages/(local-aws|sdk)/src|src/core)/',
      },
    },
    {
      name: 'accounts-are-checked-by-the-calls-of-the-service',
      comment: 'A check of an account makes a function by the call that makes those of reactors.',
      severity: 'error',
      from: { path: '^bin/check-account/' },
      to: {
        path: own,
        pathNot:
          '^(bin/(check-account|command-line)/|packages/local-aws/src/|src/(core/|adapters/lambda/|lambda/tag-list))',
      },
    },
    {
      name: 'cli-is-the-program',
      comment:
        'It parses the command line and loads what a person starts, which is in bin. The program itself is ready before it has loaded a command.',
      severity: 'error',
      from: { path: '^packages/cli/src/', pathNot: '^packages/cli/src/packaged/' },
      to: { path: own, pathNot: ['^packages/cli/src/', '^bin/'] },
    },
    {
      name: 'only-the-build-packages',
      comment:
        'These modules take the place of others in the built package, where the sources are not: nothing of the repository runs them.',
      severity: 'error',
      from: { path: own, pathNot: ['^packages/cli/(src/packaged|test)/', '^tools/build-cli\\.ts$'] },
      to: { path: '^packages/cli/src/packaged/' },
    },
    {
      name: 'packaged-modules-are-like-the-start',
      comment: 'They do what modules of bin/start do with an app that was built, for each image.',
      severity: 'error',
      from: { path: '^packages/cli/src/packaged/' },
      to: {
        path: own,
        pathNot: ['^(packages/cli|lib|bin/start|packages/local-aws/src)/', '^src/core/reactors/layer\\.ts$'],
      },
    },
    {
      name: 'commands-are-loaded-on-use',
      comment: 'Help and the other commands must not wait for the AWS SDK, the CDK or the local account.',
      severity: 'error',
      from: { path: '^packages/cli/src/', pathNot: '^packages/cli/src/packaged/' },
      to: {
        path: '^bin/',
        pathNot: '^bin/command-line/',
        dependencyTypesNot: ['dynamic-import', 'type-only'],
      },
    },
    ...layerRules('console', 'console/src', 'CONSOLE_LAYERS', CONSOLE_LAYERS),
    {
      name: 'console-files-are-lowest',
      comment: 'A file that is not in a folder serves all of them, so it knows none.',
      severity: 'error',
      from: { path: '^console/src/[^/]+\\.tsx?$', pathNot: CONSOLE_TOP },
      to: { path: ['^console/src/[^/]+/', CONSOLE_TOP] },
    },
    {
      name: 'console-is-a-client',
      comment:
        'A page over the API alone: it does what anyone with the key could do, so it knows the SDK and nothing of the service. One thing it computes itself, before anything is sent: which access an edit gives, by the code that decides.',
      severity: 'error',
      from: { path: '^console/' },
      to: {
        path: own,
        pathNot: [
          '^(console|packages/sdk/src)/',
          '^src/core/(access/(access-effects|access-rule)|shared/container)\\.ts$',
        ],
      },
    },
    {
      name: 'local-aws-is-alone',
      comment:
        'It runs any synthesized app; if it knew the service it could make it work where AWS would not.',
      severity: 'error',
      from: { path: '^packages/local-aws/' },
      // Its tests share the kit of all tests; its source does not (product-without-tests).
      to: { path: [own, '^@cloakroom/'], pathNot: '^packages/(local-aws|test-kit)/' },
    },
    ...layerRules('local-aws', 'packages/local-aws/src', 'LOCAL_AWS_LAYERS', LOCAL_AWS_LAYERS),
    {
      name: 'local-aws-composes-at-the-top',
      comment: 'These files know all services: a folder that imports one of them would, too.',
      severity: 'error',
      from: { path: '^packages/local-aws/src/[^/]+/' },
      to: { path: LOCAL_AWS_TOP },
    },
    {
      name: 'local-aws-files-are-lowest',
      comment: 'A file that is not in a folder serves all of them, so it knows none.',
      severity: 'error',
      from: { path: '^packages/local-aws/src/[^/]+\\.ts$', pathNot: LOCAL_AWS_TOP },
      to: { path: ['^packages/local-aws/src/[^/]+/', LOCAL_AWS_TOP] },
    },
    {
      name: 'cdk-package-adds-a-construct',
      comment: 'The stacks are in lib, which an app of the repository has too: the package is a way to them.',
      severity: 'error',
      from: { path: '^packages/cdk/src/' },
      to: { path: own, pathNot: '^(packages/cdk/src|lib)/' },
    },
    {
      name: 'test-kit-is-small',
      comment:
        'The tests of all rooms share it, so it knows none of them: only how numbers are drawn from a seed.',
      severity: 'error',
      from: { path: '^packages/test-kit/' },
      to: {
        path: own,
        pathNot: ['^packages/test-kit/', '^packages/local-aws/src/faults/seeded-random\\.ts$'],
      },
    },
    {
      name: 'testing-runs-the-service',
      comment:
        'A vault in the process of a test runs the functions and the runtime as they are. It takes the place of AWS alone, and shares with the local account how API Gateway reads a request.',
      severity: 'error',
      from: { path: '^packages/testing/src/' },
      to: {
        path: own,
        pathNot: [
          '^packages/(testing|sdk)/src/',
          '^(functions|src|reactor-runtime)/',
          '^packages/local-aws/src/gateway/',
        ],
      },
    },
    {
      name: 'site-is-made-from-files',
      comment: 'The generator of the documentation site reads pages and the OpenAPI document, and no code.',
      severity: 'error',
      from: { path: '^site/' },
      to: { path: own, pathNot: ['^site/', '^tools/docs/site-config\\.ts$'] },
    },
    {
      name: 'site-is-a-process',
      comment: 'Tools start the generator, and do not import it: it has packages of its own.',
      severity: 'error',
      from: { path: own, pathNot: ['^site/', '^test/site/'] },
      to: { path: '^site/' },
    },
    {
      name: 'runtime-knows-the-sdk',
      comment:
        "It runs next to a customer's code on an old Node.js: its process contains nothing of the service except the limits of a result's JSON, the images, the hash of code, the list of packages and the names of the files of packages beside the code.",
      severity: 'error',
      from: { path: '^reactor-runtime/' },
      to: {
        path: own,
        pathNot: [
          '^(reactor-runtime|packages/sdk/src)/',
          '^src/core/(shared/json-extent|reactors/(author-packages|code-hash|layer|package-files))\\.ts$',
        ],
      },
    },
    {
      name: 'sdk-is-alone',
      comment:
        'Browsers and reactors load it: no dependency, and nothing of ours but how JSON is read and the brands of cards, which are bundled into it.',
      severity: 'error',
      from: { path: '^packages/sdk/src/' },
      to: {
        path: [own, 'node_modules/(?!@types/)'],
        pathNot: [
          '^packages/sdk/src/',
          '^src/core/shared/(parse-json|json-strings|json)\\.ts$',
          '^src/core/tokens/types/card-brand\\.ts$',
        ],
      },
    },
    {
      name: 'fields-know-the-sdk',
      comment:
        'A frame sends with the client of the SDK, and checks numbers as the service does. Everything in it could read a number, so it has no package; the wrapper of the page alone knows React.',
      severity: 'error',
      from: { path: '^packages/fields/(src/|headers\\.ts$)' },
      to: {
        path: [own, 'node_modules/(?!@types/react/|react/)'],
        pathNot: [
          '^packages/fields/(src/|headers\\.ts$)',
          '^packages/sdk/src/',
          '^src/core/tokens/types/(passes-luhn|is-aba-routing|card-brand)\\.ts$',
        ],
      },
    },
    {
      name: 'react-only-in-its-wrapper',
      comment: 'A page without React loads no part of it.',
      severity: 'error',
      from: { path: '^packages/fields/src/', pathNot: '^packages/fields/src/react\\.ts$' },
      to: { path: 'node_modules/(@types/)?react/' },
    },
    {
      name: 'product-without-tests',
      comment: 'Nothing that ships knows its tests, tools or examples.',
      severity: 'error',
      from: { path: '^(bin|console|lib|functions|src|reactor-runtime|packages/(?!test-kit/)[^/]+/src)/' },
      to: { path: ['^(test|tools|examples)/', '^packages/[^/]+/test/', '^packages/test-kit/'] },
    },
    {
      name: 'examples-are-copied',
      comment:
        'What people copy works without this repository, and with no package but the SDK and, in its tests, the testing package. A pipeline stays in it: it deploys it.',
      severity: 'error',
      from: { path: '^examples/([^/]+)/', pathNot: '^examples/pipeline/' },
      // `npm install` links these packages in an example.
      to: { path: [own, 'node_modules/'], pathNot: ['^examples/$1/', '^packages/(sdk|testing)/dist/'] },
    },
    {
      name: 'no-dev-dependencies-in-product',
      comment: 'What is bundled is a dependency: it is what is audited.',
      severity: 'error',
      from: { path: '^(functions|src)/' },
      to: {
        dependencyTypes: ['npm-dev'],
        dependencyTypesNot: ['type-only'],
        pathNot: 'node_modules/@types/',
      },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      extensions: ['.ts', '.js', '.mjs', '.cjs', '.json'],
      exportsFields: ['exports'],
      conditionNames: ['import', 'require', 'node', 'default', 'types'],
    },
  },
};
