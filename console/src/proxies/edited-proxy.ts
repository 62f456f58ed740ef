import type { NewStoredProxy, StoredProxy, StoredProxyChange, StoredProxyTransform } from '../sdk.ts';
import { InputError } from '../input-error.ts';
import { parsedJson } from '../json-input.ts';

type Entry = readonly [name: string, value: string];

/** Members of a stored proxy that a person edits, as texts. */
export interface EditedProxy {
  readonly name: string;
  readonly url: string;
  readonly methods: string;
  readonly paths: string;
  readonly requestTransforms: string;
  readonly responseTransforms: string;
  readonly isAuthenticated: boolean;
  readonly applicationId: string;
  readonly networks: string;
  readonly certificate: string;
  readonly timeout: string;
  /** New values; those that are stored are never shown. */
  readonly secrets: readonly Entry[];
  readonly publics: readonly Entry[];
}

const transformsText = (transforms: readonly StoredProxyTransform[] = []): string =>
  JSON.stringify(transforms, undefined, 2);

const DEFAULT_TIMEOUT_S = 25;

const NEW_PROXY: EditedProxy = {
  name: '',
  url: '',
  methods: '',
  paths: '',
  requestTransforms: transformsText(),
  responseTransforms: transformsText(),
  isAuthenticated: true,
  applicationId: '',
  networks: '',
  certificate: '',
  timeout: String(DEFAULT_TIMEOUT_S),
  secrets: [],
  publics: [],
};

export function editedOf(proxy: StoredProxy | undefined): EditedProxy {
  if (proxy === undefined) return NEW_PROXY;
  const { methods = [], paths = [], application, client_certificate: certificate = '' } = proxy;
  return {
    ...NEW_PROXY,
    name: proxy.name,
    url: proxy.destination_url,
    methods: methods.join(', '),
    paths: paths.join('\n'),
    requestTransforms: transformsText(proxy.request_transforms),
    responseTransforms: transformsText(proxy.response_transforms),
    isAuthenticated: proxy.require_auth,
    applicationId: application?.id ?? '',
    networks: proxy.source_addresses.join(', '),
    certificate,
    timeout: String(proxy.timeout),
  };
}

const partsOf = (text: string): readonly string[] => text.split(/[\s,]+/).filter((part) => part !== '');

function transformsIn(text: string, which: string): readonly StoredProxyTransform[] {
  const parsed = parsedJson(text.trim() === '' ? '[]' : text);
  if ('problem' in parsed) throw new InputError(`${which} cannot be read: ${parsed.problem}`);
  return parsed.value as readonly StoredProxyTransform[];
}

function configurationOf({ secrets, publics }: EditedProxy): NonNullable<NewStoredProxy['configuration']> {
  return {
    ...Object.fromEntries(secrets.filter(([name]) => name !== '')),
    ...Object.fromEntries(
      publics.filter(([name]) => name !== '').map(([name, value]) => [name, { value, public: true }]),
    ),
  };
}

type Method = NonNullable<NewStoredProxy['methods']>[number];

/**
 * Returns the members as the API has them: an empty text is a member that is not set. Throws
 * {@link InputError}.
 */
function membersOf(edited: EditedProxy) {
  const methods = partsOf(edited.methods) as readonly Method[];
  const paths = partsOf(edited.paths);
  return {
    name: edited.name,
    destination_url: edited.url.trim(),
    methods: methods.length === 0 ? undefined : methods,
    paths: paths.length === 0 ? undefined : paths,
    request_transforms: transformsIn(edited.requestTransforms, 'The transforms of requests'),
    response_transforms: transformsIn(edited.responseTransforms, 'The transforms of responses'),
    require_auth: edited.isAuthenticated,
    application: edited.applicationId === '' ? undefined : { id: edited.applicationId },
    source_addresses: partsOf(edited.networks),
    client_certificate: edited.certificate === '' ? undefined : edited.certificate,
    timeout: Number(edited.timeout),
  } satisfies NewStoredProxy;
}

export const newProxyOf = (edited: EditedProxy): NewStoredProxy => ({
  ...membersOf(edited),
  configuration: configurationOf(edited),
});

/** Only what was edited: another destination asks for every secret again. */
export function changeOf(proxy: StoredProxy, edited: EditedProxy): StoredProxyChange {
  const before: Readonly<Record<string, unknown>> = membersOf(editedOf(proxy));
  const changed = Object.entries(membersOf(edited))
    .filter(([name, value]) => JSON.stringify(value) !== JSON.stringify(before[name]))
    .map(([name, value]): [string, unknown] => [name, value ?? null]);
  const configuration = configurationOf(edited);
  return {
    ...(Object.fromEntries(changed) as StoredProxyChange),
    ...(Object.keys(configuration).length > 0 && { configuration }),
  };
}
