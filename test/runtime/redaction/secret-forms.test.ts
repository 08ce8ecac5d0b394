import { describe, expect, it } from 'vitest';
import { PLACE_FORMS } from '../../../src/runtime/redaction/places.ts';
import { SECRET_FORMS } from '../../../src/runtime/redaction/secret-forms.ts';
import { withoutSecrets } from '../../../src/runtime/redaction/secrets.ts';

const PLANTED = 'Hunter2xQ9zzzzz';
const HEX = '0a1b2c3d'.repeat(4);

function clean(text: string): string {
  return withoutSecrets(text, []).text;
}

describe('a secret is found', () => {
  it.each([
    // By how it begins.
    `ABIA${HEX.toUpperCase()}`,
    `ACCA${HEX.toUpperCase()}`,
    `1//0g${PLANTED}abcdefgh`,
    `pplx-${PLANTED}`,
    `gsk_${PLANTED}`,
    `r8_${PLANTED}`,
    `xai-${PLANTED}`,
    `nvapi-${PLANTED}`,
    `dapi${HEX}`,
    `doo_v1_${HEX}`,
    `SK${HEX}`,
    `sq0atp-${PLANTED}`,
    `figd_${PLANTED}`,
    `secret_${PLANTED}`,
    `x.atlasv1.${PLANTED}`,
    `dp.st.prd.${PLANTED}`,
    `glsa_${PLANTED}`,
    `NRAK-${PLANTED}`,
    `rubygems_${HEX}`,
    `sntrys_${PLANTED}`,
    `ATATT3xFf${PLANTED}`,
    `tskey-auth-${PLANTED}`,
    `v2.local.${PLANTED}`,
    `eyJhbGciOiJkaXIifQ..${PLANTED}.x.y`,
    `MIIEvQIBADANBgkqhkiG9w0BAQEFAASC${PLANTED.repeat(4)}`,
    `---- BEGIN SSH2 ENCRYPTED PRIVATE KEY ----\n${PLANTED}\n---- END SSH2 ENCRYPTED PRIVATE KEY ----`,
    `-----BEGIN%20PRIVATE%20KEY-----${PLANTED}`,
    `PuTTY-User-Key-File-2: x\nPrivate-Lines: 1\n${PLANTED}\n`,
    // In addresses and headers.
    `postgres://jane:${PLANTED}/a@db/x`,
    `postgres://jane:a@${PLANTED}@db/x`,
    `jdbc:oracle:thin:scott/${PLANTED}@//db:1521/x`,
    `url=postgres%3A%2F%2Fjane%3A${PLANTED}%40db%2Fx`,
    `Server=x;Uid=sa;Pwd=${PLANTED};`,
    `https://a.blob.core.windows.net/c?sv=1&sig=${PLANTED}%3D`,
    `https://acme.webhook.office.com/webhookb2/${PLANTED}`,
    `Authorization: Digest username="jane", response="${PLANTED}"`,
    `authorization%3A%20Bearer%20${PLANTED}`,
    `headers.set("X-Api-Key", "${PLANTED}")`,
    `["Authorization", "token ${PLANTED}"]`,
    `PRIVATE-TOKEN: ${PLANTED}`,
    `Set-Cookie: a=${PLANTED}`,
    `JSESSIONID=${PLANTED}`,
    `connect.sid=s%3A${PLANTED}`,
    // In files that hold them.
    `//packages.example.org/:_authToken=${PLANTED}`,
    `//packages.example.org/:_auth=${PLANTED}`,
    `machine x\n  login jane\n  password ${PLANTED.replaceAll(/\d/gu, 'q')}`,
    String.raw`machine x\n  login jane\n  password ${PLANTED.replaceAll(/\d/gu, 'q')}`,
    `{"auths":{"ghcr.io":{"auth":"${PLANTED}"}}}`,
    `client-key-data: ${PLANTED}`,
    `password: |\n  ${PLANTED}`,
    `token: >-\n  ${PLANTED}`,
    `| password | ${PLANTED} |`,
    `{"value":"${PLANTED}","name":"API_TOKEN"}`,
    // By a name before it, however it is given.
    `export STRIPE_KEY=${PLANTED}`,
    `MASTER_KEY=${PLANTED}`,
    `KEY=${PLANTED}`,
    `APP_KEY=base64:${PLANTED}`,
    `dbPass=${PLANTED}`,
    `api.key=${PLANTED}`,
    `Kennwort: ${PLANTED}`,
    `password := "${PLANTED}"`,
    `password == "${PLANTED}"`,
    `const password: string = "${PLANTED}"`,
    `password = \`${PLANTED}\``,
    `password%3D${PLANTED}`,
    `password%22%3A%22${PLANTED}%22`,
    String.raw`PASSWORD=\u0022${PLANTED}`,
    `PASSWORD\u200b=${PLANTED}`,
    // Given to a command.
    `curl -ujane:${PLANTED} x`,
    `docker login -u jane -p ${PLANTED}`,
    `az login -p ${PLANTED}`,
    `redis-cli -h x -a ${PLANTED}`,
    `echo ${PLANTED} | docker login --password-stdin`,
  ])('in %s', (text) => {
    const left = clean(text);
    expect(left).toContain('[secret removed]');
    for (const part of [PLANTED, PLANTED.replaceAll(/\d/gu, 'q'), HEX, HEX.toUpperCase()])
      expect(left).not.toContain(part);
  });

  it.each(['\n', String.raw`\n`])(
    'where the beginning of a key was cut off, with %j between its lines',
    (end) => {
      const tail = `… 12 lines were left out.${end}${PLANTED}+/${end}${PLANTED}==${end}-----END RSA PRIVATE KEY-----${end}done`;
      expect(clean(tail)).toBe(
        `… 12 lines were left out.[secret removed]-----END RSA PRIVATE KEY-----${end}done`,
      );
    },
  );

  it.each([`\\n`, '%20', '%22', '\u001b[31m'])('behind %j, which is no part of it', (before) => {
    for (const secret of [`ghp_${PLANTED}`, `sk-${PLANTED}`, `eyJ${PLANTED}.${PLANTED}`])
      expect(clean(`it is${before}${secret}`)).toBe(`it is${before}[secret removed]`);
  });

  it('and what is around it stays', () => {
    expect(clean(`psql postgres://jane:${PLANTED}@db.example.com/x --echo`)).toBe(
      'psql postgres://[secret removed]@db.example.com/x --echo',
    );
    expect(clean(`docker login -u jane -p ${PLANTED} ghcr.io`)).toBe(
      'docker login -u jane -p [secret removed] ghcr.io',
    );
  });
});

describe('no secret is seen', () => {
  it.each([
    'max_tokens=4096, total_tokens: 1234567, "input_tokens": 12',
    'Tests passed: 1234; passed=true; bypass: none; compass=north; passengers: many',
    'password: string; apiKey: string | undefined; token?: boolean',
    'token: null, password: undefined, secret: true, cookies: disabled',
    'const token = lexer.next(); const password = getPassword();',
    'password: process.env.DB_PASSWORD, token: ${{ secrets.GITHUB_TOKEN }}',
    'PASSWORD=$DB_PASSWORD; PWD=/srv/acme; authenticated: yes; authors = ["A B"]',
    'npm_config_registry, npm-run-all-things, hf-transformers-library, pk_constraint_users, sk-estimators',
    'Basic authentication is used. A basic understanding. Bearer authentication, the bearer of bad news',
    'http://localhost:3000/@vite/client and https://example.com/@scope/name',
    'git@github.com:a/b.git, commit 3f2a1b4c5d6e7f8091a2b3c4d5e6f70812345678',
    'primary key: id, foreign_key=user_id, SORT_KEY=name, keyboard: us, monkey=banana',
    'docker run -p 8080:80 -u 1000:1000 x; mkdir -p src/app/thing; ssh -p 2222 host; mysql -u root',
    'Unexpected token } in JSON at position 4; the API key is missing; password must have 8 characters',
    'signature: (a: string) => void; src/token/parser.ts; see auth.ts:12',
    '["password", "email"] and headers.get("Authorization")',
  ])('in %s', (text) => {
    expect(clean(text)).toBe(text);
  });
});

/** Where a pattern may repeat something without an end: what is left of the pattern after each such place. */
function endless(source: string): readonly string[] {
  const plain = source
    .replaceAll(/\\(?:u\{\w+\}|[pP]\{\w+\}|u\w{4}|x\w\w|.)/gu, 'e')
    .replaceAll(/\[[^\]]*\]/gu, 'c');
  return [...plain.matchAll(/(?<!\()[*+]\??|\{\d+,\}/gu)].map(({ index, 0: sign }) =>
    plain.slice(index + sign.length),
  );
}

describe('the time that looking takes', () => {
  it.each([...SECRET_FORMS.map(({ pattern }) => pattern), ...PLACE_FORMS].map(({ source }) => source))(
    'grows with the text alone, whatever is in it: %s',
    (source) => {
      // After the last repetition nothing can fail: it ends with the pattern, or at the end of the text at the latest.
      for (const rest of endless(source)) expect(rest).toMatch(/^(?:[)?]*|\(\?[:=].*\|\$\))$/u);
    },
  );

  it.each([
    'token-',
    'pass',
    'eyJ-',
    'eyJaaaaaaaa.',
    'value:',
    'a://b:c',
    '-----BEGIN PRIVATE KEY-----',
    'token%20',
    '\\n',
    '/home',
    ' A/',
  ])('ends for half a megabyte of %j', (part) => {
    const text = `password=a1b2c3d4 ${part.repeat(500_000 / part.length)}`;
    expect(clean(text).startsWith('password=[secret removed]')).toBe(true);
    for (const pattern of PLACE_FORMS)
      expect(text.replaceAll(pattern, '').length).toBeLessThanOrEqual(text.length);
  });
});
