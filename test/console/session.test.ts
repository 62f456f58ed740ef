import { createSession, IDLE_MS } from '../../console/src/session/session.ts';

const SERVICE = { api_url: 'http://localhost:1', header_prefix: 'SVC', local: true };
const MANAGEMENT = 'key_management_3YnnMNnfVFVN9erkZLxuPB';
const PRIVATE = 'key_private_3YnnMNnfVFVN9erkZLxuPB';

const OTHER_TENANT = 'key_private_7ZzzMNnfVFVN9erkZLxuPBzzzz';

let now = 0;
const aSession = () => createSession(SERVICE, () => now);

beforeEach(() => {
  now = 0;
});

describe('the session of a tab', () => {
  it('has a key of each kind, and shows only the end of each', () => {
    const session = aSession();
    expect(session.signIn(MANAGEMENT)).toBeUndefined();
    expect(session.signIn(PRIVATE)).toBeUndefined();
    expect(JSON.stringify(session.state())).not.toContain('3Ynn');
    expect(session.state().access.private?.hint).toBe('…xuPB');
    expect(session.localHeaders()).toEqual({ 'SVC-API-KEY': MANAGEMENT });
  });

  it('refuses a key of another tenant, and one of another kind than is needed', () => {
    const session = aSession();
    session.signIn(MANAGEMENT);
    expect(session.signIn(OTHER_TENANT)).toContain('another tenant');
    expect(session.signIn(MANAGEMENT, 'private')).toContain('a private key is needed');
    expect(Object.keys(session.state().access)).toEqual(['management']);
  });

  it('forgets its keys after 15 minutes without a person, and not before', () => {
    const session = aSession();
    session.signIn(PRIVATE);
    now = 1_000;
    session.touch();
    now = IDLE_MS;
    session.checkIdle();
    expect(Object.keys(session.state().access)).toEqual(['private']);
    now = 10 * IDLE_MS;
    session.checkIdle();
    expect(session.state()).toMatchObject({ access: {}, notice: expect.stringContaining('15 minutes') });
  });

  it('forgets its keys at the first key press after the machine slept', () => {
    const session = aSession();
    session.signIn(PRIVATE);
    now = IDLE_MS;
    session.touch();
    expect(session.state().access).toEqual({});
  });

  it('counts the time from the moment of a late key', () => {
    const session = aSession();
    now = 2 * IDLE_MS;
    session.signIn(PRIVATE);
    session.checkIdle();
    expect(Object.keys(session.state().access)).toEqual(['private']);
  });

  it('forgets the key of the local server and the filter of tokens with the others', () => {
    const session = aSession();
    session.signIn(MANAGEMENT);
    session.tokenFilter = { container: '', key: '', value: '', search: '4242' };
    session.signOut();
    expect([session.localHeaders(), session.tokenFilter]).toEqual([undefined, undefined]);
  });

  it('forgets one key with what was searched by it, and goes on with the other', () => {
    const session = aSession();
    session.signIn(MANAGEMENT);
    session.signIn(PRIVATE);
    session.tokenFilter = { container: '', key: '', value: '', search: '4242' };
    session.drop('private');
    expect([Object.keys(session.state().access), session.tokenFilter]).toEqual([['management'], undefined]);
    session.drop('management');
    expect([session.state().access, session.localHeaders()]).toEqual([{}, undefined]);
  });

  it('accepts no other text, and says nothing of it', () => {
    const session = aSession();
    expect(session.signIn('key_public_secret')).not.toContain('secret');
    expect(session.state().access).toEqual({});
  });

  it('calls its listeners after each change until they leave', () => {
    const session = aSession();
    let changes = 0;
    const leave = session.subscribe(() => (changes += 1));
    session.signIn(PRIVATE);
    leave();
    session.signOut();
    expect(changes).toBe(1);
  });
});
