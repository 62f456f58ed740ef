import type { WrittenReactor } from '../../src/core/reactors/create-reactor.ts';
import type { ReactorView } from '../../src/core/reactors/get-reactor.ts';
import type { ResultView } from '../../src/core/reactors/get-result.ts';
import type { ReactorRecord } from '../../src/core/reactors/reactor.ts';
import { defined } from '../../src/core/shared/defined.ts';
import type { JsonObject } from '../../src/core/shared/json.ts';
import { formatTimestamp } from '../../src/core/shared/timestamp.ts';
import { presentApplication } from '../../src/http/present-application.ts';

/** The members of a reactor that no update can set. */
export function presentRecord(
  reactor: Pick<ReactorRecord, 'id' | 'tenantId' | 'createdBy' | 'createdAt' | 'modifiedBy' | 'modifiedAt'>,
): JsonObject {
  return defined({
    id: reactor.id,
    tenant_id: reactor.tenantId,
    created_by: reactor.createdBy,
    created_at: formatTimestamp(reactor.createdAt),
    modified_by: reactor.modifiedBy,
    modified_at: reactor.modifiedAt === undefined ? undefined : formatTimestamp(reactor.modifiedAt),
  });
}

/** The Reactor object (docs/contract.md#the-reactor-object), with its application without a key. */
export function presentReactor({ reactor, application }: ReactorView): JsonObject {
  const { id, tenant_id, ...history } = presentRecord(reactor);
  return defined({
    id,
    tenant_id,
    name: reactor.name,
    code: reactor.code.reveal(),
    configuration: reactor.configuration.reveal(),
    application: application && presentApplication(application),
    ...history,
  });
}

/** The Reactor object after a write, with what is wrong with it (docs/lenient.md#http). */
export function presentWrittenReactor({ warnings, ...view }: WrittenReactor): JsonObject {
  return { ...presentReactor(view), ...(warnings.length > 0 && { _extras: { warnings } }) };
}

/** The state and result of an invocation (docs/contract.md#asynchronous-invocations). */
export function presentResultView({ id, status, result }: ResultView): JsonObject {
  return defined({ id, status, result: result?.reveal() });
}
