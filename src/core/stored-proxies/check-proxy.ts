import type { ApplicationStore } from '../applications/application-store.ts';
import type { EgressAllowList } from '../egress/destination.ts';
import { TemplateFields } from '../expressions/template-fields.ts';
import { isDigestField } from '../proxy-expressions/listed-fields.ts';
import { isFieldName } from '../proxy-expressions/request-headers.ts';
import { checkedApplication } from '../reactors/get-reactor.ts';
import type { ReactorStore } from '../reactors/reactor-store.ts';
import type { Clock } from '../shared/clock.ts';
import type { Random } from '../shared/platform.ts';
import type { FieldReporter } from '../shared/field-reporter.ts';
import type { Secret } from '../shared/secret.ts';
import { sameJson } from '../shared/same-json.ts';
import { ServiceError } from '../shared/service-error.ts';
import type { ParseTokenInput } from '../tokens/tokenize.ts';
import { patternProblem } from './admitted-path.ts';
import {
  STORED_PROXY_LIMITS,
  type ProxyConfiguration,
  type ProxyDefinition,
  type RequestTransform,
  type ResponseTransform,
  type RunReactor,
  type Transform,
} from './stored-proxy.ts';
import { checkDestination } from './check-destination.ts';
import { checkTransform, type Report, type TransformSurroundings } from './check-transform.ts';
import type { Draft } from './draft-transform.ts';
import { pinReactors } from './pin-reactors.ts';

export interface CheckProxyDeps {
  readonly applicationStore: Pick<ApplicationStore, 'find' | 'findMany'>;
  readonly reactorStore: Pick<ReactorStore, 'findMany'>;
  readonly egressAllowList: EgressAllowList;
  readonly parseTokenInput: ParseTokenInput;
  readonly random: Random;
  readonly clock: Clock;
}

/** A definition as a request has it, whose shape is checked. */
export interface ProxyDraft extends Omit<ProxyDefinition, 'requestTransforms' | 'responseTransforms'> {
  readonly requestTransforms: readonly Draft<RequestTransform>[];
  readonly responseTransforms: readonly Draft<ResponseTransform>[];
}

/** Describes what decides whether a definition can be stored. */
interface Surroundings {
  readonly tenantId: string;
  /** The whole configuration after the change. */
  readonly configuration: Secret<ProxyConfiguration>;
  /** Names of the service, which are no destinations. */
  readonly ownHosts: readonly string[];
  /** Whether a field is for the service alone. The name is in lower case. */
  readonly isReserved: (name: string) => boolean;
  /**
   * The definition before the change. What it names may be gone meanwhile, and stays as it is.
   */
  readonly previous?: ProxyDefinition;
}

/** Reports headers that must not pass where a proxy hides. */
function checkPassed({ passHeaders = [] }: ProxyDraft, fields: FieldReporter): void {
  for (const [at, name] of passHeaders.entries()) {
    if (!isFieldName(name)) fields.report(`pass_headers[${String(at)}]`, 'is not the name of a header');
    else if (isDigestField(name))
      fields.report(
        `pass_headers[${String(at)}]`,
        'names a validator or a digest, which would show what the proxy hides',
      );
  }
}

/** Checks the transforms of one side, and pins the code of reactors. */
async function checkSide<Any extends Transform>(
  deps: CheckProxyDeps,
  tenantId: string,
  transforms: readonly Draft<Any>[],
  {
    member,
    isRequest,
    before = [],
  }: {
    readonly member: string;
    readonly isRequest: boolean;
    readonly before?: readonly Any[] | undefined;
  },
  around: Omit<TransformSurroundings, 'isRequest' | 'isFirst'>,
): Promise<readonly (Exclude<Any, RunReactor> | RunReactor)[]> {
  const reportAt = (at: number, inner: string, problem: string) => {
    const path = `${member}[${String(at)}]`;
    around.fields.report(inner === '' ? path : `${path}.${inner}`, problem);
  };
  for (const [at, transform] of transforms.entries()) {
    const report: Report = (inner, problem) => {
      reportAt(at, inner, problem);
    };
    // The end of such a token may be over meanwhile.
    const isOld = transform.type === 'tokenize' && before.some((old) => sameJson(old, transform));
    if (!isOld) await checkTransform(transform, { ...around, isRequest, isFirst: at === 0 }, report);
  }
  return pinReactors<Any>(deps, { tenantId, before }, transforms, reportAt);
}

/**
 * The definition that a request describes. Throws `validation_failed` with every problem: a
 * destination that the ephemeral proxy refuses, a location that cannot be set, names that the
 * configuration lacks.
 */
export async function checkProxy(
  deps: CheckProxyDeps,
  draft: ProxyDraft,
  around: Surroundings,
): Promise<ProxyDefinition> {
  const fields = new TemplateFields(deps.random.integer);
  const { tenantId, isReserved } = around;
  const configuration = around.configuration.reveal();
  checkDestination(deps.egressAllowList, draft, around, fields);
  for (const [at, pattern] of (draft.paths ?? []).entries()) {
    const problem = patternProblem(pattern);
    if (problem !== undefined) fields.report(`paths[${String(at)}]`, problem);
  }
  checkPassed(draft, fields);
  if (!draft.requireAuth && draft.applicationId === undefined)
    fields.report('application', 'is required where `require_auth` is false');
  const request = {
    member: 'request_transforms',
    isRequest: true,
    before: around.previous?.requestTransforms,
  };
  const response = {
    member: 'response_transforms',
    isRequest: false,
    before: around.previous?.responseTransforms,
  };
  const check = { configuration, fields, isReserved, ...deps };
  const requestTransforms = await checkSide<RequestTransform>(
    deps,
    tenantId,
    draft.requestTransforms,
    request,
    check,
  );
  const responseTransforms = await checkSide<ResponseTransform>(
    deps,
    tenantId,
    draft.responseTransforms,
    response,
    check,
  );
  fields.throwIfFailed();
  if (draft.applicationId !== around.previous?.applicationId)
    await checkedApplication(deps, tenantId, draft.applicationId);
  const definition = { ...draft, requestTransforms, responseTransforms };
  if (Buffer.byteLength(JSON.stringify(definition)) > STORED_PROXY_LIMITS.definitionBytes)
    throw new ServiceError(
      'payload_too_large',
      `A proxy without its configuration is at most ${String(STORED_PROXY_LIMITS.definitionBytes)} bytes of JSON.`,
    );
  return definition;
}
