import type { Stack } from '../../packages/local-aws/src/assembly/read-assembly.ts';

/** The resources of the stack that serves a site. `stacks` are all stacks of a deployment. */
export function aStaticSite(stacks: readonly Stack[], name: string) {
  const template = stacks.find((stack) => stack.name === name)?.template;
  const resources = Object.entries(template?.Resources ?? {}).map(([id, resource]) => ({
    id,
    type: resource.Type,
    properties: resource.Properties as any,
    deletion: resource.DeletionPolicy,
    dependsOn: (resource as any).DependsOn ?? [],
  }));
  const ofType = (type: string) => resources.filter((each) => each.type === type);
  function only(type: string) {
    const [found, ...others] = ofType(type);
    if (found === undefined || others.length > 0) throw new Error(`${type}: ${String(others.length + 1)}`);
    return found;
  }

  /** All headers of the policy but that of HTTPS, by the names that browsers see. */
  function headers(): Readonly<Record<string, string>> {
    const {
      CorsConfig,
      CustomHeadersConfig,
      SecurityHeadersConfig: {
        ContentSecurityPolicy,
        ContentTypeOptions,
        FrameOptions,
        ReferrerPolicy,
        ...others
      },
    } = only('AWS::CloudFront::ResponseHeadersPolicy').properties.ResponseHeadersPolicyConfig;
    if (Object.keys(others).join() !== 'StrictTransportSecurity') throw new Error('an unknown header');
    return {
      ...(CorsConfig !== undefined && {
        'Access-Control-Allow-Origin': CorsConfig.AccessControlAllowOrigins.Items.join(),
      }),
      'Content-Security-Policy': ContentSecurityPolicy.ContentSecurityPolicy,
      'Referrer-Policy': ReferrerPolicy.ReferrerPolicy,
      'X-Content-Type-Options': ContentTypeOptions.Override ? 'nosniff' : '',
      ...(FrameOptions !== undefined && { 'X-Frame-Options': FrameOptions.FrameOption }),
      ...Object.fromEntries(CustomHeadersConfig.Items.map(({ Header, Value }: any) => [Header, Value])),
    };
  }
  return { template, resources, ofType, only, headers };
}
