// `npm run bench -- postgres`: the local service next to PostgreSQL with pgcrypto, in one run. It
// installs Debian's package if it may, and starts its own PostgreSQL.
import { MissingPostgres } from './postgres/cluster.ts';
import { measurePostgres, type PostgresResult } from './postgres/measure-postgres.ts';
import { report } from './section.ts';

const TITLE = 'Beside PostgreSQL with pgcrypto';
const milliseconds = (value: number) => `${value.toFixed(2)} ms`;

let found: PostgresResult | string;
try {
  found = await measurePostgres();
} catch (error) {
  if (!(error instanceof MissingPostgres)) throw error;
  found = error.message;
}

if (typeof found === 'string') {
  report({
    budgets: [],
    figures: [{ title: TITLE, columns: ['not measured'], rows: [[found.split('\n')[0] ?? '']] }],
  });
} else {
  report({
    budgets: [],
    figures: [
      {
        title: TITLE,
        columns: [
          'operation',
          'local service',
          /PostgreSQL\D*(\d+\.\d+)/.exec(found.version)?.[0].replace(')', '') ?? found.version,
          'ratio',
          'CPU, local service',
          'CPU, PostgreSQL',
          'ratio of CPU',
        ],
        rows: found.operations.map(({ name, cloakroom, postgres }) => [
          name,
          milliseconds(cloakroom.milliseconds),
          milliseconds(postgres.milliseconds),
          (cloakroom.milliseconds / postgres.milliseconds).toFixed(1),
          milliseconds(cloakroom.processorMilliseconds),
          milliseconds(postgres.processorMilliseconds),
          (cloakroom.processorMilliseconds / postgres.processorMilliseconds).toFixed(1),
        ]),
        note: 'One request after the other. The local service is a gateway, worker threads, and stand-ins of DynamoDB and KMS that check every permission, all in JavaScript on this machine; on AWS it is none of these.',
      },
    ],
  });
}
