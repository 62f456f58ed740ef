/** The functions that serve the API, by their folders, with what names their roles. */
export const ROLES = {
  tokens: /Tokens/,
  applications: /Applications/,
  proxies: /Proxies/,
  proxy: /Proxy(?:Role|Function)/,
  reactors: /ReactorsRole|ReactorsFunction/,
  logs: /Logs/,
} as const;

export type Folder = keyof typeof ROLES;
export const FOLDERS = Object.keys(ROLES) as readonly Folder[];

/** An operation whose calls are counted. */
export interface CountedOperation {
  readonly name: string;
  readonly folder: Folder;
  readonly status: number;
  /** Prepares the operation's data, and returns the event of its request. */
  readonly event: () => Promise<object>;
}
