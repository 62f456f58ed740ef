export interface ProcessDefinition {
  readonly functionName: string;
  /** `$LATEST` or a number. */
  readonly version: string;
  /** The folder that is `/var/task` on AWS. */
  readonly codeDirectory: string;
  /** The folders whose content is `/opt` on AWS, one for each layer. */
  readonly layerDirectories: readonly string[];
  /** The variables that the function's configuration sets. */
  readonly variables: Readonly<Record<string, string>>;
  readonly handler: string;
  readonly runtime: string;
  readonly timeoutSeconds: number;
  readonly memoryMb: number;
  readonly roleArn: string;
  readonly logGroup: string;
  readonly logStream: string;
}
