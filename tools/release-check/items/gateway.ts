import { anApplication, request, shown } from '../api.ts';
import { expectThat, type ItemContext, type ReleaseItem } from '../item.ts';

const THROTTLED_REQUESTS = 300;
const AT_ONCE = 30;

/** Counts the requests to a path, of 300, that were let through. */
async function passedOn(context: ItemContext, path: string): Promise<number> {
  let left = THROTTLED_REQUESTS;
  let passed = 0;
  const send = async () => {
    while (left > 0) {
      left -= 1;
      if ((await request(context, undefined, 'GET', path)).status !== 429) passed += 1;
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, send));
  return passed;
}

const throttling: ReleaseItem = {
  id: 'throttling',
  title: 'Throttling: one bucket, or one per route?',
  where: 'only on AWS',
  async run(context) {
    const one = await passedOn(context, '/tokens/x');
    expectThat(one < THROTTLED_REQUESTS, 'nothing was throttled: deploy with throttleRate=5 throttleBurst=5');
    await context.pause(10_000);
    const two = await Promise.all(['/tokens/x', '/applications/x'].map((path) => passedOn(context, path)));
    return {
      seen: `${String(one)} passed on one route, ${two.join(' and ')} on two at the same time`,
      person:
        'twice as many on two means a bucket for each route: write it into docs/deploy.md, "Throttling"',
    };
  },
};

const decoded: ReleaseItem = {
  id: 'decoded-path',
  title: 'The gateway decodes the path',
  where: 'anywhere',
  async run(context) {
    const { key } = await anApplication(context);
    const { apiUrl: url, keyHeader } = context.deployment;
    const prefix = keyHeader.slice(0, keyHeader.indexOf('-'));
    const headers = { [keyHeader]: key, [`${prefix}-PROXY-URL`]: 'https://example.com/a' };
    const statuses: number[] = [];
    for (const path of ['/proxy%2f..%2fx', '/proxy/%2e%2e/x']) {
      const { status, body } = await context.rawFetch({ url, path, headers });
      const isRefused = (status === 400 && body.includes('"path"')) || status === 404;
      expectThat(isRefused, `${path}: ${String(status)}`);
      statuses.push(status);
    }
    return { seen: `${statuses.join(' and ')} (404: the gateway does not decode, which is as safe)` };
  },
};

/** A failure of the gateway itself has only this member. */
const isOfGateway = ({ status, body }: Awaited<ReturnType<typeof request>>) =>
  status >= 400 && status < 500 && Object.keys(body).join() === 'message';

const limits: ReleaseItem = {
  id: 'gateway-limits',
  title: 'Limits that only the gateway has',
  where: 'only on AWS',
  async run(context) {
    const { key } = await anApplication(context);
    const headers = { 'x-long': 'a'.repeat(11_000) };
    const long = await request(context, undefined, 'GET', '/tokens/x', { headers });
    expectThat(isOfGateway(long), `headers of 11,000 bytes: ${shown(long)}`);
    const body = { type: 'token', data: '"'.repeat(2_000_000) };
    const doubled = await request(context, key, 'POST', '/tokens', { body });
    expectThat(isOfGateway(doubled), `a body of 4 MB of quotes: ${shown(doubled)}`);
    return { seen: `${shown(long)} and ${shown(doubled)}, of the gateway` };
  },
};

const TOO_LARGE = 11_000_000;

const pagesRead: ReleaseItem = {
  id: 'gateway-cors',
  title: 'A page can read responses of the gateway itself',
  where: 'only on AWS',
  async run(context) {
    const origin = { origin: 'https://shop.example' };
    const preflight = await request(context, undefined, 'OPTIONS', '/proxy', {
      headers: {
        ...origin,
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'svc-proxy-url,authorization',
      },
    });
    const allowed = (preflight.headers.get('access-control-allow-headers') ?? '').split(/, ?/).toSorted();
    expectThat(allowed.join() === '*,authorization', `the preflight allows ${allowed.join()}`);
    const body = '\0'.repeat(TOO_LARGE);
    const large = await request(context, undefined, 'POST', '/tokens', { headers: origin, body });
    const names = ['access-control-allow-origin', 'access-control-expose-headers'];
    const values = names.map((name) => large.headers.get(name) ?? 'none');
    expectThat(large.status === 413 && values.join() === '*,*', `${shown(large)}: ${values.join()}`);
    return { seen: 'the preflight allows *,authorization; 413 with both wildcards' };
  },
};

export const GATEWAY_ITEMS: readonly ReleaseItem[] = [throttling, decoded, limits, pagesRead];

export const EDGE_ITEMS: readonly ReleaseItem[] = [
  {
    id: 'edge-steps',
    title: 'On, rotated, off',
    steps: `Follow docs/deploy.md, "The edge", under one request a second:
while sleep 1; do curl -s -o /dev/null -w '%{http_code} ' https://$DOMAIN/tokens/x -H "SVC-API-KEY: $KEY"; done
All responses are 404. With the edge on, $URL/tokens/x returns 403.`,
  },
  {
    id: 'edge-429',
    title: "A page can read the firewall's 429",
    steps: `Deploy with -c edgeRateLimit=10, then:
for i in $(seq 100); do curl -s -o /dev/null https://$DOMAIN/tokens/x; curl -s -o /dev/null -X OPTIONS https://$DOMAIN/tokens/x; done; sleep 30
curl -s -i https://$DOMAIN/tokens/x -H 'Origin: https://shop.example'
curl -s -i -X OPTIONS https://$DOMAIN/tokens/x -H 'Origin: https://shop.example' -H 'Access-Control-Request-Method: GET'`,
  },
  {
    id: 'edge-by-key',
    title: 'The edge counts by key, and by no other address of a public key',
    steps: `Deploy with -c edgeKeyRateLimit=10 -c edgePublicKeyRateLimit=10, then, with a key in KEY and from two addresses A and B:
A: for i in $(seq 100); do curl -s -o /dev/null https://$DOMAIN/tokens/x -H "SVC-API-KEY: $KEY"; done; sleep 30
A and B: curl -s https://$DOMAIN/tokens/x -H "SVC-API-KEY: $KEY"
A private key is 429 at both, a public one at A alone, and a request without a key at neither.
A: the same with /proxy?svc-proxy-key=$PROXY_KEY, and once with svc%2Dproxy-key: is the encoded name counted?`,
  },
  {
    id: 'console',
    title: 'The console reaches its networks alone, and leaves nothing',
    steps: `Follow docs/deploy.md, "A console", with the network of this machine. Then, here and in another network:
curl -s -i https://$CONSOLE/ ; curl -s -o /dev/null -w '%{http_code}\n' https://$CONSOLE/nothing
BUCKET=$(aws cloudformation list-stack-resources --region us-east-1 --stack-name Release-Console-$AWS_REGION --output text \
  --query "StackResourceSummaries[?ResourceType=='AWS::S3::Bucket'].PhysicalResourceId")
curl -s -o /dev/null -w '%{http_code}\n' https://$BUCKET.s3.amazonaws.com/index.html   # 403
Sign in with a key, and list tokens. Deploy again after a change of the page: it is there at once.
npx cdk destroy Release-Console
aws s3api list-buckets --query "Buckets[?Name=='$BUCKET'].Name" --output text
aws logs describe-log-groups --region us-east-1 --output text --query logGroups[].logGroupName \
  --log-group-name-pattern Release-Console`,
  },
  {
    id: 'fields',
    title: 'Card fields are embedded by their origins alone, and old scripts stay',
    steps: `Follow docs/deploy.md, "Card fields", with fieldsOrigins=http://localhost:3000. Then:
OUTPUT="aws cloudformation describe-stacks --region us-east-1 --stack-name Release-Fields-$AWS_REGION --output text --query"
SCRIPT=$($OUTPUT "Stacks[0].Outputs[?OutputKey=='FieldsScript'].OutputValue")
INTEGRITY=$($OUTPUT "Stacks[0].Outputs[?OutputKey=='FieldsIntegrity'].OutputValue")
for path in fields.js v1/frame.html $\{SCRIPT#https://*/}; do curl -s -D - -o /dev/null -H 'Origin: http://localhost:3000' https://$FIELDS/$path; done
mkdir page && cat > page/index.html <<END
<script type="module" crossorigin="anonymous" src="$SCRIPT" integrity="$INTEGRITY"></script>
<iframe src="https://$FIELDS/v1/frame.html"></iframe>
END
python3 -m http.server 3000 -d page & python3 -m http.server 3001 -d page &   # open both in a browser
Change the script, deploy again, and compare the first address with its checksum:
echo "$INTEGRITY sha384-$(curl -s $SCRIPT | openssl dgst -sha384 -binary | base64 -w0)"
npx cdk destroy Release-Fields
aws s3api list-buckets --query "Buckets[?starts_with(Name, 'release-fields-')].Name" --output text
aws logs describe-log-groups --region us-east-1 --output text --query logGroups[].logGroupName \
  --log-group-name-pattern Release-Fields`,
  },
];
