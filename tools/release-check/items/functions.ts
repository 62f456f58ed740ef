import { DescribeLogGroupsCommand, FilterLogEventsCommand } from '@aws-sdk/client-cloudwatch-logs';
import {
  DeleteFunctionConcurrencyCommand,
  GetAliasCommand,
  GetProvisionedConcurrencyConfigCommand,
  ListVersionsByFunctionCommand,
  PutFunctionConcurrencyCommand,
} from '@aws-sdk/client-lambda';
import { GetQueueAttributesCommand, ListQueuesCommand } from '@aws-sdk/client-sqs';
import { IMAGES, NODE_VERSIONS } from '../../../src/core/reactors/layer.ts';
import { aReactor, request, returning, shown } from '../api.ts';
import { expectThat, type ItemContext, type ReleaseItem } from '../item.ts';
import { functionWith, withTimeout } from '../live-version.ts';

const SWEPT_MS = 600_000;
/** Only the function Reactors has this variable. */
const OF_REACTORS = 'REACTOR_ROLE';

/** The numbers of the published versions of a function. */
async function versionsOf({ clients }: ItemContext, FunctionName: string): Promise<readonly string[]> {
  const { Versions = [] } = await clients.lambda.send(new ListVersionsByFunctionCommand({ FunctionName }));
  return Versions.map(({ Version = '' }) => Version).filter((number) => number !== '$LATEST');
}

/** The newest log lines of all groups of the service that match a filter. */
async function linesSince({ clients, deployment, clock }: ItemContext, ms: number, filterPattern?: string) {
  const { logGroups = [] } = await clients.logs.send(new DescribeLogGroupsCommand({}));
  const own = logGroups.flatMap(({ logGroupName: name }) =>
    name?.includes(deployment.serviceName) === true ? [name] : [],
  );
  expectThat(own.length > 0, `no log group has ${deployment.serviceName} in its name`);
  const found = await Promise.all(
    own.map(async (logGroupName) => {
      const input = { logGroupName, startTime: clock() - ms, filterPattern, limit: 1_000 };
      return (await clients.logs.send(new FilterLogEventsCommand(input))).events ?? [];
    }),
  );
  return found.flat().map(({ message = '' }) => message.trim());
}

const created: ReleaseItem = {
  id: 'reactor-created',
  title: 'A reactor can be created and changed',
  where: 'anywhere',
  async run(context) {
    const reactor = await aReactor(context, returning(1));
    const first = await reactor.react();
    expectThat(first.body.raw === 1, `the first code: ${shown(first)}`);
    const put = await reactor.put(returning(2));
    expectThat(put.status === 200, `PUT: ${shown(put)}`);
    const second = await reactor.react();
    expectThat(second.body.raw === 2, `the second code: ${shown(second)}`);
    return { seen: 'POST 201, PUT 200, and the reactor ran each code' };
  },
};

const outputIsNotStored: ReleaseItem = {
  id: 'reactor-output',
  title: 'Reactor output is not stored',
  where: 'only on AWS',
  async run(context) {
    const { clients, deployment, pause } = context;
    const code = 'module.exports = () => { console.log(1); throw new Error(2) }';
    const reactor = await aReactor(context, code);
    await reactor.react();
    await pause(60_000);
    const { logGroups = [] } = await clients.logs.send(
      new DescribeLogGroupsCommand({ logGroupNamePrefix: `/aws/lambda/${deployment.serviceName}-reactor-` }),
    );
    expectThat(logGroups.length === 0, `${String(logGroups.length)} log groups of reactors`);
    return { seen: 'no log group of a reactor' };
  },
};

/** Waits for the sweep, which asks for the instance in a minute, and for AWS, which starts it. */
async function untilHot({ clients, pause }: ItemContext, functionName: string): Promise<void> {
  const command = new GetProvisionedConcurrencyConfigCommand({
    FunctionName: functionName,
    Qualifier: 'live',
  });
  let status: string | undefined;
  for (let tries = 0; tries < 20 && status !== 'READY'; tries += 1) {
    await pause(30_000);
    const found = await clients.lambda.send(command).catch(() => undefined);
    status = found?.Status;
  }
  expectThat(status === 'READY', `no running instance after ten minutes: ${status ?? 'none was asked for'}`);
}

const hotIsChanged: ReleaseItem = {
  id: 'hot-reactor',
  title: 'A hot reactor can be changed twice',
  where: 'only on AWS',
  async run(context) {
    const reactor = await aReactor(context, returning(1));
    await untilHot(context, reactor.functionName);
    for (const value of [3, 4]) {
      const put = await reactor.put(returning(value));
      expectThat(put.status === 200, `PUT ${String(value)}: ${shown(put)}`);
    }
    for (let call = 0; call < 60; call += 1) {
      const response = await reactor.react();
      expectThat(response.body.raw === 4, `call ${String(call)}: ${shown(response)}`);
    }
    const alias = { FunctionName: reactor.functionName, Name: 'live' };
    await context.pause(SWEPT_MS);
    const { RoutingConfig } = await context.clients.lambda.send(new GetAliasCommand(alias));
    const weights = Object.keys(RoutingConfig?.AdditionalVersionWeights ?? {});
    expectThat(weights.length === 0, `the alias still has weights for ${weights.join()}`);
    const versions = await versionsOf(context, reactor.functionName);
    expectThat(versions.length === 1, `versions after ten minutes: ${versions.join()}`);
    const lines = await linesSince(context, SWEPT_MS + 300_000, 'keepReactorHot');
    expectThat(lines.length === 0, `${String(lines.length)} lines keepReactorHot`);
    return { seen: '60 responses of the new code; one version, no weights, no line keepReactorHot' };
  },
};

const removedIsPublished: ReleaseItem = {
  id: 'removed-code',
  title: 'Removed code can be published again',
  where: 'only on AWS',
  async run(context) {
    const { pause } = context;
    const reactor = await aReactor(context, returning(1));
    const before = await versionsOf(context, reactor.functionName);
    const moveBack = await withTimeout(context, await functionWith(context, OF_REACTORS), 2);
    await pause(10_000);
    const interrupted = await reactor.put(returning(5));
    const during = await versionsOf(context, reactor.functionName);
    const wasInterrupted = interrupted.status !== 200 && during.length > before.length;
    await moveBack();
    if (!wasInterrupted)
      return {
        seen: `PUT was not interrupted between its version and its alias: ${shown(interrupted)}`,
        person: 'repeat the item',
      };
    await pause(SWEPT_MS);
    const after = await versionsOf(context, reactor.functionName);
    expectThat(after.join() === before.join(), `versions after the sweep: ${after.join()}`);
    const again = await reactor.put(returning(5));
    expectThat(again.status === 200, `the same PUT again: ${shown(again)}`);
    const response = await reactor.react();
    expectThat(response.body.raw === 5, `the reactor: ${shown(response)}`);
    return { seen: 'the sweep removed the version, and the same code was published again' };
  },
};

const retainsMemory: ReleaseItem = {
  id: 'reactor-memory',
  title: 'A reactor that retains 300 MB responds',
  where: 'only on AWS',
  async run(context) {
    const code =
      'module.exports = () => { globalThis.large = Buffer.alloc(3e8, 1); return { raw: large.length } }';
    const reactor = await aReactor(context, code);
    const responses = [await reactor.react(), await reactor.react(), await reactor.react()];
    const seen = responses.map(shown).join(', ');
    const isWhole = responses.every(({ status, body }) => status === 200 && body.raw === 300_000_000);
    const isRefused = responses.every(
      ({ status, body }) => status === 500 && body.detail?.includes('memory') === true,
    );
    expectThat(isWhole || isRefused, `a mix: ${seen}`);
    return { seen };
  },
};

/** The number of messages in the dead letter queue of invocations. */
async function deadLetters({ clients, deployment }: ItemContext): Promise<number> {
  const { QueueUrls = [] } = await clients.sqs.send(new ListQueuesCommand({}));
  const QueueUrl = QueueUrls.find((url) =>
    [deployment.serviceName, 'Invocations', 'DeadLetters'].every((part) => url.includes(part)),
  );
  expectThat(QueueUrl !== undefined, 'the service has no queue of dead letters');
  const name = 'ApproximateNumberOfMessages';
  const { Attributes } = await clients.sqs.send(
    new GetQueueAttributesCommand({ QueueUrl, AttributeNames: [name] }),
  );
  return Number(Attributes?.[name]);
}

const waitOutlasts: ReleaseItem = {
  id: 'long-wait',
  title: 'A wait outlasts the loop detection',
  where: 'only on AWS',
  async run(context) {
    const { clients, pause, afterwards } = context;
    const reactor = await aReactor(context, returning(6));
    const FunctionName = reactor.functionName;
    const release = () => clients.lambda.send(new DeleteFunctionConcurrencyCommand({ FunctionName }));
    afterwards(release);
    const stopped = { FunctionName, ReservedConcurrentExecutions: 0 };
    await clients.lambda.send(new PutFunctionConcurrencyCommand(stopped));
    const invoked = await reactor.react({ callback_url: 'https://example.com/hook' });
    expectThat(invoked.status === 202, `the invocation: ${shown(invoked)}`);
    await pause(SWEPT_MS);
    const count = await deadLetters(context);
    expectThat(count === 0, `${String(count)} dead letters`);
    await release();
    await pause(60_000);
    const path = `${reactor.path}/results/${invoked.body.id ?? ''}`;
    const result = await request(context, reactor.key, 'GET', path);
    expectThat(result.status === 200, `the result: ${shown(result)}`);
    return {
      seen: 'no dead letter in ten minutes, then the result',
      person: 'did InvocationsWaiting send a mail?',
    };
  },
};

function isOurs(line: string): boolean {
  try {
    const { level, timestamp, _aws: metrics } = JSON.parse(line) as Readonly<Record<string, unknown>>;
    return metrics !== undefined || (level !== undefined && timestamp !== undefined);
  } catch {
    return false;
  }
}

const logLines: ReleaseItem = {
  id: 'log-lines',
  title: 'Logs contain only our lines',
  where: 'only on AWS',
  async run(context) {
    const minutes = 300_000;
    const reactor = await aReactor(context, returning(1));
    // A function that is stopped leaves a line about its timeout.
    const moveBack = await withTimeout(context, await functionWith(context, OF_REACTORS), 1);
    await context.pause(10_000);
    await reactor.put(returning(2));
    await moveBack();
    await context.pause(60_000);
    const lines = await linesSince(context, minutes);
    const foreign = lines.filter((line) => !isOurs(line));
    expectThat(
      foreign.length === 0,
      `${String(foreign.length)} of ${String(lines.length)} lines are not ours`,
    );
    expectThat(
      lines.some((line) => line.includes('"_aws"')),
      'no line has metrics',
    );
    return {
      seen: `${String(lines.length)} lines`,
      person: `aws cloudwatch list-metrics --namespace ${context.deployment.serviceName} (are there metrics?), and is there a line about the timeout?`,
    };
  },
};

/** Compares the table of this repository with the sums that Node's maintainers have signed. */
const nodeSums: ReleaseItem = {
  id: 'node-sums',
  title: 'The Node of each image is the published one',
  steps: `${Object.values(NODE_VERSIONS)
    .map(
      (
        version,
      ) => `curl -fsSO https://nodejs.org/dist/v${version}/SHASUMS256.txt.asc && gpg --verify SHASUMS256.txt.asc
for P in linux-arm64 linux-x64; do
  curl -fsSO https://nodejs.org/dist/v${version}/node-v${version}-$P.tar.gz
  grep " node-v${version}-$P.tar.gz" SHASUMS256.txt.asc | sha256sum --check
  tar -xzOf node-v${version}-$P.tar.gz node-v${version}-$P/bin/node | sha256sum
done
`,
    )
    .join(
      '',
    )}gpg knows the keys of https://github.com/nodejs/release-keys. Each hash is that of lib/reactor-node.ts.`,
};

export const FUNCTION_ITEMS: readonly ReleaseItem[] = [
  nodeSums,
  {
    id: 'node-libraries',
    title: 'Node.js of both images finds its libraries',
    steps: `for BOOTSTRAP in "$PWD"/cdk.out/asset.*/bootstrap; do
  docker run --rm --platform linux/arm64 -v "$(dirname "$BOOTSTRAP"):/opt:ro" --entrypoint /opt/bin/node public.ecr.aws/lambda/provided:al2023 --version
done
It prints ${IMAGES.map((image) => `v${NODE_VERSIONS[image]}`).join(' and ')}, in any order.`,
  },
  created,
  outputIsNotStored,
  hotIsChanged,
  removedIsPublished,
  retainsMemory,
  {
    id: 'new-account',
    title: 'An account with the quotas of a new one',
    steps: `In an account with 10 concurrent executions: npm run release-check -- reactor-created --service Release
It passes, or the response names the problem; a bare 500 is a failure.`,
  },
  waitOutlasts,
  logLines,
];
