#!/usr/bin/env bash
# Restores tables to a point in time under their own names: docs/deploy.md, "Restore". An interrupted step can be run again.
set -euo pipefail
# Bash 3 does not have it.
shopt -s inherit_errexit 2> /dev/null || true
umask 077
export AWS_PAGER=''

SERVICE=${SERVICE:-Cloakroom}
# The lists of records deleted since then, and the input of the later steps.
FOLDER=${FOLDER:-restore}
# Seconds until running requests have ended and no instance has a cached key, and between two polls of AWS.
QUIET=${QUIET:-360}
PAUSE=${PAUSE:-10}

usage() {
  echo 'bin/restore.sh beside TIME TABLE...   TIME: 2026-11-22T10:00:00Z, or latest
                                      TABLE: Tokens, Reactors, both, or all of Tokens Access Reactors
bin/restore.sh exchange
bin/restore.sh clean' >&2
  exit 2
}

say() { echo "$*" >&2; }
# The response of a call, one row per line.
ask() { aws "$@" --output text; }
call() { aws "$@" > /dev/null; }
variable() { ask lambda get-function-configuration --function-name "$SERVICE-operator" --query "Environment.Variables.$1"; }
exists() { aws dynamodb describe-table --table-name "$1" > /dev/null 2>&1; }
# The restored copy of a table. Its name contains the time, so that each restore has its own.
copy_of() { echo "$1-at-$(saved time)"; }
active() { until [ "$(ask dynamodb describe-table --table-name "$1" --query Table.TableStatus)" = ACTIVE ]; do sleep "$PAUSE"; done; }
gone() { while exists "$1"; do sleep "$PAUSE"; done; }
saved() { cat "$FOLDER/$1"; }
# Lines of a table's name and its role: Tokens, Access or Reactors.
tables() { saved tables; }

# Lines that are only in the second of two sorted files.
only_second() { LC_ALL=C comm -13 "$1" "$2"; }

# The records of a table, with their versions.
records() {
  local pattern=()
  case $2 in
    # The tombstone of a deleted token has no version.
    Tokens) pattern=($'\ttoken\t[0-9]') ;;
    Reactors) pattern=($'\treactor#') ;;
    # The head of the audit trail is never restored: carry_head.
    Access) pattern=(-v $'^audit\thead\t') ;;
  esac
  ask dynamodb scan --table-name "$1" --consistent-read --projection-expression 'pk, sk, version' --query 'Items[].[pk.S, sk.S, version.N]' > "$FOLDER/rows"
  grep "${pattern[@]}" "$FOLDER/rows" | LC_ALL=C sort || true
}

# The keys of the tokens that exist or existed, from the rows that records() read last.
ids() { grep $'\ttoken\t' "$FOLDER/rows" | cut -f1,2 | LC_ALL=C sort || true; }

# Writes the records of a table that were deleted since then to a list of the third name, and those that changed.
compare() {
  local now="$FOLDER/now" then="$FOLDER/then"
  records "$1" "$2" > "$now"
  ids > "$FOLDER/ids-now"
  records "$(copy_of "$1")" "$2" > "$then"
  only_second <(ids) "$FOLDER/ids-now" > "$FOLDER/used-$2"
  only_second <(cut -f1,2 "$now") <(cut -f1,2 "$then") > "$FOLDER/$3-$2"
  LC_ALL=C comm -12 <(cut -f1,2 "$now") <(only_second "$now" "$then" | cut -f1,2) > "$FOLDER/changed-$2"
}

beside() {
  [ $# -ge 2 ] || usage
  local time=$1 at=(--restore-date-time "$1") role name ephemeral access
  [ "$1" != latest ] || at=(--use-latest-restorable-time)
  shift
  case " $* " in *' Audit '* | *' AuditIndex '* | *' AuditSeals '*)
    say 'The audit trail cannot be restored: the records and seals written since then would be lost, and verify-audit would report it as broken. See docs/deploy.md, "Restore".'
    exit 2
    ;;
  esac
  # Permissions and root keys are either restored together with all tokens sealed under them, or not at all.
  case "$*" in Tokens | Reactors | 'Tokens Reactors' | 'Tokens Access Reactors') ;; *) usage ;; esac
  ephemeral=$(variable EPHEMERAL_TABLE)
  access=$(variable ACCESS_TABLE)
  mkdir -p "$FOLDER"
  rm -f "$FOLDER/compared" "$FOLDER/done"
  tr -cd '[:alnum:]' <<< "$time" > "$FOLDER/time"
  for role in "$@"; do echo "$(variable "$(tr a-z A-Z <<< "$role")_TABLE") $role"; done > "$FOLDER/tables"
  # The audit sealer has only the second variable.
  ask lambda list-functions --query "Functions[?Environment.Variables.EPHEMERAL_TABLE=='$ephemeral' || Environment.Variables.ACCESS_TABLE=='$access'].[FunctionName]" > "$FOLDER/functions"
  # Its definition, to create it again, which empties it.
  aws dynamodb describe-table --table-name "$ephemeral" --query "Table.{TableName: TableName, AttributeDefinitions: AttributeDefinitions, KeySchema: KeySchema,
    GlobalSecondaryIndexes: GlobalSecondaryIndexes[].{IndexName: IndexName, KeySchema: KeySchema, Projection: Projection},
    SSESpecification: {Enabled: \`true\`, SSEType: 'KMS', KMSMasterKeyId: SSEDescription.KMSMasterKeyArn}}" > "$FOLDER/definition"
  mv "$FOLDER/definition" "$FOLDER/ephemeral.json"
  echo "$ephemeral" > "$FOLDER/ephemeral"
  while read -r name _; do
    exists "$(copy_of "$name")" || call dynamodb restore-table-to-point-in-time --source-table-name "$name" --target-table-name "$(copy_of "$name")" "${at[@]}"
  done < <(tables)
  while read -r name role; do
    active "$(copy_of "$name")"
    compare "$name" "$role" missing
    cp "$FOLDER/missing-$role" "$FOLDER/deleted-$role"
    say "$role: $(wc -l < "$FOLDER/deleted-$role") deleted since then ($FOLDER/deleted-$role), $(wc -l < "$FOLDER/changed-$role") changed ($FOLDER/changed-$role)"
  done < <(tables)
  say "Remove from $FOLDER/deleted-* the records to restore; records that stay in the lists stay deleted. Then: bin/restore.sh exchange"
}

# Callers choose token ids, which may contain quotes.
quoted() { sed 's/[\\"]/\\&/g' <<< "$1"; }
key() { printf '{"pk": {"S": "%s"}, "sk": {"S": "%s"}}' "$(quoted "$1")" "$(quoted "$2")"; }

# The current time in the format of the due index (src/core/shared/position.ts): ms in base 36, nine digits.
now36() {
  local digits=0123456789abcdefghijklmnopqrstuvwxyz left=$(($(date +%s) * 1000)) text=''
  for _ in 1 2 3 4 5 6 7 8 9; do
    text=${digits:left % 36:1}$text
    left=$((left / 36))
  done
  echo "$text"
}

# Deletes again the records that must stay deleted, before any request can read them.
delete_again() {
  local name role=$2 pk sk
  name=$(copy_of "$1")
  while IFS=$'\t' read -r pk sk; do
    if [ "$role" = Tokens ]; then
      # Like an interrupted deletion: invisible, and the sweep removes it with all its items.
      call dynamodb update-item --table-name "$name" --key "$(key "$pk" "$sk")" --condition-expression 'attribute_exists(pk)' \
        --update-expression 'SET pending = :true, isLeaving = :true, duePk = :partition, dueSk = :time REMOVE listPk, listSk' \
        --expression-attribute-values '{":true": {"BOOL": true}, ":partition": {"S": "due#0"}, ":time": {"S": "'"$(now36)"'"}}'
    else
      call dynamodb delete-item --table-name "$name" --key "$(key "$pk" "$sk")"
    fi
  done < <(saved "deleted-$role")
  [ "$role" = Reactors ] || return 0
  # The arguments and results of invocations were in Ephemeral: without them their states would be wrong.
  ask dynamodb scan --table-name "$name" --projection-expression 'pk, sk' --query "Items[?sk.S=='invocation'].[pk.S, sk.S]" |
    while IFS=$'\t' read -r pk sk; do
      [ -z "$sk" ] || call dynamodb delete-item --table-name "$name" --key "$(key "$pk" "$sk")"
    done
}

# Leaves a tombstone (src/adapters/dynamodb/token-item.ts) for each id that was first used after the restore point: clients may still refer to it.
remember_ids() {
  local name pk sk item
  name=$(copy_of "$1")
  while IFS=$'\t' read -r pk sk; do
    item=$(key "$pk" "$sk")
    item="${item%\}}, \"isGone\": {\"BOOL\": true}, \"listPk\": {\"S\": \"${pk:0:36}#gone#0\"}, \"listSk\": {\"S\": \"tombstone\"}}"
    call dynamodb put-item --table-name "$name" --item "$item"
  done < <(saved "used-$2")
}

# Copies the current head of the audit trail: with an old one the sealer would stop for good. If the table is gone, an earlier run did it.
carry_head() {
  local head="$FOLDER/head.json"
  exists "$1" || return 0
  aws dynamodb get-item --table-name "$1" --consistent-read --key '{"pk": {"S": "audit"}, "sk": {"S": "head"}}' --query Item --output json > "$head"
  if grep -q '"seal"' "$head"; then
    call dynamodb put-item --table-name "$(copy_of "$1")" --item "file://$head" --cli-binary-format base64
  else
    say "$1 has no head of the audit trail now. If there are seals: docs/runbook.md, AuditBroken."
  fi
}

# Deletes a protected table, if it exists.
drop() {
  if exists "$1"; then
    call dynamodb update-table --table-name "$1" --no-deletion-protection-enabled
    active "$1"
    call dynamodb delete-table --table-name "$1"
  fi
  gone "$1"
}

# The backup of the restored copy.
backup() {
  local arn
  while :; do
    arn=$(ask dynamodb list-backups --table-name "$(copy_of "$1")" --query 'BackupSummaries[0].BackupArn')
    case $arn in arn:*) break ;; esac
    # AWS refuses it for a while after a table was created.
    call dynamodb create-backup --table-name "$(copy_of "$1")" --backup-name "$1" || sleep "$PAUSE"
  done
  until [ "$(ask dynamodb describe-backup --backup-arn "$arn" --query BackupDescription.BackupDetails.BackupStatus)" = AVAILABLE ]; do sleep "$PAUSE"; done
  echo "$arn"
}

# Replaces a table by the backup, unless that is done already.
swap() {
  local arn
  arn=$(backup "$1")
  if ! exists "$1" || [ "$(ask dynamodb describe-table --table-name "$1" --query Table.RestoreSummary.SourceBackupArn)" != "$arn" ]; then
    drop "$1"
    call dynamodb restore-table-from-backup --target-table-name "$1" --backup-arn "$arn"
  fi
}

# Settings that AWS does not restore.
settle() {
  active "$1"
  if [ "$(ask dynamodb describe-time-to-live --table-name "$1" --query TimeToLiveDescription.TimeToLiveStatus)" = DISABLED ]; then
    call dynamodb update-time-to-live --table-name "$1" --time-to-live-specification Enabled=true,AttributeName=ttl
  fi
  call dynamodb update-table --table-name "$1" --deletion-protection-enabled
  active "$1"
}

recoverable() {
  until [ "$(ask dynamodb describe-continuous-backups --table-name "$1" \
    --query ContinuousBackupsDescription.PointInTimeRecoveryDescription.PointInTimeRecoveryStatus)" = ENABLED ]; do
    call dynamodb update-continuous-backups --table-name "$1" --point-in-time-recovery-specification PointInTimeRecoveryEnabled=true || sleep "$PAUSE"
  done
}

serve() {
  local function
  while read -r function; do
    call lambda delete-function-concurrency --function-name "$function"
  done < <(saved functions)
}

exchange() {
  local name role function ephemeral
  ephemeral=$(saved ephemeral)
  # Later writes would be lost.
  [ ! -e "$FOLDER/done" ] || { serve; say 'This restore is complete. Another one begins with beside.'; exit 1; }
  while read -r name _; do
    exists "$(copy_of "$name")" || { say "$(copy_of "$name") does not exist: run beside first."; exit 1; }
  done < <(tables)
  say 'Stopping the service: callers get 503.'
  while read -r function; do
    call lambda put-function-concurrency --function-name "$function" --reserved-concurrent-executions 0
  done < <(saved functions)
  say "Waiting $QUIET seconds."
  sleep "$QUIET"
  if [ ! -e "$FOLDER/compared" ]; then
    while read -r name role; do
      compare "$name" "$role" missing-now
      # Records that were deleted while the lists were edited stay deleted.
      only_second "$FOLDER/missing-$role" "$FOLDER/missing-now-$role" >> "$FOLDER/deleted-$role"
    done < <(tables)
    touch "$FOLDER/compared"
  fi
  while read -r name role; do
    say "Exchanging $name."
    delete_again "$name" "$role"
    [ "$role" != Tokens ] || remember_ids "$name" "$role"
    [ "$role" != Access ] || carry_head "$name"
    swap "$name"
  done < <(tables)
  say "Emptying $ephemeral."
  drop "$ephemeral"
  call dynamodb create-table --cli-input-json "file://$FOLDER/ephemeral.json" --billing-mode PAY_PER_REQUEST
  settle "$ephemeral"
  while read -r name _; do
    settle "$name"
    recoverable "$name"
  done < <(tables)
  touch "$FOLDER/done"
  serve
  say 'Serving again. Look: npx cdk drift, npm run operator -- health. Then: bin/restore.sh clean'
}

clean() {
  local name arn
  while read -r name _; do
    for arn in $(ask dynamodb list-backups --table-name "$(copy_of "$name")" --query 'BackupSummaries[].BackupArn'); do
      [ "$arn" = None ] || call dynamodb delete-backup --backup-arn "$arn"
    done
    ! exists "$(copy_of "$name")" || call dynamodb delete-table --table-name "$(copy_of "$name")"
  done < <(tables)
}

case ${1:-} in beside | exchange | clean) "$@" ;; *) usage ;; esac
