/** The version of the service, which is that of its packages (`tools/set-version.ts`). */
export const SERVICE_VERSION = '0.1.0';
