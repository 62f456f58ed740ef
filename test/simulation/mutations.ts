/**
 * A way to break the service on purpose. The simulation must find each of them within a hundred
 * seeds: one that it does not find is a promise that it does not check.
 */
export interface Mutation {
  readonly name: string;
  /** The path that it has from the root of the repository. */
  readonly file: string;
  /** Occurs once in the file. */
  readonly find: string;
  readonly replace: string;
}

const STORE = 'src/adapters/dynamodb';

/** A call of a message's use case whose work the trail does not learn of. */
const unrecorded = (useCase: string): string => `() => {
  const silent = () => undefined;
  const audit = { saw: silent, named: silent, found: silent, matched: silent, actsFor: silent };
  return ${useCase}({ ...deps, audit } as any, id);
},`;

export const MUTATIONS: readonly Mutation[] = [
  {
    name: "the SDK's client token is drawn again for a retried transaction",
    file: 'src/adapters/aws/clients.ts',
    find: 'connecting(aws, createClient(DynamoDBClient, aws, USUAL))',
    replace: `((client: any) => {
      let made = 0;
      const renewed = (next: any) => (args: any) => {
        const token = '$1' + String((made += 1)) + '-';
        args.request.body = String(args.request.body).replace(/("ClientRequestToken":")[^"]{4}/, token);
        return next(args);
      };
      client.middlewareStack.add(renewed, { step: 'finalizeRequest', priority: 'low', name: 'renewed' });
      return client;
    })(connecting(aws, createClient(DynamoDBClient, aws, USUAL)))`,
  },
  {
    name: 'the lease of a request under a key is taken a second too early',
    file: `${STORE}/idempotency-store.ts`,
    find: 'if (record.leaseUntil > now) return',
    replace: 'if (record.leaseUntil > now + 1_000) return',
  },
  {
    name: 'the record is written after the effect',
    file: 'src/core/audit/audited-ports.ts',
    find: `      await scope.ahead(effect(...(args as never)));
      return call(...args);`,
    replace: `      const result = await (call(...args) as Promise<unknown>);
      await scope.ahead(effect(...(args as never)));
      return result;`,
  },
  {
    name: 'a copy of a credential is not updated',
    file: `${STORE}/application-store.ts`,
    find: '...ownWrites(name, next, unchanged(previous)),',
    replace:
      '...ownWrites(name, next, unchanged(previous)).filter(({ Put }) => !String(Put?.Item?.["pk"]).endsWith("#3")),',
  },
  {
    name: 'a sweep forgets one of sixteen partitions',
    file: `${STORE}/due-index.ts`,
    find: 'partitions: readonly string[] = DUE_PARTITIONS,',
    replace: 'partitions: readonly string[] = DUE_PARTITIONS.slice(1),',
  },
  {
    name: 'an index entry of a deleted token stays',
    file: `${STORE}/token-removal.ts`,
    find: 'const entries = token.terms.map((term) => writes.removeEntry(token, term));',
    replace: 'const entries = token.terms.slice(1).map((term) => writes.removeEntry(token, term));',
  },
  {
    name: 'an idempotency record stays after a failure',
    file: 'src/core/idempotency/run-claimed.ts',
    find: 'await store.release(scope, claim.attempt, hasRun).catch(() => undefined);',
    replace: '',
  },
  {
    name: 'an id is made again after its deletion',
    file: `${STORE}/token-writes.ts`,
    find: 'return { Put: { TableName: tokensTable, Item: tombstone(token), ...condition } };',
    replace: 'return { Delete: { ...keyOf(token), ...condition } };',
  },
  {
    name: 'a write does not know its own after a lost answer',
    file: `${STORE}/conditional-write.ts`,
    find: 'mayBeOwn ||= wasRepeated(error);',
    replace: 'void wasRepeated(error);',
  },
  {
    name: 'keys that a batch left out are not read again',
    file: `${STORE}/batch-get.ts`,
    find: 'left = response.UnprocessedKeys ?? {};',
    replace: 'left = {};',
  },
  {
    name: 'one entry of a write of several steps is left out',
    file: `${STORE}/guarded-writes.ts`,
    find: 'for (const write of writes) {',
    replace: 'for (const write of writes.slice(1)) {',
  },
  {
    name: 'an update overwrites a version that it has not read',
    file: `${STORE}/token-writes.ts`,
    find: "'version = :version AND writeId = :writeId AND attribute_not_exists(staleTerms) AND attribute_not_exists(pending)'",
    replace:
      "'(version >= :version OR writeId = :writeId) AND attribute_not_exists(staleTerms) AND attribute_not_exists(pending)'",
  },
  {
    name: 'any token takes the lock of a value over',
    file: `${STORE}/token-writes.ts`,
    find: 'ConditionExpression: `attribute_not_exists(pk) OR tokenId = :self${gone}`,',
    replace: 'ConditionExpression: `attribute_not_exists(pk) OR tokenId <> :self OR tokenId = :self${gone}`,',
  },
  {
    name: 'an expired token is shown until it is swept',
    file: 'src/core/tokens/get-token.ts',
    find: ' || hasExpired(stored, deps.clock())) throw',
    replace: ' || hasExpired(stored, deps.clock() - 60_000)) throw',
  },
  {
    name: 'a cvc lives longer than its time',
    file: 'src/core/tokens/create-tokens.ts',
    find: 'const until = now + deps.cvcLifetimeMs;',
    replace: 'const until = now + deps.cvcLifetimeMs + 30_000;',
  },
  {
    name: 'the key of a deleted application is left in a copy',
    file: `${STORE}/application-store.ts`,
    find: '...application.keys.flatMap((key) => retireKey(name, application, key, platform.clock())),',
    replace:
      '...application.keys.flatMap((key) => retireKey(name, application, key, platform.clock()).slice(1)),',
  },
  {
    name: 'a former key stays valid in a copy',
    file: `${STORE}/application-store.ts`,
    find: '.flatMap((key) => retireKey(table, next, key, now)),',
    replace: '.flatMap((key) => retireKey(table, next, key, now).slice(2)),',
  },
  {
    name: 'the end of a key is not checked',
    file: `${STORE}/application-item.ts`,
    find: 'expiresAtMs: Number.isFinite(expiresAtMs) ? expiresAtMs : undefined,\n    ttl: Number.isFinite(last)',
    replace: 'expiresAtMs: undefined,\n    ttl: Number.isFinite(last)',
  },
  {
    name: 'a change of a key does not reach a copy',
    file: `${STORE}/application-store.ts`,
    find: 'return isSame || isForgotten ? [] : changeKey(table, next, key);',
    replace: 'return isSame || isForgotten ? [] : changeKey(table, next, key).slice(1);',
  },
  {
    name: 'a session lives on without the key that authorized it',
    file: `${STORE}/session-store.ts`,
    find: '{ applicationId: authorizedBy, keyId: authorizingKey },',
    replace: '{ applicationId: createdBy, keyId: makingKey },',
  },
  {
    name: 'an answer that shows tokens has no record',
    file: 'src/core/audit/audit-scope.ts',
    find: "if (lifecycle.state === 'open' || showsMore) await append(recording, entry);",
    replace: "if (lifecycle.state === 'open') await append(recording, entry);",
  },
  {
    name: 'a throttled statement of the trail counts as written',
    file: `${STORE}/insert-only.ts`,
    find: "return code === EXISTS ? 'existed' : 'failed';",
    replace: "return code === EXISTS ? 'existed' : 'written';",
  },
  {
    name: 'the sealer forgets half of the partitions of a trail',
    file: 'src/core/trail/seal-trail.ts',
    find: 'Number.isInteger(shard) && shard >= 0 &&',
    replace: 'Number.isInteger(shard) && shard >= 16 &&',
  },
  {
    name: 'two workers can claim one invocation',
    file: `${STORE}/invocation-store.ts`,
    find: "const GUARDS = ['state', 'delivery', 'attempts', 'runner', 'sender', 'dueAt'] as const;",
    replace: "const GUARDS = ['delivery', 'attempts'] as const;",
  },
  {
    name: 'code that may have run is run again',
    file: 'src/adapters/lambda/reactor-runner.ts',
    find: "return { outcome: 'unknown' };",
    replace: 'return { notStarted: error };',
  },
  {
    name: 'a delivery that was refused counts as made',
    file: 'src/core/webhooks/deliver.ts',
    find: 'if (status !== undefined && status >= 200 && status < 300)',
    replace: 'if (status !== undefined && status >= 200)',
  },
  {
    name: 'the result of an interrupted invocation is not sent',
    file: 'src/core/reactors/sweep-invocation.ts',
    find: "const ended = { state: 'failed', wasInterrupted: true, ...afterRun(invocation, now) } as const;",
    replace:
      "const ended = { state: 'failed', wasInterrupted: true, delivery: 'none', dueAt: now } as const;",
  },
  {
    name: 'a repeated request writes under other ids',
    file: 'src/http/idempotency.ts',
    find: 'const writes = repeatableIdentity(claim.seed, claim.startedAt);',
    replace: 'const writes = randomIdentity(deps.random);',
  },
  {
    name: 'a claim does not remember that its code has run',
    file: `${STORE}/idempotency-store.ts`,
    find: 'change(table, scope, attempt, { hasRun: true })',
    replace: 'change(table, scope, attempt, { hasRun: false })',
  },
  {
    name: 'a response is stored under the key of another request',
    file: 'src/http/idempotency.ts',
    find: '.update(JSON.stringify([caller.credentialId, method, path, key]))',
    replace: '.update(JSON.stringify([caller.credentialId, method, key.slice(0, 1)]))',
  },
  {
    name: 'credentials are read from a replica that may be behind',
    file: `${STORE}/batch-get.ts`,
    find: 'return loaderOf(table, true)',
    replace: 'return loaderOf(table, false)',
  },
  {
    name: 'what has expired is filled in until it is swept',
    file: 'src/core/tokens/resolve-tokens.ts',
    find: '(token) => !hasExpired(token, now),',
    replace: '(token) => !hasExpired(token, now - 60_000),',
  },
  {
    name: 'a token of another tenant is found',
    file: `${STORE}/keys.ts`,
    find: "return { pk: `${tenantId}#${id}`, sk: 'token' };",
    replace: 'return { pk: `${tenantId.slice(0, 0).padEnd(36, "0")}#${id}`, sk: \'token\' };',
  },
  {
    name: 'entries of a write of several steps are written without a request token',
    file: `${STORE}/guarded-writes.ts`,
    find: 'for (const items of guardedTransactions(lane)) await sendTransaction(dynamodb, items);',
    replace: `const { PutCommand, DeleteCommand } = await import('@aws-sdk/lib-dynamodb');
      const { send } = await import('./table-client.ts');
      for (const { Put: put, Delete: remove } of guardedTransactions(lane).flat() as any[])
        if (put ?? remove)
          await send(dynamodb.platform, () => dynamodb.client.send(put ? new PutCommand(put) : new DeleteCommand(remove)));`,
  },
  {
    name: 'a webhook leaves without a record',
    file: 'functions/webhook-sender/handler.ts',
    find: '(audited) => deliver(audited, id),',
    replace: unrecorded('deliver'),
  },
  {
    name: 'an asynchronous invocation runs without a record',
    file: 'functions/reactor-worker/handler.ts',
    find: '(audited) => processInvocation(audited, id),',
    replace: unrecorded('processInvocation'),
  },
  {
    name: 'a used idempotency key replays its response to any body',
    file: `${STORE}/idempotency-store.ts`,
    find: 'const isSame = [bodyHash, ...others].some((hash) => hash.equals(first.existing.bodyHash));',
    replace: 'const isSame = [bodyHash, ...others].length > 0;',
  },
  {
    name: 'every update of a token conflicts',
    file: 'src/core/tokens/update-token.ts',
    find: 'const outcome = await deps.tokenStore.update(change.previous, attempt);',
    replace: "const outcome = 'changed' as 'changed' | 'written' | { lockedBy: string };",
  },
  {
    name: 'keys are never rotated',
    file: 'src/core/operator/rotate-data-key.ts',
    find: 'if (hasWaitingRoot(tenant))\n',
    replace: 'if (tenant.roots.length > 0)\n',
  },
  {
    name: 'no root is ever replaced',
    file: 'src/core/operator/replace-root.ts',
    find: 'if (found.roots.length > 1) return found;',
    replace: "throw new ServiceError('conflict', 'never');",
  },
  {
    name: 'the fingerprint of a card is its data',
    file: 'src/core/crypto/fingerprint.ts',
    find: 'const input = JSON.stringify([type, jsonType',
    replace: `if (type === 'card') return JSON.stringify(data.reveal());
  const input = JSON.stringify([type, jsonType`,
  },
  {
    name: 'the lock of the value of a deleted token stays',
    file: `${STORE}/token-writes.ts`,
    find: "Key: lockKey(token.tenantId, token.matchHash),\n          ConditionExpression: 'attribute_not_exists(pk) OR tokenId = :self',",
    replace:
      "Key: lockKey(token.tenantId, `${token.matchHash}x`),\n          ConditionExpression: 'attribute_not_exists(pk) OR tokenId = :self',",
  },
  {
    name: 'a session ignores its conditions',
    file: 'src/core/access/access-decision.ts',
    find: 'return conditions.every((condition) => holds(condition, id, container));',
    replace: 'return conditions.some((condition) => holds(condition, id, container) || true);',
  },
  {
    name: 'a key works for a minute after its end',
    file: 'src/core/access/authenticate.ts',
    find: 'credential.expiresAtMs <= now',
    replace: 'credential.expiresAtMs <= now - 60_000',
  },
  {
    name: 'every record says that its request succeeded',
    file: 'src/core/audit/audit-scope.ts',
    find: 'const entry = defined({ status, outcome, of: firstRecordOf(recording) });',
    replace: "const entry = defined({ status: 200, outcome: 'ok' as const, of: firstRecordOf(recording) });",
  },
  {
    name: 'what remembers the id of a deleted token expires at once',
    file: `${STORE}/token-item.ts`,
    find: 'const BRIEF_MS = 25 * 60 * 60 * 1000;',
    replace: 'const BRIEF_MS = 0;',
  },
  {
    name: 'what remembers the id of a deleted token never expires',
    file: `${STORE}/token-item.ts`,
    find: 'isGone: true, ttl: timeToLive(now + BRIEF_MS) });',
    replace: 'isGone: true, ...(now === 0 && { ttl: 0 }) });',
  },
  {
    name: 'the parts of the data of a deleted token stay',
    file: `${STORE}/token-writes.ts`,
    find: 'return dataPartKeys(token).map((key) => remove(tokensTable, key));',
    replace: 'return dataPartKeys(token).slice(1).map((key) => remove(tokensTable, key));',
  },
  {
    name: 'a destroyed tenant leaves what remembers its ids',
    file: 'src/core/operator/destroy-tenant.ts',
    find: 'const tombstones = await deps.tokenStore.deleteTombstones(tenantId, STEP);',
    replace: 'const tombstones = 0;',
  },
  {
    name: 'the tokens of one request are written in two transactions',
    file: `${STORE}/token-create.ts`,
    find: 'await calls.transact(items);',
    // Only a death between the two shows.
    replace: `const isFirst = ({ Put: put }: any) => tokens.length > 1 && put === items[0]?.Put;
      const rest = items.filter((item) => !isFirst(item));
      await calls.transact(rest);
      for (let tries = 0; tries < 5 && tokens.length > 1; tries += 1)
        if (await calls.transact(items.filter(isFirst)).then(() => true, () => false)) break;`,
  },
  {
    name: 'a new token lacks an entry of the index',
    file: `${STORE}/token-create.ts`,
    find: 'token.terms.map((term) => writes.entry(token, term));',
    replace: 'token.terms.slice(1).map((term) => writes.entry(token, term));',
  },
  {
    name: 'a new token takes no lock of its value',
    file: `${STORE}/token-create.ts`,
    find: '...(token.holdsLock ? [writes.lock(write)] : []),',
    replace: '',
  },
  {
    name: 'a value that several clients share takes no lock',
    file: 'src/core/tokens/create-tokens.ts',
    find: 'holdsLock: draft.deduplicate,',
    replace:
      "holdsLock: draft.deduplicate && !JSON.stringify(draft.content.data.reveal()).includes('duplicate-'),",
  },
  {
    name: 'asynchronous invocations fail without running',
    file: 'src/core/reactors/process-invocation.ts',
    find: '    const prepared = await prepareRun(deps, caller, input);',
    replace: `    if (deadline > 0) throw new ServiceError('conflict', 'never');
    const prepared = await prepareRun(deps, caller, input);`,
  },
  {
    name: 'every id that a caller chooses is taken',
    file: 'src/core/tokens/choose-token-ids.ts',
    find: 'if (!isServiceId(options.tenantId, literal)) yield literal;',
    replace: 'if (isServiceId(options.tenantId, literal)) yield literal;',
  },
  {
    name: 'a cvc is not listed as due',
    file: `${STORE}/token-writes.ts`,
    find: '        ...dueAt(id, until),\n',
    replace: '',
  },
  {
    name: 'the record of a deletion names no token',
    file: 'src/core/tokens/token-store.ts',
    find: 'deleteIfStandalone: (_tenantId, id) => ({ tokens: [{ id }],',
    replace: 'deleteIfStandalone: () => ({ tokens: [],',
  },
  {
    name: 'the sealer seals nothing',
    file: 'src/core/trail/seal-trail.ts',
    find: 'const done = { intervals: 0, records: 0 };',
    replace: `const done = { intervals: 0, records: 0 };
  if (done.intervals === 0) return reportOf(done, 0, undefined);`,
  },
  {
    name: 'the fingerprint of a card is its data in base64',
    file: 'src/core/crypto/fingerprint.ts',
    find: 'const input = JSON.stringify([type, jsonType',
    replace: `if (type === 'card') return Buffer.from(JSON.stringify(data.reveal())).toString('base64');
  const input = JSON.stringify([type, jsonType`,
  },
  {
    name: 'records name another application',
    file: 'src/core/audit/record-content.ts',
    find: '    ...(app !== undefined && { app: isPacked ? FIRST_UUID : app }),',
    replace: "    ...(app !== undefined && { app: 'another' }),",
  },
  {
    name: 'a change of a proxy overwrites one that it has not read',
    file: `${STORE}/proxy-store.ts`,
    find: 'writes.put(next, unchanged(previous)),',
    replace: 'writes.put(next, {}),',
  },
  {
    name: 'a deletion of a proxy misses a version that was written since',
    file: `${STORE}/proxy-store.ts`,
    find: 'remove(proxyKey(proxy.tenantId, proxy.id), unchanged(proxy)),',
    replace: 'remove(proxyKey(proxy.tenantId, proxy.id)),',
  },
  {
    name: 'a write of a proxy does not count',
    file: 'src/core/stored-proxies/change-proxy.ts',
    find: 'version: stored.version + 1,',
    replace: 'version: stored.version,',
  },
  {
    name: 'a change of a proxy makes no version of its own',
    file: 'src/core/stored-proxies/change-proxy.ts',
    find: 'const version = stored.definitionVersion + (isNewVersion ? 1 : 0);',
    replace: 'const version = stored.definitionVersion + (isNewVersion ? 0 : 1);',
  },
  {
    name: 'the first version of a proxy is not stored',
    file: `${STORE}/proxy-store.ts`,
    find: '      writes.putVersion(proxy, first),\n',
    replace: '',
  },
  {
    name: 'a later version of a proxy is not stored',
    file: `${STORE}/proxy-store.ts`,
    find: '...versions.map((version) => writes.putVersion(next, version)),',
    replace: '...versions.slice(1).map((version) => writes.putVersion(next, version)),',
  },
  {
    name: 'a deleted proxy leaves its versions',
    file: `${STORE}/proxy-store.ts`,
    find: '...versions.map(({ version }) => writes.removeVersion(proxy, version)),',
    replace: '...versions.slice(1).map(({ version }) => writes.removeVersion(proxy, version)),',
  },
  {
    name: 'a new proxy is in no list',
    file: `${STORE}/proxy-store.ts`,
    find: '      writes.putListed(proxy),\n',
    replace: '',
  },
  {
    name: 'the lists have the former name of a proxy',
    file: `${STORE}/proxy-store.ts`,
    find: '...(sameJson(listedOf(previous), listedOf(next)) ? [] : [writes.putListed(next)]),',
    replace: '...(sameJson(listedOf(previous), listedOf(next)) ? [writes.putListed(next)] : []),',
  },
  {
    name: 'a deleted proxy stays in the lists',
    file: `${STORE}/proxy-store.ts`,
    find: '        writes.removeListed(proxy),\n',
    replace: '',
  },
  {
    name: 'a new proxy is not counted',
    file: `${STORE}/tenant-count.ts`,
    find: 'total: count.total + 1 };',
    replace: 'total: count.total };',
  },
  {
    name: 'two new proxies at once are counted as one',
    file: `${STORE}/tenant-count.ts`,
    find: "ConditionExpression: '#version = :before',",
    replace: "ConditionExpression: '#version >= :before',",
  },
  {
    name: 'a deleted proxy is still counted',
    file: `${STORE}/tenant-count.ts`,
    find: 'total: Math.max(0, before.total - 1) })];',
    replace: 'total: before.total })];',
  },
  {
    name: 'a deleted key of a proxy leaves no tombstone',
    file: `${STORE}/proxy-store.ts`,
    find: '.flatMap((key) => writes.retire(next, key, clock())),',
    replace: '.flatMap((key) => writes.retire(next, key, clock()).slice(1)),',
  },
  {
    name: 'a proxy does not count its deleted keys',
    file: `${STORE}/proxy-store.ts`,
    find: '.flatMap((key) => writes.retire(next, key, clock())),',
    replace: '.flatMap((key) => writes.retire(next, key, clock()).slice(0, 1)),',
  },
  {
    name: 'the keys of a deleted proxy leave no tombstone',
    file: `${STORE}/proxy-store.ts`,
    find: '...proxy.keys.flatMap((key) => writes.retire(proxy, key, clock())),',
    replace: '...proxy.keys.flatMap((key) => writes.retire(proxy, key, clock()).slice(1)),',
  },
  {
    name: 'a new key of a proxy has no place for its last use',
    file: `${STORE}/proxy-store.ts`,
    find: 'next.keys.filter(({ id }) => before?.has(id) !== true).map((key) => writes.putUse(next, key)),',
    replace: 'next.keys.filter(() => false).map((key) => writes.putUse(next, key)),',
  },
  {
    name: 'the first key of a proxy has no place for its last use',
    file: `${STORE}/proxy-store.ts`,
    find: '...proxy.keys.map((key) => writes.putUse(proxy, key)),',
    replace: '',
  },
  {
    name: 'a new secret of a proxy is not stored',
    file: 'src/core/stored-proxies/change-proxy.ts',
    find: 'encryptedConfiguration: await encryptConfiguration(deps.vault, stored, definition, configuration),',
    replace: 'encryptedConfiguration: stored.encryptedConfiguration,',
  },
  {
    name: 'a secret that a proxy had is not remembered',
    file: 'src/core/stored-proxies/change-proxy.ts',
    find: '...(retired.reveal().length > 0 && {',
    replace: '...(retired.reveal().length > 9 && {',
  },
  {
    name: 'a failed transform of a proxy is not stored',
    file: 'src/core/stored-proxies/call-proxy.ts',
    find: 'await deps.proxyFailureStore.add({ tenantId, proxyId: id }, failure);',
    replace: 'void [tenantId, id, failure];',
  },
  {
    name: 'a deleted key of a proxy still admits calls',
    file: `src/core/stored-proxies/admit-call.ts`,
    find: 'const retired = await proxyStore.retiredKey(content.hash);',
    replace: `const retired = await proxyStore.retiredKey(content.hash);
  if (stored !== undefined && retired !== undefined && stored.keys[0] !== undefined)
    return { stored, key: stored.keys[0] };`,
  },
  {
    name: 'a parked delivery is in no list',
    file: `${STORE}/invocation-store.ts`,
    find: 'if (!LISTED.has(invocation.delivery)) return {};',
    replace: 'if (LISTED.has(invocation.delivery)) return {};',
  },
  {
    name: 'two requests at once send a parked delivery again',
    file: `${STORE}/invocation-store.ts`,
    find: 'resend: (parked, pending) => putInvocation(pending, guard(parked)),',
    replace: "resend: (_parked, pending) => putInvocation(pending, { expression: 'attribute_exists(pk)' }),",
  },
  {
    name: 'a delivery that is sent again is not due',
    file: 'src/core/webhooks/undelivered.ts',
    find: "const again = { delivery: 'pending', attempts: 0, dueAt: now, resentBy } as const;",
    replace: "const again = { delivery: 'pending', attempts: 0, dueAt: now + 9e9, resentBy } as const;",
  },
  {
    name: 'a delivery is sent again without being parked',
    file: 'src/core/webhooks/undelivered.ts',
    find: 'if (!isListed(invocation, now)) throw notParked();',
    replace: '',
  },
  {
    name: 'a delivery whose receiver wants no more is not parked',
    file: 'src/core/webhooks/deliver.ts',
    find: 'if (status === GONE || claimed.attempts',
    replace: 'if (claimed.attempts',
  },
  {
    name: 'a change of a tenant overwrites one that it has not read',
    file: `${STORE}/tenant-store.ts`,
    find: `puts(next, {
          ConditionExpression: 'version = :version',
          ExpressionAttributeValues: { ':version': version },
        }),`,
    replace: 'puts(next, version < 0 ? { ConditionExpression: "" } : {}),',
  },
  {
    name: 'a change of a tenant does not reach a copy',
    file: `${STORE}/tenant-store.ts`,
    find: '...ALL_COPIES.map((copy) => put(basicsItemOf(tenant, copy))),',
    replace: '...ALL_COPIES.slice(1).map((copy) => put(basicsItemOf(tenant, copy))),',
  },
  {
    name: 'a change of a tenant does not count',
    file: 'src/core/tenants/change-tenant.ts',
    find: 'const next = { ...changed, version: previous.version + 1 };',
    replace: 'const next = { ...changed, version: previous.version };',
  },
  {
    name: 'a change of one setting of a tenant resets the other one',
    file: 'src/core/tenants/tenant-profile.ts',
    find: 'settings: { ...tenant.settings, ...settings }',
    replace: 'settings: { deduplicateTokens: false, ephemeralProxy: true, ...settings }',
  },
  {
    name: 'a rule permits any stored proxy',
    file: 'src/core/access/access-decision.ts',
    find: 'return through.proxies.includes(way.proxy);',
    replace: 'return through.proxies.length > 0;',
  },
  {
    name: 'the addresses of results are not compared',
    file: 'src/core/access/access-decision.ts',
    find: 'callback === undefined || (through.callbacks ?? [])',
    replace: 'callback !== "" || (through.callbacks ?? [])',
  },
  {
    name: 'explain says that a refused way is allowed',
    file: 'src/core/applications/explain-access.ts',
    find: 'return admits(decidedBy, right)\n',
    replace: 'return admits(decidedBy, permissionOf(right) as any)\n',
  },
  {
    name: 'a rule is stored without its destinations',
    file: `${STORE}/grants-shape.ts`,
    find: 'through: z.exactOptional(',
    replace: 'elsewhere: z.exactOptional(',
  },
  {
    name: 'a restore sets changed tokens back',
    file: 'bin/operator/restore/restore-exchange.ts',
    find: "await carryTokens(deps, name, copy, of('changed'));",
    replace: 'void name;',
  },
  {
    name: 'a restore forgets the ids that were used since',
    file: 'bin/operator/restore/restore-exchange.ts',
    find: "await rememberIds(deps, copy, of('used'));",
    replace: '',
  },
  {
    name: 'the versions of a proxy are never deleted',
    file: `${STORE}/proxy-store.ts`,
    find: '...deletedBy(previous, next).map((version) => writes.removeVersion(next, version)),',
    replace: '',
  },
  {
    name: 'two applications get one external id',
    file: `${STORE}/external-ids.ts`,
    find: "ConditionExpression: 'attribute_not_exists(pk)' } }];",
    replace: '} }];',
  },
  {
    name: 'an external id stays after its application',
    file: `${STORE}/application-store.ts`,
    find: "...(await externalIdWrites(table, 'application', { previous: application })),",
    replace: '',
  },
  {
    name: 'a change of another state is made',
    file: 'src/core/shared/external-id.ts',
    find: 'if (isMeantFor(request, previous) && (await write())) return next;',
    replace: 'if (await write()) return next;',
  },
  {
    name: 'a change raises no entity tag',
    file: 'src/core/applications/change-application.ts',
    find: 'revision: nextRevision(deps.random, application),',
    replace: 'revision: application.revision,',
  },
];
