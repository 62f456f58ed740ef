/**
 * The headers of every file of the console. Its page talks to its own origin and to the API, runs
 * its own scripts alone, and is in no frame. `apiOrigin` has the form `https://tokens.example.com`.
 */
export function consoleHeaders(apiOrigin: string): Readonly<Record<string, string>> {
  const policy = [
    `default-src 'none'`,
    `script-src 'self'`,
    `style-src 'self'`,
    `img-src 'self' data:`,
    `connect-src 'self' ${apiOrigin}`,
    `base-uri 'none'`,
    `form-action 'none'`,
    `frame-ancestors 'none'`,
    `require-trusted-types-for 'script'`,
    `trusted-types 'none'`,
  ];
  return {
    'Content-Security-Policy': policy.join('; '),
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Cross-Origin-Resource-Policy': 'same-origin',
    'Permissions-Policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
    'Referrer-Policy': 'no-referrer',
    'X-Content-Type-Options': 'nosniff',
    'X-Frame-Options': 'DENY',
  };
}
