/** What an instance of a version runs with. */
export interface ProcessDefinition {
  readonly functionName: string;
  /** `$LATEST` or a number. */
  readonly version: string;
  /** What AWS would unpack into `/var/task`. */
  readonly codeDirectory: string;
  /** What AWS would unpack into `/opt`, a folder a layer. */
  readonly layerDirectories: readonly string[];
  /** What the function's configuration sets. */
  readonly variables: Readonly<Record<string, string>>;
  readonly handler: string;
  readonly runtime: string;
  readonly timeoutSeconds: number;
  readonly memoryMb: number;
  readonly roleArn: string;
  readonly logGroup: string;
  readonly logStream: string;
}
