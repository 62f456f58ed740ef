import type { ReleaseItem } from '../item.ts';

export const LIFE_CYCLE_ITEMS: readonly ReleaseItem[] = [
  {
    id: 'check-account',
    title: 'An account is checked before and after its first deployment',
    steps: `In an account of an organisation, before the first deployment:
npx cdk synth --quiet -c serviceName=Release && npx cloakroom check-account
Then with an SCP that denies lambda:CreateFunction unless lambda:VpcIds is there, and again after a deployment without it.
It says "no rule refuses", then names the explicit deny, then made and deleted a function.`,
  },
  {
    id: 'max-writes',
    title: 'A maximum of writes comes and goes',
    steps: `npx cdk deploy Release-Data -c serviceName=Release -c tableMaxWrites=1000
npx cdk deploy Release-Data -c serviceName=Release
aws dynamodb describe-table --table-name Release-Tokens --query Table.[OnDemandThroughput,GlobalSecondaryIndexes[].OnDemandThroughput]
Is it still there after the second deployment? Then docs/deploy.md, "A cap of money", has to remove it.`,
  },
  {
    id: 'restore',
    title: 'Restore',
    steps: `On a deployment with a token, an application and a reactor: docs/restore.md, with Tokens Access Reactors.
Interrupt exchange with Ctrl-C after the first line "exchanging", and run it again. Then:
npx cdk drift Release-Data && npx cloakroom operator health --function Release-operator`,
  },
  {
    id: 'backup',
    title: 'A copy elsewhere, and a restore from it',
    steps: `With a vault in another account (docs/guides/keep-a-copy-elsewhere.md, "Switch it on"): deploy with backup=daily.
The next morning the vault has a copy of six tables and none of Ephemeral, and no alarm of the two rings.
Restore Tokens, Access and Reactors from the vault beside the tables (docs/restore.md, "From a backup"), and once
from a copy that was copied back. Then delete the four tables, with their protection off, and return them.
Deny backup:CopyIntoBackupVault in the other vault for a night: BackupFailed rings, and BackupLate after 30 hours.
Switch it off, delete the stack, and switch it on again: the vault has another name.`,
  },
  {
    id: 'upgrade',
    title: 'Upgrade and rollback',
    steps: `npm run rehearse-upgrade -- <last release>
Then the same on AWS, under one request a second: deploy the last release, this one, and the last one again.
No response is other than 404 (GET /tokens/x), and cdk drift finds nothing after each deployment.`,
  },
  {
    id: 'canary',
    title: 'A canary moves requests, and moves them back',
    steps: `npx cdk deploy --all -c deployment=canary with a changed function, under ten requests a second:
aws lambda get-alias --function-name $FUNCTION --name live --query RoutingConfig.AdditionalVersionWeights
It shows a tenth for five minutes, then nothing. Then deploy a function that throws: the deployment fails,
and the alias has the version of before. Last, let Proxy alone end by process.exit(1), and then by a loop: the
deployment with exit fails, that with the loop succeeds. The log of Proxy has a line of each:
aws logs filter-log-events --log-group-name $LOG --filter-pattern '{ $.type = "platform.report" }'`,
  },
  {
    id: 'removal',
    title: 'Removal and adoption',
    steps: `npx cloakroom operator remove-deployment --service Release --keep-data --mapping mapping.json
Then cdk import and cdk deploy --all: docs/remove.md, "Adopt the data in a new deployment".
Then npx cloakroom operator remove-deployment --service Release --delete-trail
Interrupt it with Ctrl-C during the first table, and run it again. Nothing but keys in PendingDeletion, system
backups, the role and its boundary is left:
aws dynamodb list-tables; aws lambda list-functions; aws sqs list-queues; aws logs describe-log-groups
aws lambda list-layer-versions --layer-name Release-reactor-runtime; aws lambda list-layer-versions --layer-name Release-reactor-runtime-node24; aws cloudformation describe-stacks
aws dynamodb list-backups --backup-type ALL; aws iam list-roles --query "Roles[?starts_with(RoleName, 'Release')]"`,
  },
];
