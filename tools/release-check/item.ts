import type { CloudFormationClient } from '@aws-sdk/client-cloudformation';
import type { CloudWatchLogsClient } from '@aws-sdk/client-cloudwatch-logs';
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { KMSClient } from '@aws-sdk/client-kms';
import type { LambdaClient } from '@aws-sdk/client-lambda';
import type { SQSClient } from '@aws-sdk/client-sqs';
import type { STSClient } from '@aws-sdk/client-sts';

/** A check of docs/release.md that did not hold. The message is what the report shows. */
export class CheckFailure extends Error {
  override readonly name = 'CheckFailure';
}

export interface Clients {
  readonly cloudformation: Pick<CloudFormationClient, 'send'>;
  readonly dynamodb: Pick<DynamoDBClient, 'send'>;
  readonly kms: Pick<KMSClient, 'send'>;
  readonly lambda: Pick<LambdaClient, 'send'>;
  readonly logs: Pick<CloudWatchLogsClient, 'send'>;
  readonly sqs: Pick<SQSClient, 'send'>;
  readonly sts: Pick<STSClient, 'send'>;
}

/** A request whose path is sent as it is written: `fetch` resolves `..` in it. */
export interface RawRequest {
  readonly url: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** The parts of a deployment that an item can reach. */
export interface Deployment {
  readonly serviceName: string;
  readonly apiUrl: string;
  /** Header of API keys. */
  readonly keyHeader: string;
  /** Variables of the operator function: names of tables, ids of keys. */
  readonly variables: Readonly<Record<string, string>>;
}

/** Everything of the run is made of these; tests inject all of it. */
export interface ReleaseDeps {
  readonly clients: Clients;
  readonly fetch: typeof fetch;
  /** Resolves with the status and the body. */
  readonly rawFetch: (request: RawRequest) => Promise<{ readonly status: number; readonly body: string }>;
  readonly pause: (ms: number) => Promise<unknown>;
  readonly print: (line: string) => void;
  /** In ms since the epoch. */
  readonly clock: () => number;
}

/** The input of an item. Its calls reject once the run was interrupted, so that it ends soon. */
export interface ItemContext extends ReleaseDeps {
  readonly deployment: Deployment;
  /**
   * Puts something back when the item ends, however it ends; the last one first. Register it before
   * the change that it reverts.
   */
  readonly afterwards: (undo: () => Promise<unknown>) => void;
}

export interface Seen {
  readonly seen: string;
  /** The rest is for a person, such as to look for a mail. */
  readonly person?: string;
}

interface CommonItem {
  /** The command line names the item by this id. */
  readonly id: string;
  /** The heading that the item has in docs/release.md. */
  readonly title: string;
}

/** An item that a person does. */
export interface PersonItem extends CommonItem {
  /** Names what to run or to look at. */
  readonly steps: string;
}

/** An item that the script does. It throws {@link CheckFailure} for another result. */
export interface AutomaticItem extends CommonItem {
  /** Whether the local account has what it is about. */
  readonly where: 'anywhere' | 'only on AWS';
  readonly run: (context: ItemContext) => Promise<Seen>;
}

/** An automatic item creates, changes or deletes something; an item for a person does nothing. */
export type ReleaseItem = PersonItem | AutomaticItem;

export const isAutomatic = (item: ReleaseItem): item is AutomaticItem => 'run' in item;

/** Throws {@link CheckFailure} with what was seen. */
export function expectThat(isTrue: boolean, seen: string): asserts isTrue {
  if (!isTrue) throw new CheckFailure(seen);
}
