import { later, type LocalAccount, type LocalService } from '../assembly/local-service.ts';
import { createLogGroups, type LogGroups } from './create-log-groups.ts';

/** CloudWatch Logs. The type of its log groups has no behaviour, so the stacks name them. */
export function createLocalLogs(account: LocalAccount): LocalService {
  const logGroups = later<LogGroups>('CloudWatch Logs');
  return {
    removers: {
      'AWS::Logs::LogGroup': ({ identity }) => {
        logGroups.get().remove(identity.ref);
      },
    },
    deploy: ({ stacks }) => {
      const groups = stacks
        .flatMap(({ resources }) => resources)
        .filter(({ type }) => type === 'AWS::Logs::LogGroup')
        .map(({ identity }) => ({ name: identity.ref, keyArn: identity.attributes['KmsKeyId'] }));
      return logGroups.set(createLogGroups(account, groups));
    },
  };
}
