import { parseFunctionName } from '../function-name.ts';
import { json, noContent } from './lambda-operation.ts';
import type { ControlPlane, LambdaOperation, LambdaRequest } from './lambda-operation.ts';
import { parseBody } from './requests.ts';

/** The calls about the tags of functions. */
export function tagOperations({ registry }: ControlPlane): readonly LambdaOperation[] {
  const resource = ({ parameters }: LambdaRequest): string => parameters['Resource'] ?? '';
  const nameOf = (request: LambdaRequest): string => parseFunctionName(resource(request)).name;

  const path = '/2017-03-31/tags/{Resource}';
  return [
    {
      method: 'GET',
      path,
      action: 'lambda:ListTags',
      resource,
      answer: (request) => json(200, { Tags: registry.get(nameOf(request)).tags }),
    },
    {
      method: 'POST',
      path,
      action: 'lambda:TagResource',
      resource,
      answer: async (request) => {
        const { Tags } = parseBody('tagResource', request.call.body);
        const record = registry.get(nameOf(request));
        await registry.put({ ...record, tags: { ...record.tags, ...Tags } });
        return noContent;
      },
    },
    {
      method: 'DELETE',
      path,
      action: 'lambda:UntagResource',
      resource,
      answer: async (request) => {
        const removed = request.call.query.getAll('tagKeys');
        const record = registry.get(nameOf(request));
        const kept = Object.entries(record.tags).filter(([key]) => !removed.includes(key));
        await registry.put({ ...record, tags: Object.fromEntries(kept) });
        return noContent;
      },
    },
  ];
}
