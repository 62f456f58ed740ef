/** A running service, as a first call needs it. */
export interface Called {
  readonly baseUrl: string;
  /** Such as `SVC-API-KEY`. */
  readonly keyHeader: string;
  /** The management key, or a command substitution that reads it. */
  readonly managementKey: string;
}

/** The prefix of the header is `SVC` unless the app sets another. */
export const DEFAULT_KEY_HEADER = 'SVC-API-KEY';

/**
 * Three commands to paste one after another into bash or zsh: no comments, no history characters,
 * no tools but curl and the Node that runs the service.
 */
export function firstCalls({ baseUrl, keyHeader, managementKey }: Called): readonly string[] {
  const json = `-H 'Content-Type: application/json'`;
  const application = `{"name":"My app","type":"private","permissions":["token:create","token:read"]}`;
  const card = `{"type":"card","data":{"number":"4242424242424242","expiration_month":12,"expiration_year":2030}}`;
  const pick = (member: string): string => `node -p 'JSON.parse(fs.readFileSync(0)).${member}'`;
  return [
    `KEY=$(curl -s ${baseUrl}/applications -H "${keyHeader}: ${managementKey}" ${json} -d '${application}' | ${pick('key')}); echo "$KEY"`,
    `ID=$(curl -s ${baseUrl}/tokens -H "${keyHeader}: $KEY" ${json} -d '${card}' | ${pick('id')}); echo "$ID"`,
    `curl -s ${baseUrl}/tokens/$ID -H "${keyHeader}: $KEY"`,
  ];
}

/** Reads the management key from a credentials file, in a shell. */
export const managementKeyFrom = (credentialsFile: string): string =>
  `$(node -p 'JSON.parse(fs.readFileSync(process.argv[1])).management_key' '${credentialsFile.replaceAll("'", String.raw`'\''`)}')`;
