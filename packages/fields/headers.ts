/**
 * A deployment of the fields sends these to its frames. Everyone who opens a frame can read them.
 */
export interface FieldsConfig {
  /** Such as `https://tokens.example.com`: the frames call nothing else. */
  readonly apiUrl: string;
  readonly headerPrefix: string;
  /**
   * The pages that may embed the fields: `https://shop.example.com`, or
   * `https://shop.example.com=<tenant id>`, which allows keys of that tenant alone.
   */
  readonly origins: readonly string[];
  /** Whether a page learns the BIN and the last four digits of a complete number. */
  readonly digits: boolean;
}

/** Returns the origin of an entry of `origins`. */
export const originOf = (entry: string): string => entry.split('=', 1)[0] ?? '';

/**
 * The headers of every file of the fields. A frame runs its own scripts alone, calls the API alone,
 * and is shown only where every page around it is on the list.
 */
export function fieldsHeaders({ apiUrl, origins }: FieldsConfig): Readonly<Record<string, string>> {
  const ancestors = [...new Set(origins.map(originOf))];
  const policy = [
    `default-src 'none'`,
    `script-src 'self'`,
    `style-src 'self'`,
    `font-src 'self'`,
    `connect-src ${apiUrl}`,
    `base-uri 'none'`,
    `form-action 'none'`,
    `frame-ancestors ${ancestors.length === 0 ? `'none'` : ancestors.join(' ')}`,
    `require-trusted-types-for 'script'`,
    `trusted-types 'none'`,
  ];
  return {
    'Content-Security-Policy': policy.join('; '),
    'Cross-Origin-Opener-Policy': 'same-origin',
    // A page that isolates itself (COEP) embeds only frames that do so too.
    'Cross-Origin-Embedder-Policy': 'require-corp',
    'Cross-Origin-Resource-Policy': 'cross-origin',
    // A page loads the script with a checksum, and a module: both need this.
    'Access-Control-Allow-Origin': '*',
    'Origin-Agent-Cluster': '?1',
    'Permissions-Policy':
      'camera=(), clipboard-read=(), clipboard-write=(), display-capture=(), geolocation=(), microphone=(), payment=(), publickey-credentials-get=(), usb=()',
    'Referrer-Policy': 'no-referrer',
    'X-Content-Type-Options': 'nosniff',
  };
}
