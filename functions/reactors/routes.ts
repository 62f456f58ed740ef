import type { Route } from '../../src/http/route.ts';
import { operation as createReactor } from './create-reactor/route.ts';
import { operation as listReactors } from './list-reactors/route.ts';
import { operation as getReactor } from './get-reactor/route.ts';
import { operation as updateReactor } from './update-reactor/route.ts';
import { operation as patchReactor } from './patch-reactor/route.ts';
import { operation as deleteReactor } from './delete-reactor/route.ts';
import { operation as invokeReactor } from './invoke-reactor/route.ts';
import { operation as getReactorResult } from './get-reactor-result/route.ts';
import { operation as listReactorDeliveries } from './list-reactor-deliveries/route.ts';
import { operation as resendReactorDelivery } from './resend-reactor-delivery/route.ts';
import { operation as getReactorSbom } from './get-reactor-sbom/route.ts';
import { operation as listRuntimes } from './list-runtimes/route.ts';
import type { ReactorsDeps } from './dependencies.ts';

/** The operations of the function, in the order in which the documents have them. */
export const routes: readonly Route<ReactorsDeps>[] = [
  createReactor,
  listReactors,
  getReactor,
  updateReactor,
  patchReactor,
  deleteReactor,
  invokeReactor,
  getReactorResult,
  listReactorDeliveries,
  resendReactorDelivery,
  getReactorSbom,
  listRuntimes,
];
