import type { IncomingHttpHeaders } from 'node:http';
import type { LocalAccount, LocalService } from '../assembly/local-service.ts';
import { definedIn } from '../assembly/resource-type.ts';
import { createGatewayDefinition, type HttpApi } from './gateway-definition.ts';
import { gatewayResources } from './gateway-resources.ts';
import type { GatewayPage, GatewayResponse } from './gateway-responses.ts';
import {
  startHttpGateway,
  type Exchange,
  type HttpGateway,
  type HttpGatewayOptions,
  type ObservedResponse,
} from './http-gateway.ts';

/** An app adds these to its HTTP API locally. */
export interface GatewayExtension {
  /** Pages next to the API, by path and headers; `undefined` leaves a path to the API. */
  readonly pages?: (path: string, headers: IncomingHttpHeaders) => Promise<GatewayPage | undefined>;
  /** Rewrites the gateway's own responses, like a front end of the API might. */
  readonly presentResponse?: (response: GatewayResponse) => GatewayResponse;
  /** Sees every response of the API. */
  readonly onResponse?: (exchange: Exchange) => void;
  /** Runs after the last response. */
  readonly onClose?: () => void;
}

export type ExtendGateway = (baseUrl: string, log: (line: string) => void) => GatewayExtension;

export interface LocalGatewayOptions {
  readonly functions: HttpGatewayOptions['functions'];
  /** Returns the observer of the responses of an API. */
  readonly observerOf: (api: HttpApi) => (response: ObservedResponse) => void;
  readonly extendGateway?: ExtendGateway;
}

/** API Gateway, at the base URL of the account. */
export function createLocalGateway(
  account: LocalAccount,
  { functions, observerOf, extendGateway }: LocalGatewayOptions,
): LocalService {
  const { accountId, region, baseUrl, clock } = account;
  const definition = createGatewayDefinition();
  let gateway: HttpGateway | undefined;
  const log = (line: string): void => {
    account.logs.line('gateway', line);
  };
  return {
    resources: definedIn(definition, gatewayResources),
    removers: { 'AWS::ApiGatewayV2::Api': async () => gateway?.close() },
    controls: { '/_local/api': () => definition.httpApi() },
    accept: async () => {
      const { onClose, ...extension } = extendGateway?.(baseUrl, log) ?? {};
      const api = definition.httpApi();
      const started = await startHttpGateway({
        api,
        observe: observerOf(api),
        functions,
        port: Number(new URL(baseUrl).port),
        accountId,
        region,
        log,
        now: () => clock.now(),
        ...extension,
      });
      gateway = started;
      account.onClose(async () => {
        await started.close();
        onClose?.();
      });
    },
  };
}
