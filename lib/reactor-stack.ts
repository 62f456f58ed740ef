import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ArnFormat, RemovalPolicy, Stack, type StackProps } from 'aws-cdk-lib';
import {
  Effect,
  ManagedPolicy,
  PolicyDocument,
  PolicyStatement,
  Role,
  ServicePrincipal,
} from 'aws-cdk-lib/aws-iam';
import {
  Architecture,
  Code,
  CfnFunction,
  type Function as LambdaFunction,
  LayerVersion,
  Runtime,
} from 'aws-cdk-lib/aws-lambda';
import { DISABLE_ASSET_STAGING_CONTEXT } from 'aws-cdk-lib/cx-api';
import { Asset } from 'aws-cdk-lib/aws-s3-assets';
import type { Construct } from 'constructs';
import { IMAGES, NODE_VERSIONS, REACTOR_MEMORY_MB, type Image } from '../src/core/reactors/layer.ts';
import { OWN_CODE, ownFunctionName } from '../src/core/republish/own-function.ts';
import { INDEXES } from '../src/adapters/dynamodb/keys.ts';
import type { Environment as WorkerEnvironment } from '../functions/reactor-worker/config.ts';
import type { Environment as ReactorsEnvironment } from '../functions/reactors/config.ts';
import type { Environment as SenderEnvironment } from '../functions/webhook-sender/config.ts';
import { acceptFindings } from './accept-findings.ts';
import { ApiFunction } from './constructs/api-function.ts';
import {
  apiEnvironment,
  auditEnvironment,
  layerEnvironment,
  perImage,
  tagEnvironment,
  type PresentLayer,
  type PresentLayers,
  publicUrl,
  storeEnvironment,
  tokenEnvironment,
} from './environments.ts';
import { ServiceFunction } from './constructs/service-function.ts';
import { WorkQueue } from './constructs/work-queue.ts';
import type { DataStack } from './data-stack.ts';
import { reactorFunctionPrefix, reactorLayerName, reactorLayerNames } from './deployment-names.ts';
import {
  acknowledgeFunctions,
  acknowledgeLayers,
  allowCallNotes,
  allowCodeKey,
  allowOnAccess,
  allowOnFunctions,
  allowOnTable,
  allowQueryIndex,
  allowSend,
  allowTenantKeys,
  allowTokenWrites,
} from './grants.ts';
import { isWithoutCode, outputFolder } from './assets.ts';
import type { ReactorPlatform } from './reactor-node.ts';
import { reactorLayer, type Compatibility } from './reactor-layer.ts';
import { reservedFor, type FunctionFolder } from './reserved-concurrency.ts';
import type { Settings } from './settings.ts';

export interface ReactorStackProps extends StackProps {
  readonly settings: Settings;
  readonly data: DataStack;
}

/** The end of the ids of what each image has; that of the first image was there before. */
const idOf = (image: Image): string => (image === 'node16' ? '' : image.replace('node', 'Node'));

const architectureOf = ({ architecture }: Settings): Architecture =>
  architecture === 'arm64' ? Architecture.ARM_64 : Architecture.X86_64;

/** The longest run (docs/contract.md#limits) plus the time before and after it. */
const WORKER_SECONDS = 300;
const WORKERS_MAX = 100;
const SENDER_SECONDS = 45;
const SENDERS_MAX = 20;
/** The own function only loads packages. */
const OWN_SECONDS = 30;
/** Aliases and versions of functions, in an ARN. */
export const VERSIONS = ':*';

const DELIVERIES_AT_ONCE = 10;

/**
 * Reactors: the function behind the API, the workers that run them later, and the resources of each
 * reactor's function.
 */
export class ReactorStack extends Stack {
  /** Behind the API's `/reactors`. */
  readonly api: ApiFunction<ReactorsEnvironment>;
  /** The functions that the queues invoke. */
  readonly workers: readonly LambdaFunction[];
  /** Name prefix of the reactors' functions. */
  readonly functionPrefix: string;
  /** The layers that new versions of functions get, by the image of the reactor. */
  readonly layers: PresentLayers;
  /** Invocations that wait for a worker. */
  readonly invocations: WorkQueue;
  /** Results that wait for delivery. */
  readonly deliveries: WorkQueue;

  readonly #settings: Settings;
  readonly #data: DataStack;

  constructor(scope: Construct, id: string, { settings, data, ...props }: ReactorStackProps) {
    super(scope, id, props);
    this.#settings = settings;
    this.#data = data;
    this.functionPrefix = reactorFunctionPrefix(settings.serviceName);
    acknowledgeFunctions(this, this.functionPrefix);
    acknowledgeFunctions(this, this.functionPrefix, VERSIONS);
    acknowledgeLayers(this, settings);
    this.invocations = new WorkQueue(this, 'Invocations', { visibilitySeconds: WORKER_SECONDS + 30 });
    this.deliveries = new WorkQueue(this, 'Deliveries', { visibilitySeconds: SENDER_SECONDS + 15 });
    const role = this.#role();
    this.layers = { node16: this.#layer('node16'), node24: this.#layer('node24') };
    this.#ownFunctions(role);
    this.api = this.#api(role);
    const worker = this.#worker();
    const sender = this.#sender();
    this.workers = [worker, sender];
    // A queue that invokes its function more often than its reservation allows fails messages.
    const most = (folder: FunctionFolder, count: number) =>
      Math.min(count, reservedFor(settings.reservedConcurrency, folder) ?? count);
    this.invocations.workedOnBy(worker, {
      batchSize: 1,
      maxConcurrency: most('reactor-worker', WORKERS_MAX),
    });
    this.deliveries.workedOnBy(sender, {
      batchSize: DELIVERIES_AT_ONCE,
      maxConcurrency: most('webhook-sender', SENDERS_MAX),
    });
  }

  /**
   * The role of every reactor's function. It allows nothing, and guarantees that whatever is
   * attached to it: by its boundary, and by a policy of its own, since an organisation may set its
   * boundary on all roles of an app (`@aws-cdk/core:permissionsBoundary`).
   */
  #role(): Role {
    const denyAll = () => new PolicyStatement({ effect: Effect.DENY, actions: ['*'], resources: ['*'] });
    const nothing = new ManagedPolicy(this, 'Nothing', {
      description: 'Boundary of the reactors: allows nothing',
      statements: [denyAll()],
    });
    const role = new Role(this, 'ReactorRole', {
      description: 'Role of every reactor: allows nothing',
      assumedBy: new ServicePrincipal('lambda.amazonaws.com'),
      permissionsBoundary: nothing,
      inlinePolicies: { Nothing: new PolicyDocument({ statements: [denyAll()] }) },
    });
    acceptFindings(role, {
      'PCI.DSS.321-IAMNoInlinePolicy': 'It denies everything, and must belong to this role alone.',
    });
    // The functions of reactors were made with it, and belong to no stack.
    for (const lasting of [nothing, role]) lasting.applyRemovalPolicy(RemovalPolicy.RETAIN);
    return role;
  }

  /**
   * Node.js and the runtime of an image. Functions keep the version that they were created with, so
   * old versions stay. Every image has one, also if `reactorImages` leaves it out: code that runs
   * on it can still be changed.
   */
  #layer(image: Image): PresentLayer {
    // `npm start` sets it on a Mac, where Lambda's binaries do not run; no deployment does.
    const isForMac = this.node.tryGetContext('cloakroom:reactor-platform') === 'darwin';
    const { architecture, clientCompatibility, serviceName } = this.#settings;
    const platform = isForMac ? 'darwin' : architecture;
    const { folder, hash } = this.#layerFolder(image, platform, clientCompatibility);
    const layer = new LayerVersion(this, `Runtime${idOf(image)}`, {
      layerVersionName: reactorLayerName(serviceName, image),
      // A roll back to this version compares functions by the hash, and reads it here.
      description: `Node.js ${NODE_VERSIONS[image]} and the runtime of the reactors, ${hash}`,
      code: Code.fromAsset(folder, { assetHash: hash }),
      compatibleRuntimes: [Runtime.PROVIDED_AL2023],
      compatibleArchitectures: [architectureOf(this.#settings)],
      removalPolicy: RemovalPolicy.RETAIN,
    });
    this.#removeCopied(folder);
    return { version: layer, hash };
  }

  /**
   * Functions like those of reactors, on which the layers of an image are tried before reactors get
   * them. Their code loads every package of the layer. The republisher sets the layer to try.
   */
  #ownFunctions(role: Role): void {
    const folder = outputFolder(this, `${this.artifactId}-own`);
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'reactor.js'), OWN_CODE);
    const code = new Asset(this, 'OwnCode', { path: folder });
    for (const image of IMAGES) this.#ownFunction(image, role, code);
    this.#removeCopied(folder);
  }

  #ownFunction(image: Image, role: Role, code: Asset): void {
    // The construct of the CDK would add a log, which its role may not write.
    const own = new CfnFunction(this, `OwnReactor${idOf(image)}`, {
      functionName: ownFunctionName(this.functionPrefix, image),
      description: 'Tries a layer before reactors get it',
      runtime: Runtime.PROVIDED_AL2023.name,
      architectures: [architectureOf(this.#settings).name],
      handler: 'reactor.handler',
      code: { s3Bucket: code.s3BucketName, s3Key: code.s3ObjectKey },
      layers: [this.layers[image].version.layerVersionArn],
      memorySize: REACTOR_MEMORY_MB,
      timeout: OWN_SECONDS,
      role: role.roleArn,
    });
    code.addResourceMetadata(own, 'Code');
    acceptFindings(own, {
      'PCI.DSS.321-LambdaInsideVPC': 'It has no caller but the republisher, no data and no right.',
      'Serverless-LambdaDLQ': 'It is invoked synchronously.',
      'Serverless-LambdaTracing': 'Its role allows nothing, sending trace segments included.',
    });
  }

  /** The CDK has copied it: an output with two copies would be twice as large. */
  #removeCopied(folder: string): void {
    if (this.node.tryGetContext(DISABLE_ASSET_STAGING_CONTEXT) !== true) rmSync(folder, { recursive: true });
  }

  #layerFolder(image: Image, platform: ReactorPlatform, compatibility: Compatibility) {
    const folder = outputFolder(this, `${this.artifactId}-${image}`);
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true });
    if (isWithoutCode(this)) return { folder, hash: `${image} ${platform} ${compatibility}` };
    const layer = reactorLayer(image, platform, compatibility);
    layer.place(folder);
    return { folder, hash: layer.hash };
  }

  #api(role: Role): ApiFunction<ReactorsEnvironment> {
    const settings = this.#settings;
    const data = this.#data;
    const prefix = this.functionPrefix;
    return new ApiFunction<ReactorsEnvironment>(this, 'Reactors', {
      settings,
      data,
      folder: 'reactors',
      description: 'Reactors and their invocation',
      environment: {
        ...apiEnvironment(settings, data),
        ...tokenEnvironment(data),
        PUBLIC_URL: publicUrl(settings),
        REACTORS_TABLE: data.reactors.tableName,
        CVC_LIFETIME_SECONDS: String(settings.cvcLifetimeSeconds),
        EGRESS_ALLOW_LIST: settings.egressAllowList.join(','),
        INVOCATIONS_QUEUE_URL: this.invocations.queue.queueUrl,
        DELIVERIES_QUEUE_URL: this.deliveries.queue.queueUrl,
        REACTOR_FUNCTION_PREFIX: prefix,
        REACTOR_ROLE: role.roleArn,
        ...layerEnvironment(this.layers),
        REACTOR_LAYERS: perImage((image) => this.layers[image].version.layerVersionArn),
        REACTOR_IMAGES: settings.reactorImages.join(','),
        REACTOR_PACKAGES: settings.reactorPackages,
        REACTOR_ARCHITECTURE: settings.architecture,
        HOT_CONCURRENCY: String(settings.hotConcurrency),
        REACTORS_PER_TENANT: String(settings.reactorsPerTenant),
        ...tagEnvironment(settings),
      },
      grants: [
        ...allowTokenWrites(data),
        // It finds the stored proxies that pin code.
        allowOnAccess(data.access, ['tenants'], ['Query']),
        allowOnTable(data.reactors, ['BatchGetItem', 'PutItem', 'DeleteItem', 'Query']),
        allowCallNotes(data.reactors),
        allowQueryIndex(data.reactors, INDEXES.group),
        this.allowWithLayer(['CreateFunction', 'UpdateFunctionConfiguration']),
        allowOnFunctions(this, prefix, [
          'TagResource',
          'GetFunction',
          // GetFunction returns tags only to who may list them.
          'ListTags',
          'UpdateFunctionCode',
          // Needed if `Publish: true` requires it. The other rights publish too, so it adds
          // nothing.
          'PublishVersion',
          'CreateAlias',
          'UpdateAlias',
          'DeleteFunction',
          'DeleteProvisionedConcurrencyConfig',
        ]),
        allowOnFunctions(this, prefix, ['InvokeFunction'], VERSIONS),
        // All versions: while a deployment moves the requests, two are in use.
        this.allowLayers(),
        new PolicyStatement({
          actions: ['iam:PassRole'],
          resources: [role.roleArn],
          conditions: { StringEquals: { 'iam:PassedToService': 'lambda.amazonaws.com' } },
        }),
        allowCodeKey(data.key),
        allowSend(this.invocations.queue),
        allowSend(this.deliveries.queue),
      ],
      // The template refers to the layers by names that their content does not change.
      contentHash: IMAGES.map((image) => this.layers[image].hash).join(),
    });
  }

  /**
   * Allows a function to change functions of reactors, and to put no layer into them but these: a
   * foreign layer would be code of others beside the plaintext.
   */
  allowWithLayer(actions: readonly string[]): PolicyStatement {
    const statement = allowOnFunctions(this, this.functionPrefix, actions);
    statement.addCondition('ForAllValues:StringLike', {
      'lambda:Layer': this.#layerArns().map((arn) => `${arn}:*`),
    });
    return statement;
  }

  /** Allows a function to read every version of the layers. */
  allowLayers(): PolicyStatement {
    return new PolicyStatement({
      actions: ['lambda:GetLayerVersion'],
      resources: this.#layerArns().map((arn) => `${arn}:*`),
    });
  }

  /** Allows a function to ask for the functions of reactors that have none. */
  allowMaking(): PolicyStatement {
    return new PolicyStatement({
      actions: ['lambda:InvokeFunction'],
      resources: [this.api.live.functionArn],
    });
  }

  /** Allows a function to list the versions of the layers. */
  allowLayerList(): PolicyStatement {
    return new PolicyStatement({ actions: ['lambda:ListLayerVersions'], resources: [...this.#layerArns()] });
  }

  #layerArns(): readonly string[] {
    return reactorLayerNames(this.#settings.serviceName).map((resourceName) =>
      this.formatArn({
        service: 'lambda',
        resource: 'layer',
        resourceName,
        arnFormat: ArnFormat.COLON_RESOURCE_NAME,
      }),
    );
  }

  #worker(): LambdaFunction {
    const settings = this.#settings;
    const data = this.#data;
    return new ServiceFunction<WorkerEnvironment>(this, 'Worker', {
      folder: 'reactor-worker',
      description: 'Runs asynchronous invocations of reactors',
      // It releases an invocation that cannot start every 10 s; START_WITHIN_MS ends that after an
      // hour.
      mayLoop: true,
      timeoutSeconds: WORKER_SECONDS,
      memoryMegabytes: 512,
      settings,
      key: data.key,
      environment: {
        CLIENT_COMPATIBILITY: settings.clientCompatibility,
        ...storeEnvironment(data),
        ...auditEnvironment(settings, data),
        ...tokenEnvironment(data),
        REACTORS_TABLE: data.reactors.tableName,
        CVC_LIFETIME_SECONDS: String(settings.cvcLifetimeSeconds),
        EGRESS_ALLOW_LIST: settings.egressAllowList.join(','),
        INVOCATIONS_QUEUE_URL: this.invocations.queue.queueUrl,
        DELIVERIES_QUEUE_URL: this.deliveries.queue.queueUrl,
        REACTOR_FUNCTION_PREFIX: this.functionPrefix,
        REACTORS_FUNCTION: this.api.live.functionArn,
      },
      grants: [
        allowOnTable(data.access, ['BatchGetItem']),
        allowOnTable(data.audit, ['PartiQLInsert']),
        allowOnTable(data.ephemeral, ['BatchGetItem', 'PutItem']),
        allowTenantKeys(data.key, 'Decrypt'),
        ...allowTokenWrites(data),
        allowOnTable(data.reactors, ['BatchGetItem', 'PutItem']),
        allowCallNotes(data.reactors),
        allowOnFunctions(this, this.functionPrefix, ['InvokeFunction'], VERSIONS),
        this.allowMaking(),
        allowSend(this.invocations.queue),
        allowSend(this.deliveries.queue),
      ],
    }).lambda;
  }

  #sender(): LambdaFunction {
    const settings = this.#settings;
    const data = this.#data;
    return new ServiceFunction<SenderEnvironment>(this, 'Sender', {
      folder: 'webhook-sender',
      description: 'Delivers results of asynchronous invocations',
      // It sends itself the next attempt of a delivery; DELIVERY_TRIES ends that after ten.
      mayLoop: true,
      timeoutSeconds: SENDER_SECONDS,
      memoryMegabytes: 512,
      settings,
      key: data.key,
      environment: {
        ...storeEnvironment(data),
        ...auditEnvironment(settings, data),
        ...tokenEnvironment(data),
        REACTORS_TABLE: data.reactors.tableName,
        DELIVERIES_QUEUE_URL: this.deliveries.queue.queueUrl,
        EGRESS_ALLOW_LIST: settings.egressAllowList.join(','),
      },
      grants: [
        allowOnTable(data.access, ['BatchGetItem']),
        allowOnTable(data.audit, ['PartiQLInsert']),
        allowOnTable(data.ephemeral, ['BatchGetItem']),
        // It reads whether the tokens behind a result exist, and where they are.
        allowOnTable(data.tokens, ['BatchGetItem']),
        allowTenantKeys(data.key, 'Decrypt'),
        allowOnTable(data.reactors, ['BatchGetItem', 'PutItem']),
        allowSend(this.deliveries.queue),
      ],
    }).lambda;
  }
}
