/** The settings of a version's instances. */
export interface ProcessDefinition {
  readonly functionName: string;
  /** `$LATEST` or a number. */
  readonly version: string;
  /** The content of `/var/task` on AWS. */
  readonly codeDirectory: string;
  /** The content of `/opt` on AWS, one folder per layer. */
  readonly layerDirectories: readonly string[];
  /** The variables of the function's configuration. */
  readonly variables: Readonly<Record<string, string>>;
  readonly handler: string;
  readonly runtime: string;
  readonly timeoutSeconds: number;
  readonly memoryMb: number;
  readonly roleArn: string;
  readonly logGroup: string;
  readonly logStream: string;
}
