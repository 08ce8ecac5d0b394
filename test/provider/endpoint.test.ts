import { expect, test } from 'vitest';
import { endpointOf } from '../../src/provider/endpoint.ts';
import { connectionFailure, retryAfter } from '../../src/provider/failures.ts';
import { scrub, scrubFailure } from '../../src/provider/secret-scrubber.ts';

test.each([
  ['https://api.openai.com/v1', 'https://api.openai.com/v1', 'https://api.openai.com/v1'],
  [' HTTPS://API.OpenAI.com:443/v1/// ', 'https://api.openai.com/v1', 'https://api.openai.com/v1'],
  ['http://user:secret@host:8080', 'http://host:8080', 'http://host:8080'],
  ['https://h/v1?key=secret&v=2#x', 'https://h/v1', 'https://h/v1?key=secret&v=2'],
])('the endpoint of %j is %j', (baseUrl, name, url) => {
  expect(endpointOf(baseUrl)).toEqual({ kind: 'valid', name, url });
});

test.each([
  ['the key sk-proj-abc_DEF-123456 is wrong', 'the key [hidden] is wrong'],
  ['Incorrect API key provided: sk-abcd****wxyz.', 'Incorrect API key provided: [hidden].'],
  ['authorization: Bearer abc.def-123', 'authorization: Bearer [hidden]'],
  ['custom-secret-42 leaked, custom-secret-42!', '[hidden] leaked, [hidden]!'],
  ['cut off in the middle: custom-sec', 'cut off in the middle: [hidden]'],
  ['a page titled "custom-secr"', 'a page titled "[hidden]"'],
  ['custom-secret-42custom-secret-42 is custom', '[hidden][hidden] is custom'],
  ['?key=with%2F%22signs%22%2Bin-it {"key":"with/\\"signs\\"+in-it"}', '?key=[hidden] {"key":"[hidden]"}'],
  ['a task-oriented risk-averse desk-bound text', 'a task-oriented risk-averse desk-bound text'],
])('secrets are hidden in %j', (text, expected) => {
  expect(scrub(text, ['custom-secret-42', 'with/"signs"+in-it'])).toBe(expected);
});

test('a failure is scrubbed and bounded in every field', () => {
  const secret = 'custom-secret-42';
  expect(
    scrubFailure(
      {
        kind: 'auth',
        message: `${secret} ${'x'.repeat(5000)}`,
        code: secret,
        request_id: secret,
        status: 401,
      },
      [secret],
    ),
  ).toEqual({
    kind: 'auth',
    message: `[hidden] ${'x'.repeat(1990)}…`,
    code: '[hidden]',
    request_id: '[hidden]',
    status: 401,
  });
});

test.each([
  [{ 'retry-after-ms': '1500' }, 1500],
  [{ 'retry-after-ms': '-1', 'retry-after': '2.5' }, 2500],
  [{ 'retry-after': '0' }, 0],
  [{ 'retry-after': '9'.repeat(400) }, null],
  [{ 'retry-after': 'Thu, 01 Jan 1970 00:00:11 GMT' }, 10_000],
  [{ 'retry-after': 'Thu, 01 Jan 1970 00:00:00 GMT' }, null],
  [{}, null],
])('%j says when to try again', (headers, expected) => {
  expect(retryAfter(new Headers(Object.entries(headers)), 1000)).toBe(expected);
});

test.each([
  'CERT_HAS_EXPIRED',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'ERR_TLS_CERT_ALTNAME_INVALID',
  'ERR_SSL_WRONG_VERSION_NUMBER',
])('the code %s down the chain of causes is a TLS failure', (code) => {
  const cause = Object.assign(new Error('the certificate'), { code });
  const error = new TypeError('fetch failed', { cause: new AggregateError([new Error('x'), cause]) });
  expect(connectionFailure(error)).toEqual({ kind: 'tls', message: 'the certificate', code });
});

test('causes that form a ring, or are no errors, still give a connection failure', () => {
  const ring = new Error('ring');
  ring.cause = ring;
  expect(connectionFailure(ring)).toEqual({ kind: 'connection', message: 'ring' });
  expect(connectionFailure('text')).toEqual({ kind: 'connection', message: 'the connection failed' });
});
